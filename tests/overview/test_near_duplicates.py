"""Pictures that look nearly the same: the hash, the pairs against brute force, the job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageFilter

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import write_world

from vlmexplain.datasets.coco import import_coco
from vlmexplain.errors import Cancelled, ReadOnly, StoreError
from vlmexplain.overview import near_duplicates
from vlmexplain.overview.near_duplicates import (
    HASHED,
    PLAIN,
    UNREADABLE,
    WAITING,
    PictureHashes,
    difference_hash,
    hash_pictures,
    hashes_file,
    near_groups,
    near_pairs,
    read_hashes,
)
from vlmexplain.records import Progress


def scene(seed: int) -> Image.Image:
    """A picture of soft random blobs."""
    noise = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    return Image.fromarray(noise).resize((320, 240), Image.Resampling.BICUBIC)


def bits_apart(one: Image.Image, other: Image.Image) -> int:
    left, right = difference_hash(one), difference_hash(other)
    assert left is not None and right is not None
    return (left ^ right).bit_count()


def test_the_hash_stays_with_the_picture_and_tells_others_apart() -> None:
    for seed in range(8):
        picture = scene(seed)
        changed = [
            picture.resize((200, 150)),
            picture.filter(ImageFilter.GaussianBlur(1)),
            ImageEnhance.Brightness(picture).enhance(0.9),
        ]
        assert all(bits_apart(picture, each) <= near_duplicates.MOST_BITS for each in changed)
        assert bits_apart(picture, scene(seed + 100)) > 12


def test_a_plain_picture_has_no_hash() -> None:
    assert difference_hash(Image.new("RGB", (64, 64), (3, 200, 9))) is None
    grey = np.tile(np.arange(64, dtype=np.uint8) * 4, (64, 1))
    assert difference_hash(Image.fromarray(grey)) == 2**64 - 1


def brute(found: PictureHashes, most: int) -> list[list[int]]:
    n = len(found.hashes)
    known = found.state == HASHED
    return [
        [i, j]
        for i in range(n)
        for j in range(i + 1, n)
        if known[i] and known[j]
        and (int(found.hashes[i]) ^ int(found.hashes[j])).bit_count() <= most
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [0, 1, 3, 6])
def test_pairs_equal_those_of_brute_force(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2**64, 30, dtype=np.uint64)
    hashes = np.concatenate([base, base[rng.integers(0, 30, 50)]])
    for row in range(30, 80):  # a few bits are turned, more than allowed in some
        for bit in rng.integers(0, 64, rng.integers(0, 8)).tolist():
            hashes[row] ^= np.uint64(1 << bit)
    state = np.where(rng.random(80) < 0.9, HASHED, UNREADABLE).astype(np.uint8)
    found = PictureHashes(hashes, state)
    expected = brute(found, most)
    assert near_pairs(found, most).tolist() == expected
    groups = near_groups(found, most)
    in_pairs = {i for pair in expected for i in pair}
    assert set(np.flatnonzero(groups >= 0).tolist()) == in_pairs
    assert all(groups[i] == groups[j] for i, j in expected)
    assert expected or most == 0


def test_no_picture_at_all() -> None:
    nothing = PictureHashes(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint8))
    assert near_pairs(nothing).tolist() == [] and near_groups(nothing).tolist() == []
    assert nothing.complete


@pytest.fixture
def gallery(fresh_home: Path, tmp_path: Path) -> Any:
    """Eight pictures: the second is the first, a little smaller and darker; one is gone."""
    files = write_world(tmp_path / "world")
    for number in range(1, 9):
        scene(number).save(files["images"] / f"{number}.png")
    ImageEnhance.Brightness(scene(1)).enhance(0.95).save(files["images"] / "2.png")
    Image.new("RGB", (64, 64), "green").save(files["images"] / "4.png")
    made = import_coco(**files, name="made")
    (files["images"] / "3.png").unlink()
    return made


def test_hashed_in_steps_kept_when_stopped(
    gallery: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(near_duplicates.os, "cpu_count", lambda: 1)  # four pictures at a time
    assert read_hashes(gallery).count(WAITING) == 8

    def stop(progress: Progress) -> None:
        assert progress.total == 8
        if progress.done >= 4:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        hash_pictures(gallery, stop)
    assert read_hashes(gallery).count(WAITING) == 4
    seen: list[int] = []
    found = hash_pictures(gallery, lambda progress: seen.append(progress.done))
    assert seen == [4, 8]
    assert found.complete
    assert found.state.tolist() == [HASHED, HASHED, UNREADABLE, PLAIN, *[HASHED] * 4]
    groups = near_groups(found)
    assert groups[0] == groups[1] >= 0
    assert (np.delete(groups, [0, 1]) == -1).all()
    again = read_hashes(gallery)
    assert again.hashes.tolist() == found.hashes.tolist()


def test_read_only_and_damage_are_said(gallery: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    with pytest.raises(ReadOnly):
        hash_pictures(gallery)
    assert not hashes_file(gallery.id).exists()
    monkeypatch.delenv("VLMEXPLAIN_READONLY")
    hash_pictures(gallery)
    hashes_file(gallery.id).write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(StoreError, match="damaged"):
        read_hashes(gallery)
