"""COCO's forms: instances (stuff, keypoints, LVIS), panoptic, captions, images alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vlmexplain.concepts.coco_categories import coco_synset_table
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.caption_records import read_coco_captions
from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.coco import InstancesFile, read_instances
from vlmexplain.datasets.forms.draft import Draft
from vlmexplain.datasets.forms.peek import Peek
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.reading import read_stream
from vlmexplain.datasets.record_ids import id_text
from vlmexplain.errors import DataError


def is_panoptic(seen: Peek) -> bool:
    """One record an image, with its segments."""
    return "segments_info" in seen.record("annotations")


def is_captions(seen: Peek) -> bool:
    """Annotations that are captions."""
    return "caption" in seen.record("annotations")


def is_instances(seen: Peek) -> bool:
    """Annotations with a category or a box, or none at all under listed categories."""
    record = seen.record("annotations")
    empty = not record and {"annotations", "categories", "images"} <= set(seen.keys)
    return bool({"category_id", "bbox"} & set(record)) or empty


def is_lvis(seen: Peek) -> bool:
    """Instances whose images say which categories were not looked for."""
    images = seen.record("images")
    return is_instances(seen) and ("neg_category_ids" in images or _only_address(images))


def is_images(seen: Peek) -> bool:
    """A COCO file with images and nothing about them."""
    record = seen.record("images")
    return seen.top == "{" and bool({"file_name", "coco_url"} & set(record))


def _only_address(record: dict[str, Any]) -> bool:
    return "file_name" not in record and "coco_url" in record


def take_instances(path: Path, draft: Draft) -> None:
    """Read instances; a stuff file's regions say that something is there, not how many."""
    categories = _take_objects(InstancesFile(path), draft)
    if path.name.startswith("stuff_"):
        draft.instances.take_as_crowds(categories)


def take_panoptic(path: Path, draft: Draft) -> None:
    """Read the segments as objects; those of stuff without a count."""
    file = PanopticFile(path)
    _take_objects(file, draft)
    draft.instances.take_as_crowds(file.stuff)


def take_captions(path: Path, draft: Draft) -> None:
    """Read captions, and the images that the file lists."""
    file = InstancesFile(path)
    _, source = read_coco_captions(
        path,
        draft.log,
        draft.progress,
        records=draft.captions,
        take_other=lambda key, value: file.take(key, value, draft.log),
    )
    draft.sources.append(source)
    _list_images(file, draft)


def take_images(path: Path, draft: Draft) -> None:
    """Read the images that the file lists."""
    file = InstancesFile(path)
    source = read_stream(
        JsonStream(path),
        "images",
        lambda key, value: file.take(key, value, draft.log),
        "COCO images",
        draft.progress,
    )
    draft.sources.append(source)
    _list_images(file, draft)


class PanopticFile(InstancesFile):
    """What a COCO panoptic file says; a segment's id is a colour of its own image only."""

    def __init__(self, path: Path):
        super().__init__(path)
        self.stuff: set[str] = set()

    def _take_annotation(self, value: Any, log: CheckLog) -> None:
        segments = value.get("segments_info") if isinstance(value, dict) else None
        if not isinstance(segments, list):
            super()._take_annotation(value, log)
            return
        for segment in segments:
            if isinstance(segment, dict):
                of_image = {"image_id": value.get("image_id")}
                super()._take_annotation({**segment, **of_image, "id": None}, log)

    def _take_category(self, value: Any, log: CheckLog) -> None:
        super()._take_category(value, log)
        category_id = id_text(value.get("id")) if isinstance(value, dict) else None
        if category_id is not None and value.get("isthing") in (0, False):
            self.stuff.add(category_id)


def _take_objects(file: InstancesFile, draft: Draft) -> list[str]:
    """Read a file with objects; the ids of its categories."""
    file.instances, file.segmentations = draft.instances, draft.segmentations
    _, source = read_instances(file.path, draft.log, draft.progress, file)
    draft.sources.append(source)
    draft.drawn |= file.drawn
    for category_id, category in file.categories.items():
        if category and draft.coco_categories.setdefault(category_id, category) != category:
            other = draft.coco_categories[category_id][0]
            raise DataError(
                f"category {category_id} is {category[0]!r} here and {other!r} in a file beside "
                "it, so the two cannot be one gallery.",
                where=str(file.path),
                remedy="Import the files one by one.",
            )
    _list_images(file, draft)
    synsets = coco_synset_table(None, categories=file.category_names())
    known, categories = draft.coco_meanings, list(file.categories)
    new = {key: value for key, value in file.categories.items() if key not in known}
    file.categories = new
    known.update(file.meanings(synsets, load_wordnet(), draft.log))
    draft.meanings = lambda: known.get
    return categories


def _list_images(file: InstancesFile, draft: Draft) -> None:
    for image in file.listed_images(draft.log).values():
        draft.list_image(image)
