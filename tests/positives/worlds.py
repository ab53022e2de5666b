"""A gallery of captions without pictures, ranked by captions alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.checks import ImportSummary
from vlmexplain.datasets.columns import (
    CaptionColumns,
    GalleryColumns,
    ImageColumns,
    InstanceColumns,
)
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_writer import write_gallery


def captions_gallery(
    captions: Mapping[str, Sequence[tuple[str, str]]], folder: Path, name: str = "captions"
) -> Gallery:
    """A gallery of images that are only their captions: image id -> (caption id, text)."""
    ids = list(captions)
    rows = [(n, *row) for n, image in enumerate(ids) for row in captions[image]]
    n = len(ids)
    columns = GalleryColumns(
        ImageColumns(
            image_id=ids,
            file_name=[f"{image}.jpg" for image in ids],
            width_px=np.full(n, 640, dtype=np.int32),
            height_px=np.full(n, 480, dtype=np.int32),
            orientation=np.ones(n, dtype=np.int8),
            content_sha256=[f"{number:064x}" for number in range(n)],
            licence=[""] * n,
            licence_url=[""] * n,
            source_url=[""] * n,
            coco_url=[""] * n,
            coco_id=[int(image) if image.isdigit() else None for image in ids],
        ),
        CaptionColumns(
            image_index=np.array([row[0] for row in rows], dtype=np.int32),
            caption_id=[row[1] for row in rows],
            text=[row[2] for row in rows],
        ),
        InstanceColumns(
            image_index=np.empty(0, dtype=np.int32),
            synset_code=np.empty(0, dtype=np.int32),
            name_code=np.empty(0, dtype=np.int32),
            box=np.empty((0, 4)),
            crowd=np.empty(0, dtype=bool),
            instance_id=np.empty(0, dtype=np.int64),
            flags=np.empty(0, dtype=np.int32),
            synsets=[],
            names=[],
        ),
    )
    gallery_id = write_gallery(
        columns,
        name=name,
        images_folder=folder,
        summary=ImportSummary((), ()),
        wordnet=load_wordnet(),
    )
    return open_gallery(gallery_id)


def coco_captions(path: Path, images: set[int]) -> dict[str, list[tuple[str, str]]]:
    """The captions of some images of a COCO captions file, by image id."""
    found: dict[str, list[tuple[str, str]]] = {str(image): [] for image in sorted(images)}
    for one in json.loads(path.read_bytes())["annotations"]:
        if one["image_id"] in images:
            found[str(one["image_id"])].append((str(one["id"]), one["caption"]))
    return found
