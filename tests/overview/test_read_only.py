"""Read-only mode: every write is refused, also by a direct call, and every read still works."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import write_world

from vlmexplain import kept, storage
from vlmexplain.cli import main
from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.datasets.relocation import relocate_gallery
from vlmexplain.errors import ReadOnly
from vlmexplain.explain import explain_query
from vlmexplain.handover.failures import collect_failures
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.overview.gallery_table import gallery_table
from vlmexplain.overview.marks import mark, read_marks
from vlmexplain.overview.near_duplicates import hash_pictures
from vlmexplain.overview.saved_slices import delete_slice, find_slice, rename_slice, save_slice
from vlmexplain.overview.slices import Slice
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import RUNS, open_run


def tree(home: Path) -> dict[str, str]:
    files = (p for p in home.rglob("*") if p.is_file() and not p.name.endswith(".lock"))
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture
def shown(fresh_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A home with a gallery and a run, then served read-only."""
    files = write_world(tmp_path / "world")
    gallery = import_coco(**files, name="made")
    finished = run(gallery, "fake")
    mark(gallery, 0, "fine")
    save_slice(gallery, "dogs", Slice(concept="dog.n.01"))
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    return fresh_home, files, gallery, finished


def scratch(target: Path) -> None:
    with storage.publish_folder(target):
        raise AssertionError("not refused")


def hold(target: Path) -> None:
    with storage.locked(target):
        raise AssertionError("not refused")


def test_every_write_is_refused(shown: Any) -> None:
    home, files, gallery, finished = shown
    before = tree(home)
    writers: dict[str, Callable[[], object]] = {
        "import": lambda: import_coco(**{**files, "synset_table": None}, name="other"),
        "run": lambda: run(gallery, "fake", k=3),
        "run of another model": lambda: run(gallery, "fake-text"),
        "lgip": lambda: run_lgip(gallery, "fake"),
        "relocate": lambda: relocate_gallery("made", files["images"]),
        "mark": lambda: mark(gallery, 1, "fine"),
        "take a mark away": lambda: mark(gallery, 0, None),
        "save a slice": lambda: save_slice(gallery, "cats", Slice(concept="cat.n.01")),
        "rename a slice": lambda: rename_slice(gallery.id, "dogs", "x"),
        "delete a slice": lambda: delete_slice(gallery.id, "dogs"),
        "look at pictures": lambda: hash_pictures(gallery),
        "remove a run": lambda: kept.remove_kept(RUNS, finished.key),
        "prune": lambda: kept.prune(),
        "folder": lambda: scratch(home / "runs" / "x"),
        "file": lambda: storage.write_file(home / "x", b""),
        "lock": lambda: hold(home / "runs" / "x"),
        "sweep": lambda: storage.sweep_partial(home / "runs"),
    }
    for name, write in writers.items():
        with pytest.raises(ReadOnly, match="read-only"):
            write()
        assert tree(home) == before, name


def test_reading_goes_on(shown: Any, tmp_path: Path) -> None:
    _, _, gallery, finished = shown
    assert open_gallery("made").id == gallery.id
    assert run(gallery, "fake").key == finished.key  # the same again is a read
    assert explain_query(gallery, open_run(finished.key), 0).query
    assert gallery_table(gallery.id).rows
    assert collect_failures(gallery, finished, [0])
    assert read_marks(gallery.id) == {0: "fine"}
    assert find_slice(gallery.id, "dogs").slice == Slice(concept="dog.n.01")
    assert kept.list_kept()
    assert kept.prune(dry_run=True) == []
    assert main(["handover", "--run", finished.key, "--query", "0",
                 "--out", str(tmp_path / "out.html")]) == 0  # fmt: skip


def test_command_says_what_to_do(shown: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--gallery", "made", "--model", "fake-text"]) == 1
    assert "VLMEXPLAIN_READONLY" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["", "0"])
def test_off(fresh_home: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("VLMEXPLAIN_READONLY", value)
    storage.write_file(fresh_home / "x", b"y")
    assert (fresh_home / "x").read_bytes() == b"y"
