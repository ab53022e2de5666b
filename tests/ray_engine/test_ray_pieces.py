"""The engine's pieces without a cluster: what is cut up and put together is what was whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from in_process import InProcess
from same_files import assert_same_embeddings, assert_same_lgip, assert_same_runs
from traced_encoder import calls, traced

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import (
    Cancelled,
    GalleryError,
    MissingPackage,
    ModelError,
    StoreError,
)
from vlmexplain.lgip import pair_scores
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.models.load import load_model
from vlmexplain.ray_engine import embedding_jobs
from vlmexplain.ray_engine import engine as engine_module
from vlmexplain.ray_engine.cluster import Capacity, ClusterError, connected
from vlmexplain.ray_engine.engine import WAIT
from vlmexplain.ray_engine.failures import worker_errors
from vlmexplain.ray_engine.stream import staffing
from vlmexplain.records import Progress
from vlmexplain.scoring import embedding, shards
from vlmexplain.scoring.run import run
from vlmexplain.storage import home


@pytest.mark.parametrize("model", ["fake", "fake-text"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_any_cut_gives_the_same_files(
    gallery: Gallery, fresh_home: Path, other_home: Path, model: str, size: int, monkeypatch
) -> None:
    monkeypatch.setattr(shards, "SHARD_ROWS", {"images": 24, "texts": 50})
    for module in (embedding, embedding_jobs):
        monkeypatch.setattr(module, "IMAGE_BATCH", 10)
    monkeypatch.setattr(engine_module, "QUERIES_A_TASK", 20 * size)
    monkeypatch.setattr(engine_module, "FAILURES_A_TASK", 20 * size)
    monkeypatch.setattr(pair_scores, "TEXTS_A_BLOCK", 200 * size)
    run(gallery, model, 4, engine=InProcess())
    if model == "fake":
        run_lgip(gallery, model, engine=InProcess())
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(fresh_home))
    run(gallery, model, 4)
    assert_same_embeddings(fresh_home, other_home)
    assert_same_runs(fresh_home, other_home)
    if model == "fake":
        run_lgip(gallery, model)
        assert_same_lgip(fresh_home, other_home)


def test_a_picture_that_came_back_is_embedded(gallery: Gallery) -> None:
    first = run(gallery, "fake", engine=InProcess())
    bad = gallery.image(20).file_name
    assert set(first.manifest.left_out) == {20}
    from vlmexplain.demo_setup import demo_folder

    content = (demo_folder() / "images" / bad).read_bytes()
    (gallery.images_folder / bad).write_bytes(content)
    second = run(gallery, "fake", engine=InProcess())
    assert second.key != first.key and second.manifest.left_out == {}


def test_pictures_from_an_address(gallery: Gallery, fresh_home: Path, other_home: Path) -> None:
    run(gallery, "fake", engine=InProcess(images=gallery.images_folder.as_uri()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLMEXPLAIN_HOME", str(fresh_home))
        run(gallery, "fake")
    assert_same_embeddings(fresh_home, other_home)


def test_a_folder_that_workers_do_not_see(gallery: Gallery, tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="does not see the image folder"):
        run(gallery, "fake", engine=InProcess(images=str(tmp_path / "elsewhere")))


def test_what_a_stopped_run_finished_is_kept(gallery: Gallery, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shards, "SHARD_ROWS", {"images": 16, "texts": 32})
    for module in (embedding, embedding_jobs):
        monkeypatch.setattr(module, "IMAGE_BATCH", 8)
    first, second = tmp_path / "first", tmp_path / "second"

    def stop(progress: Progress) -> None:
        if progress.stage == "embed" and progress.done >= 200:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        run(gallery, "fake", engine=InProcess(load=traced(first)), progress=stop)
    assert not list((home() / "embeddings").glob("[0-9a-f]*")), "an unfinished folder is seen"
    run(gallery, "fake", engine=InProcess(load=traced(second)))
    assert len(set(calls(first)) - set(calls(second))) >= 4, "finished shards were made again"
    assert set(calls(second).values()) == {1}


def test_a_worker_with_another_model_is_refused(gallery: Gallery) -> None:
    with pytest.raises(ModelError, match="is not the driver's"):
        run(gallery, "fake", engine=InProcess(load=lambda: load_model("fake:1")))


def test_more_models_where_there_is_more() -> None:
    def of(*capacity: float, gpu: bool = True) -> tuple[int, float, float]:
        staff = staffing(Capacity(*capacity), gpu)  # type: ignore[arg-type]
        return staff.n_models, staff.model_cpus, staff.model_gpus

    assert of(1, 1, 0) == (1, 0.5, 0)
    assert of(4, 256, 8) == (8, 0, 1)
    assert of(4, 256, 8, gpu=False) == (32, 4, 0)
    assert of(1, 4, 0) == (1, 2, 0)


def test_readers_never_wait_for_the_models_of_another_command() -> None:
    """Where models hold CPUs to the end, a reader that asks for one could wait for ever."""
    for n_nodes, cpus_a_node in [(1, 1), (2, 1), (3, 8), (40, 2), (1, 256)]:
        staff = staffing(Capacity(n_nodes, n_nodes * cpus_a_node, 0), gpu=True)
        assert staff.model_cpus > 0 and staff.reader_cpus == 0
        assert staff.n_readers is not None and staff.n_readers >= n_nodes
    staff = staffing(Capacity(2, 16, 4), gpu=True)
    assert staff.model_cpus == 0 and staff.reader_cpus > 0


def test_without_ray_the_remedy_is_named(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"pip install 'vlmexplain\[ray\]'"):
        connected(None).__enter__()


def test_no_cluster_at_the_address(free_port: int) -> None:
    with pytest.raises(ClusterError, match="ray start --head"):
        connected(f"127.0.0.1:{free_port}").__enter__()


def test_that_it_waits_for_workers_is_shown(gallery: Gallery) -> None:
    seen: list[Progress] = []
    with InProcess() as engine:
        run(gallery, "fake", engine=engine, progress=seen.append)
        run_lgip(gallery, "fake", engine=engine, progress=seen.append)
    stages = [progress.stage for progress in seen]
    first = {stage: stages.index(stage) for stage in ("embed", "encode texts")}
    assert stages.count(WAIT) == 2 and stages.index(WAIT) < first["embed"]
    assert stages[first["encode texts"] - 1] == WAIT
    assert next(p.done for p in seen if p.stage == "rank") == 0


def test_pictures_that_no_worker_sees_are_not_left_out(gallery: Gallery, tmp_path: Path) -> None:
    """A wrong address is no gallery full of lost pictures."""
    for place in (str(tmp_path / "none"), (tmp_path / "none").as_uri(), "memory://none/at/all"):
        with pytest.raises(GalleryError, match="does not see the image folder"):
            run(gallery, "fake", engine=InProcess(images=place))
    with pytest.raises(StoreError, match="cannot be used"):
        run(gallery, "fake", engine=InProcess(images="nonsense://none"))


def test_a_folder_in_the_place_of_a_picture_is_left_out(gallery: Gallery, tmp_path: Path) -> None:
    name = gallery.image(3).file_name
    (tmp_path / "images" / name).unlink()
    (tmp_path / "images" / name).mkdir()
    made = run(gallery, "fake", engine=InProcess(images=(tmp_path / "images").as_uri()))
    assert made.manifest.left_out.keys() == {3, 20}


@pytest.mark.parametrize("wrapped", [False, True])
def test_what_a_worker_raised_is_what_is_said(wrapped: bool) -> None:
    from ray.exceptions import RayTaskError, UserCodeException

    def raised(cause: Exception) -> Exception:
        task = RayTaskError("work", "Traceback: a long story", cause).as_instanceof_cause()
        if not wrapped:
            return task
        outer = UserCodeException("a hint that helps nobody")
        outer.__cause__ = task
        return outer

    with pytest.raises(ModelError) as found, worker_errors():
        raise raised(ModelError("no such thing.", where="here", remedy="Do that."))
    assert str(found.value) == "here: no such thing. Do that."
    with (
        pytest.raises(ClusterError, match=r"a worker failed \(ValueError: three\)"),
        worker_errors(),
    ):
        raise raised(ValueError("three"))
