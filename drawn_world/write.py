"""Write scenes as a COCO data set: `python -m drawn_world.write --out DIR --scenes N --seed S`.

The folder gets `instances.json`, `captions.json` and `images/`. Beside what COCO has, categories
carry a `synset`, and images and annotations an `attributes` object (docs/demo_world.md).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from drawn_world.annotate import Annotation, annotate, label_synsets
from drawn_world.captions import captions_of
from drawn_world.render import pixels
from drawn_world.sample import sample_scenes
from drawn_world.scene import Scene

__all__ = ["CAPTIONS_PER_SCENE", "GALLERY_SCENES", "GALLERY_SEED", "documents", "write"]

#: The stream, the number of scenes and the captions a scene of the shipped test gallery.
GALLERY_SEED, GALLERY_SCENES, CAPTIONS_PER_SCENE = 2026, 1000, 5

_SIZE_PX = 320
_LICENCE = {"id": 1, "name": "drawn by vlmexplain", "url": ""}


def _attributes(found: Annotation, scene: Scene, item_ids: dict[int, int]) -> dict[str, Any]:
    if found.kind == "thing":
        assert found.item is not None
        group = scene.groups[scene.items[found.item].group]
        return {
            "colour": found.colour,
            "size": found.size,
            "depth": found.depth,
            "place": found.place,
            "count": group.count,
        }
    return {"part_of": None if found.item is None else item_ids[found.item]}


def documents(scenes: list[Scene], seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """(instances, captions) in COCO's JSON form; pure, so equal scenes give equal documents.

    Boxes are [x, y, width, height] in pixels of the 320 px picture, tight around what can be seen.
    """
    labels = label_synsets()
    category_id = {name: row for row, name in enumerate(labels, start=1)}
    categories = [
        {"id": category_id[name], "name": name, "supercategory": kind, "synset": synset}
        for name, (kind, synset) in labels.items()
    ]
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    captions: list[dict[str, Any]] = []
    for image_id, scene in enumerate(scenes, start=1):
        images.append(
            {
                "id": image_id,
                "file_name": f"{image_id:06d}.webp",
                "width": _SIZE_PX,
                "height": _SIZE_PX,
                "license": 1,
                "attributes": {
                    "setting": scene.setting,
                    "time": scene.time,
                    "seed": list(scene.seed),
                },
            }
        )
        item_ids: dict[int, int] = {}
        for found in annotate(scene, _SIZE_PX):
            number = len(annotations) + 1
            if found.kind == "thing" and found.item is not None:
                item_ids[found.item] = number
            annotations.append(
                {
                    "id": number,
                    "image_id": image_id,
                    "category_id": category_id[found.name],
                    "bbox": list(found.box_xywh_px),
                    "area": found.area_px,
                    "iscrowd": 0,
                    "attributes": _attributes(found, scene, item_ids),
                }
            )
        rng = np.random.default_rng([seed, scene.seed[1], 3])
        for made in captions_of(scene, CAPTIONS_PER_SCENE, rng):
            captions.append({"id": len(captions) + 1, "image_id": image_id, "caption": made.text})
    info = {
        "description": "drawn demo world of vlmexplain: drawings, not photographs",
        "drawn_world": True,
        "version": "1",
        "seed": seed,
        "year": 2026,
    }
    instances = {
        "info": info,
        "licenses": [_LICENCE],
        "images": images,
        "annotations": annotations,
        "categories": categories,
    }
    return instances, {
        "info": info,
        "licenses": [_LICENCE],
        "images": images,
        "annotations": captions,
    }


def _dump(document: dict[str, Any], path: Path) -> None:
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), sort_keys=False)
    path.write_bytes(text.encode("ascii") + b"\n")


def write(folder: Path, scenes: int, seed: int, split: str = "test", quality: int = 84) -> None:
    """Write `scenes` scenes with distinct combinations of a split into `folder`."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    chosen = list(sample_scenes(seed, split, scenes, distinct=True))
    instances, captions = documents(chosen, seed)
    _dump(instances, folder / "instances.json")
    _dump(captions, folder / "captions.json")
    for entry, scene in zip(instances["images"], chosen, strict=True):
        picture = Image.fromarray(pixels(scene, _SIZE_PX))
        picture.save(folder / "images" / entry["file_name"], "WEBP", quality=quality, method=5)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write drawn scenes as a COCO data set.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument("--scenes", type=int, default=GALLERY_SCENES)
    parser.add_argument("--seed", type=int, default=GALLERY_SEED)
    parser.add_argument("--split", choices=("train", "watch", "test"), default="test")
    parser.add_argument("--quality", type=int, default=84, help="WebP quality, 1 to 100")
    args = parser.parse_args()
    write(args.out, args.scenes, args.seed, args.split, args.quality)


if __name__ == "__main__":
    main()
