"""Runs with a shared store: what one machine made, another fetches or goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest
from in_process import InProcess
from same_files import assert_same_embeddings, assert_same_lgip, assert_same_runs
from traced_encoder import calls, traced

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import Cancelled, StoreError
from vlmexplain.ray_engine import engine
from vlmexplain.ray_engine import run as ray_run
from vlmexplain.ray_engine.engine import RayEngine
from vlmexplain.ray_engine.run import Surroundings, lgip_on_ray, run_on_ray
from vlmexplain.ray_engine.shared_store import SharedStore
from vlmexplain.records import Progress
from vlmexplain.scoring import shards
from vlmexplain.scoring.run import run


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    monkeypatch.setattr(ray_run, "RayEngine", InProcess)
    monkeypatch.setattr(shards, "SHARD_ROWS", {"images": 64, "texts": 32})
    return Surroundings(store=f"memory://{tmp_path.name}")


def test_a_second_machine_fetches_and_computes_nothing(
    gallery: Gallery, fresh_home: Path, other_home: Path, store: Surroundings, monkeypatch
) -> None:
    ours = run_on_ray(gallery, "fake", 3, surroundings=store)
    lgip_on_ray(gallery, "fake", surroundings=store)
    assert store.store is not None
    kinds = [kind for kind, _ in SharedStore(store.store).published()]
    assert sorted(kinds) == ["embeddings", "embeddings", "galleries", "lgip", "runs"]
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(fresh_home))
    for step in ("_put", "_stream", "_in_window", "_connected"):
        monkeypatch.setattr(InProcess, step, lambda *_: pytest.fail("something was computed"))
    assert run_on_ray(gallery, "fake", 3, surroundings=store).key == ours.key
    lgip_on_ray(gallery, "fake", surroundings=store)
    assert_same_embeddings(fresh_home, other_home)
    assert_same_runs(fresh_home, other_home)
    assert_same_lgip(fresh_home, other_home)


def test_a_second_machine_goes_on_where_the_first_was_stopped(
    gallery: Gallery, fresh_home: Path, other_home: Path, store: Surroundings, tmp_path, monkeypatch
) -> None:
    assert store.store is not None
    shared = SharedStore(store.store)
    first, second = tmp_path / "first", tmp_path / "second"

    def stop(progress: Progress) -> None:
        assert shared.published() == [], "a part of the work is seen"
        if progress.stage == "embed" and progress.done >= 200:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        run(gallery, "fake", engine=InProcess(store=shared, load=traced(first)), progress=stop)
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(fresh_home))
    run(gallery, "fake", engine=InProcess(store=shared, load=traced(second)))
    assert len(set(calls(first)) - set(calls(second))) >= 4, "finished shards were made again"
    assert [kind for kind, _ in shared.published()] == ["embeddings", "embeddings"]
    assert shared.names_under("unfinished") == []


def test_addresses_that_lead_nowhere_show_before_the_work(
    gallery: Gallery, tmp_path: Path, monkeypatch
) -> None:
    """Hours of embedding would come before the first picture is read, or the first shard kept."""
    monkeypatch.setattr(ray_run, "RayEngine", RayEngine)
    monkeypatch.setattr(engine, "connected", lambda *_: pytest.fail("the cluster was asked"))

    def refuse(*_: object) -> None:
        raise StoreError("cannot be written (no).")

    monkeypatch.setattr(SharedStore, "_write", refuse)
    for surroundings, told in (
        (Surroundings(images="nonsense://pictures"), "Protocol not known"),
        (Surroundings(store=(tmp_path / "store").as_uri()), "store: cannot be written"),
    ):
        with pytest.raises(StoreError, match=told):
            run_on_ray(gallery, "fake", surroundings=surroundings)
