"""A small gallery made by hand, with pictures of one colour each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

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
from vlmexplain.datasets.images import inspect_picture

SYNSETS = ["dog.n.01", "cat.n.01", "zebra.n.01", "frisbee.n.01", "tree.n.01", "person.n.01"]
MakeGallery = Callable[..., Gallery]


@pytest.fixture
def make_gallery(fresh_home: Path, tmp_path: Path) -> MakeGallery:
    """``make_gallery(captions, colours=None, concepts=None, name="made")``.

    captions: for each image, its captions. colours: for each image (equal colours are equal
    files). concepts: for each image, the places in `SYNSETS` of its objects.
    """

    def make(
        captions: Sequence[Sequence[str]],
        colours: Sequence[tuple[int, int, int]] | None = None,
        concepts: Sequence[Sequence[int]] | None = None,
        name: str = "made",
    ) -> Gallery:
        n = len(captions)
        rng = np.random.default_rng(n)
        if colours is None:
            colours = [tuple(c) for c in rng.permutation(256 * 256)[:n, None] % [256, 255, 253]]
        if concepts is None:
            concepts = [rng.integers(len(SYNSETS), size=rng.integers(6)).tolist() for _ in captions]
        folder = tmp_path / f"pictures-{name}"
        folder.mkdir(exist_ok=True)
        files = [f"{i:04d}.png" for i in range(n)]
        for file, colour in zip(files, colours, strict=True):
            Image.new("RGB", (40, 30), tuple(int(c) for c in colour)).save(folder / file)
        columns = GalleryColumns(
            _images(folder, files), _captions(captions), _instances(concepts, rng)
        )
        gallery_id = write_gallery(
            columns,
            name=name,
            images_folder=folder,
            summary=ImportSummary((), ()),
            wordnet=load_wordnet(),
        )
        return open_gallery(gallery_id)

    return make


def _images(folder: Path, files: list[str]) -> ImageColumns:
    n = len(files)
    return ImageColumns(
        image_id=[str(i) for i in range(n)],
        file_name=files,
        width_px=np.full(n, 40, dtype=np.int32),
        height_px=np.full(n, 30, dtype=np.int32),
        orientation=np.ones(n, dtype=np.int8),
        content_sha256=[inspect_picture(folder, file).content_sha256 for file in files],
        licence=[""] * n,
        licence_url=[""] * n,
        source_url=[""] * n,
        coco_url=[""] * n,
        coco_id=[None] * n,
    )


def _captions(captions: Sequence[Sequence[str]]) -> CaptionColumns:
    rows = [(image, text) for image, texts in enumerate(captions) for text in texts]
    return CaptionColumns(
        image_index=np.array([image for image, _ in rows], dtype=np.int32),
        caption_id=[str(i) for i in range(len(rows))],
        text=[text for _, text in rows],
    )


def _instances(concepts: Sequence[Sequence[int]], rng: np.random.Generator) -> InstanceColumns:
    rows = [(image, code) for image, codes in enumerate(concepts) for code in codes]
    n = len(rows)
    box = np.concatenate((rng.uniform(0, 15, (n, 2)), rng.uniform(1, 15, (n, 2))), axis=1)
    return InstanceColumns(
        image_index=np.array([image for image, _ in rows], dtype=np.int32),
        synset_code=np.array([code for _, code in rows], dtype=np.int32),
        name_code=np.array([code for _, code in rows], dtype=np.int32),
        box=box,
        crowd=rng.random(n) < 0.1,
        instance_id=np.arange(n, dtype=np.int64),
        flags=np.zeros(n, dtype=np.int32),
        synsets=SYNSETS,
        names=[name.partition(".")[0] for name in SYNSETS],
    )


@pytest.fixture
def gallery(make_gallery: MakeGallery) -> Gallery:
    """30 images, two captions each but for three without any; some captions occur twice."""
    rng = np.random.default_rng(3)
    words = ["dog", "cat", "zebra", "frisbee", "tree", "man", "red", "big", "runs", "sits"]
    captions = [[" ".join(rng.choice(words, size=4)) for _ in range(2)] for _ in range(30)]
    captions[4] = captions[17] = captions[29] = []
    captions[8][0] = captions[9][1] = captions[21][0] = "A dog and a cat"
    return make_gallery(captions)
