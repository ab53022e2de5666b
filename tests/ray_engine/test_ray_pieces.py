"""The engine's pieces without a cluster: what is cut up and put together is what was whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from same_files import assert_same_embeddings, assert_same_lgip, assert_same_runs

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import GalleryError, MissingPackage
from vlmexplain.lgip import pair_scores
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.ray_engine import embedding_jobs
from vlmexplain.ray_engine import engine as engine_module
from vlmexplain.ray_engine.cluster import Capacity, ClusterError, connected
from vlmexplain.ray_engine.engine import RayEngine
from vlmexplain.ray_engine.model_worker import ModelWorker
from vlmexplain.ray_engine.picture_reader import PictureReader
from vlmexplain.ray_engine.rows import Row
from vlmexplain.scoring import embedding, shards
from vlmexplain.scoring.run import run


class InProcess(RayEngine):
    """Does in this process, and in another order, what would go to the cluster."""

    def _connected(self) -> Capacity:
        return Capacity(1, 1.0, 0.0)

    def _put(self, value: Any) -> Any:
        return value

    def _in_window(self, task: Any, arguments: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        return reversed([(n, task(*values)) for n, values in enumerate(arguments)])

    def _stream(
        self, rows: list[Row], arguments: tuple[Any, ...], reader: PictureReader | None = None
    ) -> Iterator[Row]:
        load, digest, *vectors = arguments
        worker = ModelWorker(load, digest)
        worker._image_vectors = vectors[0] if vectors else None
        for row in np.random.default_rng(5).permutation(np.array(rows, dtype=object)):
            yield worker(reader(row) if reader is not None else row)


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


def test_without_ray_the_remedy_is_named(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"pip install -r requirements-ray\.txt"):
        connected(None).__enter__()


def test_no_cluster_at_the_address(free_port: int) -> None:
    with pytest.raises(ClusterError, match="ray start --head"):
        connected(f"127.0.0.1:{free_port}").__enter__()
