"""A small gallery imported from COCO files made by hand, with pictures of one colour each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import settings
from PIL import Image

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery

# Property tests without a deadline: the machine may be busy with other work.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

MakeGallery = Callable[..., Gallery]

CAPTIONS = [
    ["Two dogs run on the grass.", "A black dog and a brown dog near a red car."],
    ["one dog and a stop sign", "a red bus next to a red car", "A BALL"],
    ["an orange on a white plate next to an orange cup"],
    ["A person rides a horse.", "A man on a horse in a green field."],
    ["A train at the station.", "two people wait for a train"],
    ["A crowd of people.", "Three people and a bird on a boat"],
]
OBJECTS = [
    ["dog", "dog", "car"],
    ["dog", "stop sign", "bus", "car"],
    ["orange", "cup"],
    ["person", "horse"],
    ["train", "person", "person"],
    ["person", "bird", "boat"],
]
CATEGORIES = ["dog", "cat", "car", "bus", "stop sign", "orange", "cup", "person", "horse"]
CATEGORIES += ["train", "bird", "boat", "truck"]


@pytest.fixture
def make_gallery(fresh_home: Path, tmp_path: Path) -> MakeGallery:
    """``make_gallery(captions, objects, crowds=())``: by image; crowds are image numbers."""

    def make(
        captions: Sequence[Sequence[str]],
        objects: Sequence[Sequence[str]],
        crowds: Sequence[int] = (),
        name: str = "made",
    ) -> Gallery:
        folder = tmp_path / f"images-{name}"
        folder.mkdir()
        images = []
        for i in range(len(captions)):
            colour = (40 * i % 256, 255 - 30 * i % 256, 7 * i % 256)
            Image.new("RGB", (40, 30), colour).save(folder / f"{i:03d}.png")
            images.append({"id": i + 1, "file_name": f"{i:03d}.png", "width": 40, "height": 30})
        texts = [
            {"id": 100 * i + j, "image_id": i + 1, "caption": caption}
            for i, own in enumerate(captions)
            for j, caption in enumerate(own)
        ]
        instances = [
            {
                "id": 1000 * i + j,
                "image_id": i + 1,
                "category_id": CATEGORIES.index(category) + 1,
                "bbox": [1, 1, 10, 10],
                "area": 100,
                "iscrowd": int(i in crowds),
                "segmentation": [],
            }
            for i, own in enumerate(objects)
            for j, category in enumerate(own)
        ]
        names = [{"id": n, "name": category} for n, category in enumerate(CATEGORIES, 1)]
        common = {"info": {}, "licenses": [], "images": images}
        for file, rest in (
            ("captions.json", {"annotations": texts}),
            ("instances.json", {"annotations": instances, "categories": names}),
        ):
            (tmp_path / f"{name}-{file}").write_text(json.dumps({**common, **rest}))
        return import_coco(
            tmp_path / f"{name}-instances.json",
            tmp_path / f"{name}-captions.json",
            folder,
            name=name,
        )

    return make


@pytest.fixture
def gallery(make_gallery: MakeGallery) -> Gallery:
    """Six images; the last one's objects are crowds."""
    return make_gallery(CAPTIONS, OBJECTS, crowds=[5])
