"""A small gallery of drawn pictures, ranked by the fake models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from homes import at_home, new_home
from PIL import Image

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.scoring.run import Run, run

CAPTIONS = [
    ["two red dogs and a small cat", "A large dog next to a blue bus"],
    ["a cat on a table", "two red dogs and a small cat"],
    ["a person rides a black horse", "three people on the street"],
    ["a green bird in a tree"],
    ["an orange truck beside a white car", "a truck"],
    ["one boat on blue water", "a small yellow boat"],
    ["a red dog"],
    [],
]
NAMES = [
    "dog",
    "cat",
    "bus",
    "bird",
    "horse",
    "sheep",
    "cow",
    "elephant",
    "bear",
    "zebra",
    "giraffe",
    "person",
]
"""What annotators looked for; the last image, which has no caption, has one of each."""
SAME_PICTURE = (0, 6)
"""Two images with the same pixels: their scores tie."""


@dataclass(frozen=True)
class LiveWorld:
    """A home with a gallery and its runs."""

    home: Path
    gallery: Gallery
    run: Run
    text_run: Run


@pytest.fixture(scope="session")
def live_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveWorld]:
    """The gallery with runs of ``fake`` and ``fake-text``; `fake:5` has never seen it."""
    folder = tmp_path_factory.mktemp("live")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_files(folder), name="live")
        yield LiveWorld(home, gallery, run(gallery, "fake"), run(gallery, "fake-text"))


def write_files(folder: Path) -> dict[str, Path]:
    """COCO files of the gallery; the arguments of `import_coco` but the name."""
    pictures = folder / "images"
    pictures.mkdir()
    images, captions, annotations = [], [], []
    for number, texts in enumerate(CAPTIONS):
        seed = SAME_PICTURE[0] if number in SAME_PICTURE else number
        pixels = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((64, 48), Image.Resampling.NEAREST).save(
            pictures / f"{number}.png"
        )
        images.append({"id": number + 1, "file_name": f"{number}.png", "width": 64, "height": 48})
        annotations.append(
            {"id": number + 1, "image_id": number + 1, "category_id": 1 + number % 3,
             "bbox": [4, 4, 20, 20], "iscrowd": 0}
        )  # fmt: skip
        captions += [
            {"id": 10 * number + place, "image_id": number + 1, "caption": text}
            for place, text in enumerate(texts)
        ]
    annotations += [
        {"id": 100 + place, "image_id": len(CAPTIONS), "category_id": place, "iscrowd": 0,
         "bbox": [1, 1, 9, 9]}
        for place in range(1, len(NAMES) + 1)
    ]  # fmt: skip
    categories = [{"id": place, "name": name} for place, name in enumerate(NAMES, start=1)]
    shared = {"images": images, "categories": categories}
    for name, value in (
        ("instances", {**shared, "annotations": annotations}),
        ("captions", {**shared, "annotations": captions}),
    ):
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return {
        "instances": folder / "instances.json",
        "captions": folder / "captions.json",
        "images": pictures,
    }
