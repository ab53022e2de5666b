"""A small COCO-format world: pictures, boxes, and captions that try to break out."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image, ImageDraw

HOSTILE = [
    "Two $5 and $10 <b>cakes</b> :balloon: next to a ball",
    "<img src=x onerror=\"document.title='broken'\"> a dog",
    "**bold** _under_ [link](javascript:alert(1)) `code` # heading",
    "</style></script><script>document.title='broken'</script> $\\frac{1}{2}$ :material/home:",
    "Ein roter Ball — 红色的球 — 🎈 &amp; &lt;i&gt; :red[text]",
]
BALL = "<i>ball</i> $x$ :ball:"
"""A category whose name is hostile; the synset table below knows it."""

CATEGORIES = {1: "dog", 2: "person", 3: "cat", 4: "car", 5: BALL, 6: "bird"}
SYNSETS = {BALL: "ball.n.01"}

# (width, height, [(category, box)]) of each image
IMAGES: list[tuple[int, int, list[tuple[int, tuple[int, int, int, int] | None]]]] = [
    (320, 240, [(1, (20, 60, 90, 80)), (1, (150, 80, 60, 50)), (2, (230, 20, 60, 200))]),
    (320, 240, [(1, (40, 40, 200, 160)), (4, (10, 150, 120, 70))]),
    (240, 320, [(2, (60, 40, 120, 260)), (5, (20, 250, 50, 50)), (3, None)]),
    (320, 200, [(3, (90, 60, 120, 90)), (6, (10, 10, 40, 30))]),
    (320, 240, [(4, (30, 80, 120, 90)), (4, (170, 90, 110, 80)), (2, (10, 30, 40, 120))]),
    (300, 300, [(5, (100, 100, 100, 100)), (1, (10, 200, 70, 60))]),
    (320, 240, []),
    (640, 160, [(6, (20, 20, 60, 40)), (6, (300, 40, 80, 50)), (2, (500, 10, 60, 140))]),
]
CAPTIONS = [
    [HOSTILE[1], "two dogs beside a person"],
    ["a large dog in front of a car", HOSTILE[3]],
    ["a person with a ball", HOSTILE[0]],
    ["a cat and a bird", HOSTILE[2]],
    ["two cars and someone walking", "traffic"],
    [HOSTILE[4], "a ball and a dog"],
    ["nothing at all"],
    ["birds above a person", "two birds"],
]


def write_world(folder: Path) -> dict[str, Path]:
    """Write the files of the world; the arguments for `import_coco` but the name."""
    pictures = folder / "images"
    pictures.mkdir(parents=True)
    images, annotations, captions = [], [], []
    for number, (width, height, things) in enumerate(IMAGES, start=1):
        picture = Image.new("RGB", (width, height), (200, 210 - 9 * number, 190))
        pen = ImageDraw.Draw(picture)
        for category, box in things:
            if box is not None:
                x, y, w, h = box
                pen.ellipse((x, y, x + w, y + h), fill=(40 * category, 90, 240 - 30 * category))
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": number,
                    "category_id": category,
                    "iscrowd": 0,
                    **({"bbox": list(box)} if box else {}),
                }
            )
        picture.save(pictures / f"{number}.png")
        images.append(
            {
                "id": number,
                "file_name": f"{number}.png",
                "width": width,
                "height": height,
                "license": 1,
                "flickr_url": f"https://example.org/{number}",
            }
        )
        for text in CAPTIONS[number - 1]:
            captions.append({"id": len(captions) + 1, "image_id": number, "caption": text})
    licences = [{"id": 1, "name": "A <b>licence</b>", "url": "https://example.org/licence"}]
    categories = [{"id": i, "name": name} for i, name in CATEGORIES.items()]
    files = {
        "instances.json": {
            "images": images,
            "annotations": annotations,
            "categories": categories,
            "licenses": licences,
        },
        "captions.json": {"images": images, "annotations": captions, "licenses": licences},
        "synsets.json": SYNSETS,
    }
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return {
        "instances": folder / "instances.json",
        "captions": folder / "captions.json",
        "images": pictures,
        "synset_table": folder / "synsets.json",
    }
