"""Masks of objects: from segmentations as annotated to pixels of the shown picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade import BALL, HEIGHT, WIDTH, coco_files, encoded, exif_bytes, picture
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_manifest import read_manifest, write_manifest
from vlmexplain.datasets.integrity import damaged_tables
from vlmexplain.datasets.masks import (
    mask_of_run_lengths,
    pack_run_lengths,
    polygon_mask,
    read_segmentation,
    run_lengths_mask,
)

Write = Callable[..., tuple[Path, Path, Path]]
X, Y, W, H = BALL
RING = [X, Y, X + W, Y, X + W, Y + H, X, Y + H]


def ball_mask(width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    mask = np.zeros((height, width), bool)
    mask[Y : Y + H, X : X + W] = True
    return mask


def counts(mask: np.ndarray) -> dict[str, Any]:
    """Run lengths by hand: column by column, background first."""
    flat, found, value = mask.T.ravel().tolist(), [0], False
    for pixel in flat:
        if pixel != value:
            found.append(0)
            value = pixel
        found[-1] += 1
    return {"size": list(mask.shape), "counts": found}


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40))
def test_run_lengths_both_ways(seed: int, height: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    mask = rng.random((height, width)) < rng.choice([0, 0.05, 0.5, 1])
    packed = pack_run_lengths(mask)
    assert np.array_equal(run_lengths_mask(packed, width, height), mask)
    for written in (counts(mask), {"size": [height, width], "counts": packed.decode()}):
        read = read_segmentation(written)
        assert isinstance(read, dict) and read == counts(mask)
        assert np.array_equal(mask_of_run_lengths(read), mask)


@pytest.mark.parametrize(
    "value",
    [
        [], [[]], [[1, 2, 3, 4]], [[1, 2, 3, 4, 5, 6, 7]], [[1, 2, 3, 4, 5, "6"]], [RING, None],
        [[1, 2, 3, 4, 5, float("nan")]], [[1, 2, 3, 4, 5, 1e9]], [[1, 2, 3, 4, 5, True]], "x", 3,
        {}, {"size": [2, 2]}, {"size": [2, 2], "counts": [1, 2]}, {"size": [2], "counts": [2]},
        {"size": [2, 2], "counts": [5, -1]}, {"size": [0, 2], "counts": []},
        {"size": [2, 2], "counts": "abc"}, {"size": [2, 2], "counts": "\N{EURO SIGN}"},
        {"size": [10**6, 10**6], "counts": [10**12]}, {"size": [2, 2], "counts": [2.0, 2]},
    ],
)  # fmt: skip
def test_what_is_no_segmentation(value: Any) -> None:
    assert read_segmentation(value) is None


def imported(coco_folder: Write, segmentation: Any, content: bytes | None = None) -> Gallery:
    instances, captions, files = coco_files(2)
    instances["annotations"][0]["segmentation"] = segmentation
    name = instances["images"][0]["file_name"]
    paths = coco_folder(instances, captions, files | ({name: content} if content else {}))
    return import_coco(*paths, name="small")


@pytest.mark.parametrize("segmentation", [[RING], counts(ball_mask())])
def test_a_mask_of_either_form(coco_folder: Write, fresh_home: Path, segmentation: Any) -> None:
    gallery = imported(coco_folder, segmentation)
    found = gallery.mask(0)
    assert found is not None and np.array_equal(found, ball_mask())
    assert gallery.mask(1) is None  # annotated without one
    assert gallery.checks().count("mask-unusable") == 0


@pytest.mark.parametrize("segmentation", [[RING], counts(ball_mask())])
def test_a_mask_is_turned_and_scaled_with_its_picture(
    coco_folder: Write, fresh_home: Path, segmentation: Any
) -> None:
    twice = picture().resize((2 * WIDTH, 2 * HEIGHT))
    content = encoded(twice, "PNG", exif=exif_bytes(6))
    found = imported(coco_folder, segmentation, content).mask(0)
    # Twice as large, then a quarter turn clockwise.
    wanted = np.rot90(np.kron(ball_mask(), np.ones((2, 2), bool)), -1)
    assert found is not None and np.array_equal(found, wanted)


def test_what_cannot_be_drawn_is_flagged(coco_folder: Write, fresh_home: Path) -> None:
    gallery = imported(coco_folder, [[1, 2, 3]])
    assert gallery.checks().count("mask-unusable") == 1 and gallery.n_instances == 2
    assert gallery.mask(0) is None and gallery.masks_table is None


def test_two_objects_with_one_id_have_no_mask(coco_folder: Write, fresh_home: Path) -> None:
    instances, captions, files = coco_files(2)
    for one in instances["annotations"]:
        one |= {"id": 7, "segmentation": [RING]}
    gallery = import_coco(*coco_folder(instances, captions, files), name="small")
    assert gallery.n_instances == 2 and gallery.mask(0) is None and gallery.mask(1) is None


def test_a_gallery_from_before_opens_and_gains_masks(coco_folder: Write, fresh_home: Path) -> None:
    gallery = imported(coco_folder, [[*RING]])
    path = gallery.folder / "masks.arrow"
    path.unlink()
    manifest = json.loads((gallery.folder / "manifest.json").read_text())
    del manifest["masks_sha256"]
    (gallery.folder / "manifest.json").write_text(json.dumps(manifest))
    assert open_gallery(gallery.id).mask(0) is None
    again = imported(coco_folder, [[*RING]])
    assert again.id == gallery.id and again.mask(0) is not None


def test_damaged_masks_are_noticed(coco_folder: Write, fresh_home: Path) -> None:
    gallery = imported(coco_folder, [RING])
    assert not list(damaged_tables(gallery, load_wordnet()))
    write_manifest(gallery.folder, replace(read_manifest(gallery.folder), masks_sha256="0" * 64))
    (found,) = damaged_tables(open_gallery(gallery.id), load_wordnet())
    assert Path(found.where).name == "masks.arrow"
    (gallery.folder / "masks.arrow").unlink()
    assert len(list(damaged_tables(open_gallery(gallery.id), load_wordnet()))) == 1
    mended = imported(coco_folder, [RING])
    assert not list(damaged_tables(mended, load_wordnet())) and mended.mask(0) is not None


def test_masks_of_photos_are_pycocotools(shared: Path, fresh_home: Path) -> None:
    data = shared / "data" / "coco"
    if not data.is_dir():
        pytest.skip("needs ../shared/data, which is not here")
    files = [data / "annotations" / f"{kind}_val2017.json" for kind in ("instances", "captions")]
    gallery = import_coco(*files, data / "images", name="photos", verify="header")
    reference = COCO(str(files[0]))
    ids = gallery.instances_table.column("instance_id").to_pylist()
    crowd = np.flatnonzero(gallery.instances_table.column("crowd").to_numpy(zero_copy_only=False))
    for row in sorted({*range(0, len(ids), 15), *crowd.tolist()}):
        wanted = reference.annToMask(reference.anns[ids[row]]).astype(bool)
        found = gallery.mask(row)
        assert found is not None and np.array_equal(found, wanted), row


def test_rings_of_one_object_are_joined() -> None:
    other = [40, 5, 44, 5, 44, 9, 40, 9]
    joined = polygon_mask([RING, other], WIDTH, HEIGHT)
    assert joined.sum() == ball_mask().sum() + 16 and joined[6, 41]
    area = coco_mask.area(coco_mask.frPyObjects([RING], HEIGHT, WIDTH)[0])
    assert polygon_mask([RING], WIDTH, HEIGHT).sum() == area == W * H
