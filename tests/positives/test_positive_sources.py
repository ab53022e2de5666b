"""Sources of positives: what is taken, what is counted, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vlmexplain.cli import main
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, MissingPackage, ReadOnly, StoreError, UnknownName
from vlmexplain.positives import published
from vlmexplain.positives.accepted import gallery_positives, own_pairs
from vlmexplain.positives.store import add_source, list_sources, remove_source, sources_folder
from vlmexplain.positives.summary import gallery_summary
from vlmexplain.ratings.store.fit_marks import FitMark, read_fit_marks, write_fit_mark


def written(folder: Path, content: object, name: str = "mine.json") -> str:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_json_file_is_matched_by_ids(gallery: Gallery, tmp_path: Path) -> None:
    source = written(tmp_path, {"1000": [101, "102"], "1002": [], "77": [101, 999]})
    kept = add_source(gallery, source, now=0.0)
    assert (kept.n_unknown_captions, kept.n_unknown_images) == (1, 1)
    assert "1 of 3 caption ids (77) and 1 of 3 image ids (999)" in kept.unknown
    found = gallery_positives(gallery)
    assert np.flatnonzero(found.listed).tolist() == [0, 2], "a query without a positive is judged"
    assert found.judged(0, 0).standing == "own"
    assert found.judged(0, 1).accepted_by == ("mine.json",)
    assert found.judged(0, 3).standing == "unjudged"
    assert found.n_positives()[[0, 2, 4]].tolist() == [3, 1, 1]
    (one,) = gallery_summary(gallery).sources
    assert (one.n_queries, one.n_positives, one.n_negatives, one.n_disputed) == (2, 2, 0, 0)
    assert one.added == "1970-01-01T00:00:00Z"


def test_contradictions_stay_apart_and_are_shown(gallery: Gallery, tmp_path: Path) -> None:
    rows = ["caption_id,image_id,judgement", "1000,101,1", "1000,102,0", "1000,103,1",
            "1000,103,no", "1000,100,0"]  # fmt: skip
    add_source(gallery, written(tmp_path, "\n".join(rows), "a.csv"), now=1.0)
    add_source(gallery, written(tmp_path, {"1000": [102, 101]}, "b.json"), now=2.0)
    found = gallery_positives(gallery)
    standings = [found.judged(0, image).standing for image in range(5)]
    assert standings == ["own", "accepted", "disputed", "disputed", "unjudged"]
    assert found.judged(0, 1).accepted_by == ("a.csv", "b.json")
    assert found.judged(0, 2).rejected_by == ("a.csv",)
    assert found.judged(0, 0).rejected_by == ("a.csv",), "also against the own image"
    assert found.n_disputed == 3
    alone = gallery_positives(gallery, ["a.csv"])
    assert alone.judged(0, 2).standing == "wrong"


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        ({"1": [2], "3": [4]}, "other.json", "100 % of its ids are unknown"),
        ({"1": [2], "3": [4], "1000": [5]}, "other.json", "another data set"),
        ({"1000": 101}, "x.json", "expected a list"),
        ([], "x.json", "is empty"),
        ("{", "x.json", "is no JSON"),
        ({"1000": [True]}, "x.json", "is no id"),
        ("caption_id,image_id\n1000,101", "x.csv", "has no column judgement"),
        ("caption_id,image_id,judgement\n1000,101,maybe", "x.csv", "line 2"),
    ],
)
def test_bad_files_are_refused(
    gallery: Gallery, tmp_path: Path, content: object, name: str, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        add_source(gallery, written(tmp_path, content, name))
    assert list_sources(gallery.id) == ()


def test_a_part_of_a_data_set_is_taken_when_said(gallery: Gallery, tmp_path: Path) -> None:
    source = written(tmp_path, {"1": [2], "3": [4], "1000": [5, 101]})
    with pytest.raises(DataError, match="--partly"):
        add_source(gallery, source)
    assert add_source(gallery, source, partly=True).n_unknown_captions == 2
    with pytest.raises(DataError, match="another data set"):
        add_source(gallery, written(tmp_path, {"1": [2]}, "none.json"), partly=True)


def test_sources_are_replaced_and_removed_by_name(gallery: Gallery, tmp_path: Path) -> None:
    source = written(tmp_path, {"1000": [101]})
    add_source(gallery, source)
    written(tmp_path, {"1000": [101, 102]})
    add_source(gallery, source)
    assert gallery_positives(gallery).n_positives()[0] == 3
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(DataError, match=r"another source of the name 'mine\.json'"):
        add_source(gallery, written(other, {"1000": [105]}))
    with pytest.raises(UnknownName, match=r"Did you mean 'mine\.json'"):
        remove_source(gallery, "mine.jsn")
    assert remove_source(gallery, source).name == "mine.json"
    assert list_sources(gallery.id) == ()


def test_a_damaged_source_is_said(gallery: Gallery, tmp_path: Path) -> None:
    add_source(gallery, written(tmp_path, {"1000": [101]}))
    (path,) = sources_folder(gallery.id).glob("*/judgements.npz")
    path.write_bytes(b"nothing")
    with pytest.raises(StoreError, match="missing or damaged"):
        gallery_positives(gallery)
    (one,) = gallery_summary(gallery).sources
    assert "missing or damaged" in one.unreadable


def test_marks_are_read_as_they_are_made(gallery: Gallery) -> None:
    assert read_fit_marks(gallery.id) == ()
    add_source(gallery, "marks")
    write_fit_mark(gallery.id, 3, 7, True, "  Ada   L. ", now=5.0)
    write_fit_mark(gallery.id, 3, 8, False)
    assert read_fit_marks(gallery.id)[0] == FitMark(3, 7, True, "Ada L.", 5.0)
    found = gallery_positives(gallery)
    assert found.judged(3, 7).accepted_by == ("marks",)
    assert found.judged(3, 8).standing == "wrong"
    assert not found.listed.any(), "marks are met by chance: no figure is over them"
    write_fit_mark(gallery.id, 3, 7, None)
    assert gallery_positives(gallery).judged(3, 7).standing == "unjudged"


def test_own_images_are_those_of_the_same_caption(gallery: Gallery) -> None:
    captions, images = own_pairs(gallery)
    texts = gallery.captions_table.column("text").to_pylist()
    of = gallery.image_of_caption
    expected = {(q, int(of[p])) for q in range(len(texts)) for p in range(len(texts))
                if texts[p] == texts[q]}  # fmt: skip
    assert set(zip(captions.tolist(), images.tolist(), strict=True)) == expected
    assert len(expected) > gallery.n_captions, "a caption of two images has both"


def test_a_read_only_server_takes_none(
    gallery: Gallery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = written(tmp_path, {"1000": [101]})
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    with pytest.raises(ReadOnly):
        add_source(gallery, source)
    with pytest.raises(ReadOnly):
        write_fit_mark(gallery.id, 0, 1, True)


def test_the_package_is_asked_for_by_name(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "MODULE", "no_such_module_here")
    with pytest.raises(MissingPackage, match="pip install eccv-caption"):
        add_source(gallery, "eccv-caption")


def test_the_commands(gallery: Gallery, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, {"1000": [101, 999]})
    assert main(["positives", gallery.name, "add", source]) == 0
    assert "1 positives beyond the own images" in capsys.readouterr().out
    assert main(["positives", gallery.name, "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["judged_queries"] == 1 and listed["sources"][0]["source"] == "mine.json"
    assert listed["sources"][0]["unknown_images"] == 1
    assert main(["positives", gallery.name, "remove", "mine.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == "mine.json"
    assert main(["positives", gallery.name, "add", "nothing"]) == 1
    assert "unknown source of positives 'nothing'" in capsys.readouterr().err
