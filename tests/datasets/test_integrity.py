"""A gallery that is not, bit by bit, what was imported is noticed, and an import mends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from handmade import coco_files, encoded, picture

from vlmexplain.cli import main
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_concepts import path_length_blocks
from vlmexplain.datasets.integrity import damaged_pictures, damaged_tables

Write = Callable[..., tuple[Path, Path, Path]]
TABLES = ("images", "captions", "instances", "concepts")


@pytest.fixture
def files(coco_folder: Write) -> tuple[Path, Path, Path]:
    return coco_folder(*coco_files(3))


@pytest.fixture
def small(fresh_home: Path, files: tuple[Path, Path, Path]) -> Gallery:
    return import_coco(*files, name="small")


def tables_of(gallery: Gallery) -> list[str]:
    fresh = open_gallery(gallery.id)
    return [Path(damage.where).name for damage in damaged_tables(fresh, load_wordnet())]


def flip(path: Path, place: int, bit: int = 0) -> None:
    """Change one bit; the file keeps its length."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.with_name("flipped").write_bytes(content)  # a file of its own: the old one is mapped
    path.with_name("flipped").replace(path)


def values(path: Path) -> object:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all().to_pydict()


def test_a_gallery_as_imported_has_no_damage(small: Gallery) -> None:
    assert tables_of(small) == [] and list(damaged_pictures(small)) == []


@pytest.mark.parametrize("name", TABLES)
def test_each_bit_of_a_value_counts(small: Gallery, name: str) -> None:
    path = small.folder / f"{name}.arrow"
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    before, noticed = repr(values(path)), 0
    for place in rng.permutation(len(whole))[:60].tolist():
        flip(path, place, int(rng.integers(8)))
        found = tables_of(small)
        noticed += bool(found)
        if not found:  # a gap between columns, or the file's own book-keeping
            assert repr(values(path)) == before
        path.unlink()
        path.write_bytes(whole)
    assert noticed > 20


def test_a_wrong_gloss_and_a_wrong_path_are_noticed(small: Gallery) -> None:
    path = small.folder / "concepts.arrow"
    gloss = small.concepts_table.column("gloss")[0].as_py().encode()
    flip(path, path.read_bytes().index(gloss))
    flip(small.folder / "path_lengths.npy", -1)
    assert tables_of(small) == ["concepts.arrow", "path_lengths.npy"]


def test_an_import_mends_a_flipped_bit(small: Gallery, files: tuple[Path, Path, Path]) -> None:
    path = small.folder / "captions.arrow"
    first = small.caption(0).text
    flip(path, path.read_bytes().index(first.encode()))
    assert open_gallery("small").caption(0).text != first
    mended = import_coco(*files, name="small")
    assert mended.id == small.id and mended.caption(0).text == first
    assert tables_of(mended) == []


def test_pictures_are_compared_with_what_was_imported(small: Gallery) -> None:
    first, second, _ = sorted(small.images_folder.iterdir())
    first.write_bytes(encoded(picture(seed=99), "PNG"))
    second.unlink()
    found = list(damaged_pictures(small))
    assert [damage.code for damage in found] == ["image-changed", "image-missing"]
    assert all(
        path.name in damage.where and f"(image {n})" in damage.where
        for n, (path, damage) in enumerate(zip((first, second), found, strict=True), start=1)
    )


def test_the_command_says_what_changed(small: Gallery, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gallery", "check", "small"]) == 0
    assert capsys.readouterr().out == "small: every file, and 3 pictures, as imported\n"
    sorted(small.images_folder.iterdir())[2].unlink()
    assert main(["gallery", "check", "small", "--json"]) == 1
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert document["pictures_compared"] == 3
    assert [damage["code"] for damage in document["damages"]] == ["image-missing"]
    assert "import the data again" in told.err
    flip(small.folder / "path_lengths.npy", -1)
    assert main(["gallery", "check", "small"]) == 1
    assert "path_lengths.npy: not the paths of WordNet" in capsys.readouterr().out


def test_blocks_of_paths_are_the_whole_table(
    small: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vlmexplain.datasets.gallery_concepts._ROWS", 2)
    names = ["ball.n.01", "dog.n.01", "quickly.r.01", "cat.n.01", "run.v.01"]
    blocks = list(path_length_blocks(names, load_wordnet()))
    assert [start for start, _ in blocks] == [0, 2, 4]
    naive = [
        [255 if n < 0 else n for n in row] for row in load_wordnet().path_lengths(names, names)
    ]
    assert np.concatenate([block for _, block in blocks]).tolist() == naive
