"""What is kept is listed, and only what nobody needs goes."""

from __future__ import annotations

import shutil

import pytest

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import Cancelled, StoreError, UnknownName
from vlmexplain.records import Progress
from vlmexplain.scoring.cache import list_cache, prune, remove_run
from vlmexplain.scoring.run import list_runs, run, runs_folder
from vlmexplain.storage import PARTIAL_PREFIX, home, locked


def kinds() -> list[tuple[str, bool]]:
    return sorted((entry.kind, entry.needed) for entry in list_cache())


def stop_at_images(progress: Progress) -> None:
    if progress.stage == "embed images":
        raise Cancelled("stopped")


def test_everything_is_listed_and_needed(gallery: Gallery) -> None:
    finished = run(gallery, "fake")
    assert kinds() == [
        ("embeddings", True),
        ("embeddings", True),
        ("galleries", True),
        ("runs", True),
    ]
    by_kind = {entry.kind: entry for entry in list_cache()}
    files = [path for path in finished.folder.iterdir() if path.is_file()]
    assert by_kind["runs"].size_bytes == sum(path.stat().st_size for path in files)
    assert by_kind["runs"].about == "fake, made"
    assert prune() == []


def test_embeddings_without_a_run_go(gallery: Gallery) -> None:
    first, other = run(gallery, "fake"), run(gallery, "fake:1")
    remove_run(first.key)
    assert len(prune(dry_run=True)) == 2 and len(list_cache()) == 6
    removed = prune()
    assert {entry.name for entry in removed} == set(first.manifest.embeddings)
    assert run(gallery, "fake:1").key == other.key
    assert [m.key for m in list_runs()] == [other.key]


def test_runs_of_a_gallery_that_is_gone_go_with_their_embeddings(gallery: Gallery) -> None:
    run(gallery, "fake")
    shutil.rmtree(home() / "galleries" / gallery.id)
    assert sorted(entry.kind for entry in prune()) == ["embeddings", "embeddings", "runs"]
    assert list_cache() == []


def test_unfinished_and_partial_work_goes(gallery: Gallery) -> None:
    with pytest.raises(Cancelled):
        run(gallery, "fake", progress=stop_at_images)
    runs_folder().mkdir(parents=True, exist_ok=True)
    (runs_folder() / f"{PARTIAL_PREFIX}abc").mkdir()
    assert ("unfinished", False) in kinds() and ("partial", False) in kinds()
    prune(["unfinished", "partial"])
    assert kinds() == [("embeddings", False), ("galleries", True)]


def test_what_is_locked_stays(gallery: Gallery) -> None:
    with pytest.raises(Cancelled):
        run(gallery, "fake", progress=stop_at_images)
    (runs_folder() / f"{PARTIAL_PREFIX}abc").mkdir(parents=True)
    (unfinished,) = (entry for entry in list_cache() if entry.kind == "unfinished")
    target = unfinished.path.with_name(unfinished.name.removeprefix(".unfinished-"))
    with locked(target), locked(runs_folder() / "some-run"):
        assert [entry.kind for entry in prune()] == ["embeddings"]
    assert sorted(entry.kind for entry in prune()) == ["partial", "unfinished"]


def test_a_run_that_is_worked_on_is_not_removed(gallery: Gallery) -> None:
    finished = run(gallery, "fake")
    with locked(finished.folder), pytest.raises(StoreError, match="another process"):
        remove_run(finished.key)
    assert finished.folder.is_dir()


def test_unknown_kinds_are_refused(gallery: Gallery) -> None:
    with pytest.raises(UnknownName):
        prune(["galleries"])
