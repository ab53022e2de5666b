"""A run on two nodes of Ray is the run of one process: keys, bytes, numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import ray
import ray.cloudpickle
import traced_encoder
from same_files import assert_same_embeddings, assert_same_lgip, assert_same_runs
from traced_encoder import TracedEncoder, calls, processes, traced

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import Cancelled, ModelError
from vlmexplain.lgip import pair_scores
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.protocol import Encoder
from vlmexplain.ray_engine import embedding_jobs, stream
from vlmexplain.ray_engine import engine as engine_module
from vlmexplain.ray_engine.cluster import connected
from vlmexplain.ray_engine.engine import RayEngine
from vlmexplain.ray_engine.run import Surroundings, lgip_on_ray, run_on_ray
from vlmexplain.records import Progress, no_progress
from vlmexplain.scoring import embedding, shards
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import open_run

for module in (traced_encoder, sys.modules[__name__]):
    ray.cloudpickle.register_pickle_by_value(module)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # a busy machine is slow, not wrong


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many shards, batches, tasks and blocks of little data."""
    monkeypatch.setattr(shards, "SHARD_ROWS", {"images": 16, "texts": 32})
    for module in (embedding, embedding_jobs):
        monkeypatch.setattr(module, "IMAGE_BATCH", 8)
    monkeypatch.setattr(engine_module, "QUERIES_A_TASK", 64)
    monkeypatch.setattr(pair_scores, "TEXTS_A_BLOCK", 200)


class TracedEngine(RayEngine):
    """Embeds with a model of the test's own."""

    load: Callable[[], Encoder]

    def embed(self, gallery, model, mode, load, progress):
        return super().embed(gallery, model, mode, self.load, progress)


#: What `run_locally_anew` runs: the same three pieces of work, by the local engine.
_LOCAL_WORK = """
from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.lgip import pair_scores
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.scoring import embedding, shards
from vlmexplain.scoring.run import run
shards.SHARD_ROWS, embedding.IMAGE_BATCH = {"images": 16, "texts": 32}, 8
pair_scores.TEXTS_A_BLOCK = 200
gallery = open_gallery("slice")
run(gallery, "drawn-clip", 5), run_lgip(gallery, "drawn-clip"), run(gallery, "fake-text")
"""


def run_locally_anew() -> None:
    """In a process of its own: other tests leave torch with other threads, so other roundings."""
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", _LOCAL_WORK], cwd=root, check=True)


def test_equal_to_the_local_run(
    cluster: str, gallery: Gallery, fresh_home: Path, other_home: Path, monkeypatch
) -> None:
    here = Surroundings(address=cluster)
    ours = run_on_ray(gallery, "drawn-clip", 5, surroundings=here)
    assert ours.manifest.left_out == {20: ours.manifest.left_out[20]}
    lgip_on_ray(gallery, "drawn-clip", surroundings=here)
    run_on_ray(gallery, "fake-text", surroundings=here)
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(fresh_home))
    run_locally_anew()
    local = open_run(ours.key)
    assert local.folder != ours.folder
    assert_same_embeddings(fresh_home, other_home)
    assert_same_runs(fresh_home, other_home)
    assert_same_lgip(fresh_home, other_home)


def test_a_killed_worker_costs_its_share_and_nothing_partial_is_seen(
    cluster: str, gallery: Gallery, fresh_home: Path, other_home: Path, tmp_path: Path, monkeypatch
) -> None:
    local_trace, trace = tmp_path / "local", tmp_path / "trace"
    encoder = traced(local_trace)()
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(fresh_home))
    embedding.embed_gallery(gallery, encoder)
    local = run(gallery, "fake")
    pieces = calls(local_trace)
    assert len(pieces) > 12 and set(pieces.values()) == {1}

    monkeypatch.setenv("VLMEXPLAIN_HOME", str(other_home))
    seen: list[Progress] = []

    def look(progress: Progress) -> None:
        seen.append(progress)
        for kind in ("embeddings", "runs"):
            for folder in (other_home / kind).glob("[0-9a-f]*"):
                assert (folder / "manifest.json").is_file()
                assert len(list(folder.iterdir())) == len(
                    list((fresh_home / kind / folder.name).iterdir())
                )

    with TracedEngine(cluster) as engine:
        engine.load = traced(trace, deadly=list(pieces)[7])
        ours = run(gallery, "fake", engine=engine, progress=look)
    assert ours.key == local.key
    assert_same_embeddings(fresh_home, other_home)
    assert_same_runs(fresh_home, other_home)
    dead = int((trace / "death").read_text())
    assert dead in processes(trace) and len(processes(trace)) >= 2
    again = {piece: n for piece, n in calls(trace).items() if n > 1}
    assert set(calls(trace)) == set(pieces)
    assert again == {list(pieces)[7]: 2}, "more was done again than the piece that was lost"
    assert [p.stage for p in seen].count("embed") > 12


