"""Slices under names: kept whole, renamed, deleted, refused; and the captions that they hold."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import write_world

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.coco import import_coco
from vlmexplain.errors import DataError, ReadOnly, StoreError, UnknownName
from vlmexplain.overview.gallery_facts import gallery_facts, groups_above
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.saved_slices import (
    LONGEST_NAME,
    SavedSlice,
    captions_of_slice,
    delete_slice,
    find_slice,
    list_slices,
    rename_slice,
    save_slice,
    slice_parts,
    slices_file,
)
from vlmexplain.overview.slices import Slice, chosen_rows
from vlmexplain.scoring.run import run

DOGS = Slice(concept="dog.n.01", words_from=3)
MANY = Slice(objects_from=2, objects_to=7)
HOSTILE = "<b>dogs</b> $5 :balloon: ../../x 红"


@pytest.fixture
def gallery(fresh_home: Path, tmp_path: Path) -> Any:
    return import_coco(**write_world(tmp_path / "world"), name="made")


def test_saved_listed_renamed_deleted(gallery: Any) -> None:
    assert list_slices(gallery.id) == ()
    save_slice(gallery, "  many   things ", MANY)
    save_slice(gallery, HOSTILE, DOGS)
    assert list_slices(gallery.id) == (
        SavedSlice(HOSTILE, DOGS),
        SavedSlice("many things", MANY),
    )
    assert find_slice(gallery.id, "many things").slice == MANY
    assert rename_slice(gallery.id, "many things", "Crowded").slice == MANY
    assert [each.name for each in list_slices(gallery.id)] == [HOSTILE, "Crowded"]
    delete_slice(gallery.id, HOSTILE)
    assert [each.name for each in list_slices(gallery.id)] == ["Crowded"]
    assert list_slices("0" * 64) == ()


def test_what_is_refused(gallery: Any) -> None:
    save_slice(gallery, "dogs", DOGS)
    save_slice(gallery, "dogs", DOGS)  # the same again changes nothing
    with pytest.raises(DataError, match="saved already"):
        save_slice(gallery, "dogs", MANY)
    assert save_slice(gallery, "dogs", MANY, replace=True).slice == MANY
    save_slice(gallery, "other", DOGS)
    with pytest.raises(DataError, match="saved already"):
        rename_slice(gallery.id, "other", "dogs")
    for name in ("", "   ", "x" * (LONGEST_NAME + 1), "a\x00b"):
        with pytest.raises(DataError, match="expected 1 to"):
            save_slice(gallery, name, DOGS)
    with pytest.raises(DataError, match="all queries"):
        save_slice(gallery, "all", Slice())
    for forbidden in (
        lambda: find_slice(gallery.id, "dog"),
        lambda: rename_slice(gallery.id, "dog", "x"),
        lambda: delete_slice(gallery.id, "dog"),
    ):
        with pytest.raises(UnknownName, match="Did you mean 'dogs'"):
            forbidden()
    assert [each.name for each in list_slices(gallery.id)] == ["dogs", "other"]


def test_read_only_refuses_every_change(gallery: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    save_slice(gallery, "dogs", DOGS)
    before = slices_file(gallery.id).read_bytes()
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    for change in (
        lambda: save_slice(gallery, "more", MANY),
        lambda: save_slice(gallery, "dogs", MANY, replace=True),
        lambda: rename_slice(gallery.id, "dogs", "cats"),
        lambda: delete_slice(gallery.id, "dogs"),
    ):
        with pytest.raises(ReadOnly):
            change()
    assert slices_file(gallery.id).read_bytes() == before
    assert find_slice(gallery.id, "dogs").slice == DOGS


def test_many_at_once_lose_nothing(gallery: Any) -> None:
    names = [f"slice {n}" for n in range(12)]
    threads = [threading.Thread(target=save_slice, args=(gallery, n, DOGS)) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.name for each in list_slices(gallery.id)) == sorted(names)


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"slices": []}', '{"slices": {"a": {"nothing": 1}}}',
     '{"slices": {"a": {"words_from": "3"}}}', '{"slices": {"a": {"concept": 3}}}',
     '{"slices": {"a": {"objects_to": true}}}'],
)  # fmt: skip
def test_a_damaged_file_is_said_and_kept(gallery: Any, content: str) -> None:
    save_slice(gallery, "dogs", DOGS)
    path = slices_file(gallery.id)
    path.write_text(content)
    for use in (lambda: list_slices(gallery.id), lambda: save_slice(gallery, "x", MANY)):
        with pytest.raises(StoreError, match="damaged"):
            use()
    assert path.read_text() == content


def test_captions_are_those_that_a_run_counts(gallery: Any) -> None:
    columns, facts = read_columns(run(gallery, "fake")), gallery_facts(gallery)
    groups = groups_above(facts.concepts, load_wordnet().hypernym_closure)
    asked = [DOGS, MANY, Slice(words_to=4), Slice(words_from=99), Slice(objects_to=0),
             *(Slice(above=name) for name in groups)]  # fmt: skip
    sizes = set()
    for each in asked:
        expected = np.flatnonzero(chosen_rows(columns, facts, each, groups))
        found = captions_of_slice(gallery, each, load_wordnet())
        assert found.dtype == np.int64
        assert found.tolist() == expected.tolist()
        assert captions_of_slice(gallery, each, load_wordnet(), facts).tolist() == found.tolist()
        sizes.add(len(found))
    assert len(sizes) > 3 and 0 in sizes
    with pytest.raises(UnknownName, match="concept"):
        captions_of_slice(gallery, Slice(concept="dogs.n.01"), load_wordnet())


def test_the_file_says_only_what_is_asked(gallery: Any) -> None:
    save_slice(gallery, "dogs", DOGS)
    kept = json.loads(slices_file(gallery.id).read_bytes())
    assert kept == {"format": 1, "slices": {"dogs": slice_parts(DOGS)}}


@pytest.mark.parametrize(
    "bad", [Slice(words_from=-5), Slice(objects_to=-1), Slice(concept="\ud800")]
)
def test_a_slice_that_could_not_be_read_again_is_refused(gallery: Any, bad: Slice) -> None:
    save_slice(gallery, "dogs", DOGS)
    with pytest.raises(DataError, match="cannot be kept"):
        save_slice(gallery, "bad", bad)
    assert [each.name for each in list_slices(gallery.id)] == ["dogs"], "the others are there"
