"""What is kept is listed, and only what nobody needs goes."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_manifest import GALLERIES
from vlmexplain.errors import Cancelled, StoreError, UnknownName
from vlmexplain.kept import KINDS, list_kept, made_from, prune, remove_kept
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.result import LGIP, open_lgip
from vlmexplain.overview.gallery_mentions import find_mentions
from vlmexplain.overview.lgip_figures import _gaps, lgip_overview
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.records import Progress
from vlmexplain.results.store import Stored, list_results, open_result
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.run import list_runs, open_run, run, runs_folder
from vlmexplain.scoring.run_store import RUNS
from vlmexplain.scoring.shards import EMBEDDINGS
from vlmexplain.storage import PARTIAL_PREFIX, home, locked


def kinds() -> list[tuple[str, bool]]:
    return sorted((entry.kind, entry.needed) for entry in list_kept())


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
    by_kind = {entry.kind: entry for entry in list_kept()}
    files = [path for path in finished.folder.iterdir() if path.is_file()]
    assert by_kind["runs"].size_bytes == sum(path.stat().st_size for path in files)
    assert by_kind["runs"].about == "fake, made"
    assert prune() == []


def test_embeddings_without_a_run_go(gallery: Gallery) -> None:
    first, other = run(gallery, "fake"), run(gallery, "fake:1")
    remove_kept(RUNS, first.key)
    assert len(prune(dry_run=True)) == 2 and len(list_kept()) == 6
    removed = prune()
    assert {entry.name for entry in removed} == set(first.manifest.embeddings)
    assert run(gallery, "fake:1").key == other.key
    assert [m.key for m in list_runs()] == [other.key]


def test_runs_of_a_gallery_that_is_gone_go_with_their_embeddings(gallery: Gallery) -> None:
    run(gallery, "fake")
    shutil.rmtree(home() / "galleries" / gallery.id)
    assert sorted(entry.kind for entry in prune()) == ["embeddings", "embeddings", "runs"]
    assert list_kept() == []


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
    (unfinished,) = (entry for entry in list_kept() if entry.kind == "unfinished")
    target = unfinished.path.with_name(unfinished.name.removeprefix(".unfinished-"))
    with locked(target), locked(runs_folder() / "some-run"):
        assert [entry.kind for entry in prune()] == ["embeddings"]
    assert sorted(entry.kind for entry in prune()) == ["partial", "unfinished"]


def test_a_run_that_is_worked_on_is_not_removed(gallery: Gallery) -> None:
    finished = run(gallery, "fake")
    with locked(finished.folder), pytest.raises(StoreError, match="another process"):
        remove_kept(RUNS, finished.key)
    assert finished.folder.is_dir()


def test_unknown_kinds_are_refused(gallery: Gallery) -> None:
    with pytest.raises(UnknownName):
        prune(["galleries"])


@pytest.fixture
def whole(gallery: Gallery) -> dict[str, Stored[Any]]:
    """One result of each kind, made from one gallery."""
    run(gallery, "fake")
    run_lgip(gallery, "fake")
    find_mentions(gallery, load_wordnet())
    return {kind.name: list_results(kind)[0] for kind in KINDS}


def read_all(stored: Stored[Any]) -> None:
    """Whatever reads the files of a result."""
    if stored.kind is RUNS:
        found = open_run(stored.key)
        assert len(found.top_k_images) == len(found.top_k_scores)
        read_columns(found)
        QueryTable(found, open_gallery(found.gallery_id)).page()
    elif stored.kind is LGIP:
        result = open_lgip(stored.key)
        assert result.metrics and result.triples(limit=1) and result.histogram("same")
        _gaps.cache_clear()
        lgip_overview(result)
    elif stored.kind is GALLERIES:
        found = open_gallery(stored.key)
        found.image(0), found.caption(0), found.annotations(0), found.path_lengths, found.checks()


@pytest.mark.parametrize("harm", ["missing", "empty", "garbled", "cut"])
def test_damage_names_the_file_and_the_remedy(whole: dict[str, Stored[Any]], harm: str) -> None:
    for stored in (whole["runs"], whole["lgip"], whole["galleries"]):
        for name in (*stored.kind.files, "manifest.json"):
            path = stored.folder / name
            content = path.read_bytes()
            path.unlink()
            if harm != "missing":
                broken = {"empty": b"", "garbled": b"no such thing", "cut": content[:-20]}
                path.write_bytes(broken[harm])
            with pytest.raises(StoreError) as told:
                read_all(stored)
            assert told.value.where == str(path) and told.value.remedy == stored.kind.remedy
            path.write_bytes(content)
        read_all(stored)


def test_every_kind_opens_and_refuses_alike(whole: dict[str, Stored[Any]]) -> None:
    for kind in KINDS:
        key = whole[kind.name].key
        assert open_result(kind, key).key == open_result(kind, key[:10]).key == key
        for wrong in ("feedbeef", "../../etc", "", key[:3], "x" * 300):
            with pytest.raises(UnknownName, match=f"unknown {kind.noun}"):
                open_result(kind, wrong)
        twin = key[:8] + "0" * (len(key) - 8)
        shutil.copytree(whole[kind.name].folder, kind.folder() / twin)
        with pytest.raises(StoreError, match="fits 2 ") as told:
            open_result(kind, key[:8])
        assert key[:12] in str(told.value) and twin[:12] in str(told.value)
        remove_kept(kind, twin, with_dependents=True)
        path = whole[kind.name].folder / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
        with pytest.raises(StoreError, match=f"the {kind.noun} has format 99"):
            open_result(kind, key)
        assert key not in [stored.key for stored in list_results(kind)]


def test_what_depends_on_a_gallery_goes_only_when_asked(whole: dict[str, Stored[Any]]) -> None:
    gallery = whole["galleries"]
    assert {one.kind.name for one in made_from(GALLERIES, "made")} == {"runs", "lgip", "mentions"}
    assert [one.key for one in made_from(EMBEDDINGS, whole["embeddings"].key)] == [
        whole["runs"].key
    ]
    with pytest.raises(StoreError, match="others were made from this gallery: run ") as told:
        remove_kept(GALLERIES, "made")
    assert whole["lgip"].key[:12] in str(told.value) and gallery.folder.is_dir()
    assert len(remove_kept(GALLERIES, "made", with_dependents=True, dry_run=True)) == 4
    assert gallery.folder.is_dir()
    gone = remove_kept(GALLERIES, "made", with_dependents=True)
    assert gone[-1] == gallery.folder and not any(path.exists() for path in gone)
    assert [entry.kind for entry in list_kept()] == ["embeddings"] * len(list_kept())
    assert all(not entry.needed for entry in list_kept())