@pytest.mark.timeout(300)
def test_a_second_command_does_not_wait_for_the_end_of_the_first(
    cluster: str, gallery: Gallery, fresh_home: Path
) -> None:
    """Its models hold what those of the first leave; pictures are read all the same."""

    class Model:
        def is_ready(self) -> bool:
            return True

    with connected(cluster) as capacity:
        staff = stream.staffing(capacity, gpu=True)
        remote = ray.remote(num_cpus=staff.model_cpus)(Model)
        first = [remote.remote() for _ in range(staff.n_models)]
        assert ray.get([model.is_ready.remote() for model in first])
        with TracedEngine(cluster) as engine:
            engine.load = lambda: load_model("fake")
            engine.embed(gallery, identify("fake"), "image-text", engine.load, no_progress)


class Strange(TracedEncoder):
    """A model that gives nonsense for one text."""

    def encode_texts(self, texts):
        vectors = super().encode_texts(texts)
        vectors[0] = 0
        return vectors


def test_a_workers_error_is_the_users(cluster: str, gallery: Gallery, tmp_path: Path) -> None:
    with TracedEngine(cluster) as engine:
        engine.load = lambda: Strange(tmp_path)
        with pytest.raises(ModelError, match="gives no embedding of length 1 for the text"):
            run(gallery, "fake", engine=engine)


def test_leaving_early_waits_for_rays_threads(
    cluster: str, gallery: Gallery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that asks for the next block after the connection has ended kills the process."""
    during: set[str] = set()
    at_the_end: list[set[str]] = []
    disconnect = ray.shutdown

    def threads() -> set[str]:
        return {thread.name for thread in threading.enumerate() if stream._is_ray_datas(thread)}

    def shutdown() -> None:
        at_the_end.append(threads())
        disconnect()

    def leave(progress: Progress) -> None:
        if progress.stage == "embed" and progress.done:
            during.update(threads())
            raise Cancelled("enough.")

    monkeypatch.setattr(ray, "shutdown", shutdown)
    kept = []  # an error keeps the frames that it passed, and so what they were reading
    for _ in range(2):
        with pytest.raises(Cancelled) as error, TracedEngine(cluster) as engine:
            engine.load = traced(tmp_path)
            run(gallery, "fake", engine=engine, progress=leave)
        kept.append(error)
    assert len(during) > 2, "Ray Data has other threads than those that are waited for"
    assert len(at_the_end) == 2 and set.union(*at_the_end) <= {stream.PARKED}


def test_the_threads_of_ray_data_are_waited_for_and_no_others() -> None:
    end = threading.Event()

    def of_ray() -> None:
        time.sleep(0.3)

    def parked() -> None:
        end.wait(60)

    of_ray.__module__ = parked.__module__ = "ray.data._internal.some"
    threads = {
        "of ray": threading.Thread(target=of_ray),
        stream.PARKED: threading.Thread(target=parked, name=stream.PARKED),
        "another's": threading.Thread(target=end.wait, args=(60,)),
    }
    with stream._no_threads_left():
        for thread in threads.values():
            thread.start()
    alive = {name for name, thread in threads.items() if thread.is_alive()}
    end.set()
    assert alive == {stream.PARKED, "another's"}


def die_once(number: int, folder: Path) -> int:
    with (folder / f"{number}").open("a") as file:
        file.write("x")
    if number == 3 and not (folder / "death").exists():
        (folder / "death").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_a_killed_task_is_done_again(cluster: str, tmp_path: Path) -> None:
    from vlmexplain.ray_engine.partitions import in_window

    with connected(cluster):
        found = dict(in_window(die_once, ((n, tmp_path) for n in range(8)), window=2))
    assert found == {n: n * n for n in range(8)}
    again = {n for n in range(8) if (tmp_path / f"{n}").read_text() != "x"}
    assert again == {3}, "more was done again than what was lost"
