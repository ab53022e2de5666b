"""Runs and LGIP on a cluster: what a shared store has is fetched, what is new goes there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.bulk import lgip_key, run_lgip, source_of
from vlmexplain.lgip.result import LgipResult
from vlmexplain.models.load import identify
from vlmexplain.models.protocol import Mode as ModelMode
from vlmexplain.perturb.rules import Mode
from vlmexplain.ray_engine.cluster import require_ray
from vlmexplain.ray_engine.engine import RayEngine
from vlmexplain.ray_engine.remote_files import reach
from vlmexplain.ray_engine.shared_store import SharedStore
from vlmexplain.records import MetricOptions, ModelIdentity, ProgressCallback, no_progress
from vlmexplain.scoring.embedding import distinct_texts, known_left_out, text_shards
from vlmexplain.scoring.pictures import Pictures
from vlmexplain.scoring.run import DEFAULT_OPTIONS, Run, mode_of, run, run_key
from vlmexplain.scoring.shards import ShardFolder


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the work is done and kept; no part of any key.

    Attributes:
        address: see `cluster.connected`.
        store: fsspec URL of the shared store; None: results are kept on this machine alone.
        images: where the workers find the pictures, a path or an fsspec URL; None: in the
            gallery's image folder.
    """

    address: str | None = None
    store: str | None = None
    images: str | None = None


def run_on_ray(
    gallery: Gallery,
    model_spec: str,
    k: int = 10,
    *,
    options: MetricOptions = DEFAULT_OPTIONS,
    device: str | None = None,
    progress: ProgressCallback = no_progress,
    surroundings: Surroundings = Surroundings(),
) -> Run:
    """As `scoring.run.run`, on a cluster: the same key, the same numbers.

    Args:
        device: where a model computes on its node; None takes a GPU where the cluster has one.

    Raises:
        MissingPackage: Ray, or what reaches the store, is not installed.
        ClusterError: the cluster cannot be reached, or a worker failed for good.
        VlmexplainError: as `scoring.run.run`.
    """
    require_ray()
    model, mode = identify(model_spec), mode_of(model_spec)
    with _engine(surroundings, device) as (engine, store):
        if store is not None:
            _fetch_run(store, gallery, model, mode, k, options, progress)
        finished = run(
            gallery,
            model_spec,
            k,
            options=options,
            device=device,
            progress=progress,
            engine=engine,
        )
        if store is not None:
            store.publish("galleries", gallery.id, gallery.folder, replace=True)
            store.publish("runs", finished.key, finished.folder)
        return finished


def lgip_on_ray(
    gallery: Gallery,
    model_spec: str,
    perturbations: Path | None = None,
    *,
    mode: Mode = "paper",
    seed: int = 0,
    device: str | None = None,
    progress: ProgressCallback = no_progress,
    surroundings: Surroundings = Surroundings(),
) -> LgipResult:
    """As `lgip.bulk.run_lgip`, on a cluster: the same key, the same numbers.

    Raises:
        MissingPackage, ClusterError: as `run_on_ray`.
        VlmexplainError: as `lgip.bulk.run_lgip`.
    """
    require_ray()
    with _engine(surroundings, device) as (engine, store):
        if store is not None:
            source = source_of(gallery, perturbations, mode, seed)
            store.fetch("lgip", lgip_key(gallery, identify(model_spec), source), progress)
        result = run_lgip(
            gallery,
            model_spec,
            perturbations,
            mode=mode,
            seed=seed,
            device=device,
            progress=progress,
            engine=engine,
        )
        if store is not None:
            store.publish("galleries", gallery.id, gallery.folder, replace=True)
            store.publish("lgip", result.key, result.folder)
        return result


@contextmanager
def _engine(
    surroundings: Surroundings, device: str | None
) -> Iterator[tuple[RayEngine, SharedStore | None]]:
    if "://" in (surroundings.images or ""):
        reach(str(surroundings.images))  # an address that is none shows before the work
    store = SharedStore(surroundings.store) if surroundings.store else None
    gpu = device is None or device.startswith("cuda")
    with RayEngine(
        surroundings.address, gpu=gpu, images=surroundings.images, store=store
    ) as engine:
        yield engine, store


def _fetch_run(
    store: SharedStore,
    gallery: Gallery,
    model: ModelIdentity,
    mode: ModelMode,
    k: int,
    options: MetricOptions,
    progress: ProgressCallback,
) -> None:
    """Bring the run, and what it was made from, if the store has them."""
    keys = [text_shards(model, distinct_texts(gallery)[0]).key]
    if mode == "image-text":
        keys.append(ShardFolder("images", model, Pictures(gallery).contents).key)
    for key in keys:
        store.fetch("embeddings", key, progress)
    known = known_left_out(gallery, model, mode)
    if known is not None:
        store.fetch("runs", run_key(gallery, model, mode, k, options, known), progress)
