"""Runs on disk: a model's ranking of a gallery, and the scores of its failures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.metrics.globals import GlobalFigure
from vlmexplain.models.protocol import Mode
from vlmexplain.records import MetricOptions, ModelIdentity
from vlmexplain.results.kind import Need, ResultKind
from vlmexplain.results.store import Stored, intact_result, list_results, open_result

FORMAT = 1
QUERIES_FILE = "queries.parquet"
ROWS_FILE = "rows.arrow"


@dataclass(frozen=True, slots=True)
class RunManifest:
    """What a run says of itself.

    Attributes:
        key: sha256 hex over what was asked; the folder is named by it.
        gallery_id, gallery_name: what was ranked.
        model: by which model.
        mode: ``image-text`` or ``text-text``.
        k: how many of the best images are kept for each query.
        options: those of the stored metrics.
        n_queries, n_ranked, n_failures: all queries, those with a rank, those that failed.
        n_unranked: how many queries have no rank, by code of `query_columns.UNRANKED`.
        n_images, n_images_ranked: all images, and those that could be ranked.
        left_out: image -> (code, reason) for pictures that could not be embedded.
        figures, informed_figures: over all failures, plain and query-informed; those of
            retrieval are over the queries that have a rank.
        drawn: True when gallery or model is of the drawn world.
        created_s: Unix time.
        seconds: how long each part took.
        embeddings: the folders of the embeddings it was made from.
    """

    key: str
    gallery_id: str
    gallery_name: str
    model: ModelIdentity
    mode: Mode
    k: int
    options: MetricOptions
    n_queries: int
    n_ranked: int
    n_failures: int
    n_unranked: dict[str, int]
    n_images: int
    n_images_ranked: int
    left_out: dict[int, tuple[str, str]]
    figures: tuple[GlobalFigure, ...]
    informed_figures: tuple[GlobalFigure, ...]
    drawn: bool
    created_s: float
    seconds: dict[str, float]
    embeddings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The manifest as a JSON value."""
        return {"format": FORMAT, **asdict(self)}


@dataclass(frozen=True, repr=False)
class Run:
    """A finished run; its columns are read when they are asked for."""

    folder: Path
    manifest: RunManifest

    def __repr__(self) -> str:
        said = self.manifest
        return (
            f"<Run {said.key[:12]}: {said.model.name} on {said.gallery_name}, "
            f"{said.n_failures:,} failures of {said.n_queries:,} queries>"
        )

    @property
    def key(self) -> str:
        """sha256 hex over what was asked."""
        return self.manifest.key

    @property
    def gallery_id(self) -> str:
        """The gallery that was ranked."""
        return self.manifest.gallery_id

    @property
    def model(self) -> ModelIdentity:
        """The model that ranked."""
        return self.manifest.model

    @property
    def mode(self) -> Mode:
        """``image-text`` or ``text-text``."""
        return self.manifest.mode

    @property
    def k(self) -> int:
        """How many of the best images are kept for each query."""
        return self.manifest.k

    @property
    def queries_path(self) -> Path:
        """The Parquet file with one row a query."""
        return self.folder / QUERIES_FILE

    @cached_property
    def rows_table(self) -> pa.Table:
        """The same rows, memory-mapped, for looking up some of them."""
        path = self.folder / ROWS_FILE
        with RUNS.reading(path):
            return pa.ipc.open_file(pa.memory_map(str(path), "r")).read_all()

    @cached_property
    def top_k_images(self) -> NDArray[np.int32]:
        """int32 [Q, k] best first, -1 where there are fewer images; memory-mapped."""
        images: NDArray[np.int32] = self._array("top_k_images.npy")
        return images

    @cached_property
    def top_k_scores(self) -> NDArray[np.float32]:
        """float32 [Q, k], NaN where there are fewer images; memory-mapped."""
        scores: NDArray[np.float32] = self._array("top_k_scores.npy")
        return scores

    def _array(self, name: str) -> Any:
        with RUNS.reading(self.folder / name):
            return np.load(self.folder / name, mmap_mode="r", allow_pickle=False)


def runs_folder() -> Path:
    """Where runs are kept."""
    return RUNS.folder()


def open_run(key: str) -> Run:
    """The run with this key, or the one whose key starts like this (four letters or more).

    Raises:
        UnknownName: there is none.
        StoreError: several fit, or it is damaged or of a newer format.
    """
    return _run(open_result(RUNS, key))


def intact_run(key: str) -> Run | None:
    """The run with exactly this key, if it is there with all its files; else None.

    Raises:
        StoreError: it is of a newer format.
    """
    stored = intact_result(RUNS, key)
    return _run(stored) if stored else None


def list_runs(gallery_id: str | None = None) -> list[RunManifest]:
    """The manifests of all runs that can be read, of one gallery or of all; the latest first."""
    manifests = [stored.manifest for stored in list_results(RUNS)]
    return [each for each in manifests if gallery_id in (None, each.gallery_id)]


def _run(stored: Stored[RunManifest]) -> Run:
    return Run(stored.folder, stored.manifest)


def _manifest(value: dict[str, Any]) -> RunManifest:
    model = value["model"]
    facts = tuple((label, fact) for label, fact in model["facts"])
    return RunManifest(
        **{
            **value,
            "model": ModelIdentity(**{**model, "facts": facts}),
            "options": MetricOptions(**value["options"]),
            "left_out": {int(image): (c, r) for image, (c, r) in value["left_out"].items()},
            "figures": _figures(value["figures"]),
            "informed_figures": _figures(value["informed_figures"]),
            "embeddings": tuple(value["embeddings"]),
        }
    )


def _figures(values: list[dict[str, Any]]) -> tuple[GlobalFigure, ...]:
    return tuple(GlobalFigure(**{**value, "others": tuple(value["others"])}) for value in values)


RUNS = ResultKind(
    name="runs",
    noun="run",
    format=FORMAT,
    files=(QUERIES_FILE, ROWS_FILE, "top_k_images.npy", "top_k_scores.npy"),
    read=_manifest,
    created_s=lambda manifest: manifest.created_s,
    needs=lambda manifest: (
        Need("galleries", manifest.gallery_id),
        *(Need("embeddings", key) for key in manifest.embeddings),
    ),
    about=lambda manifest: f"{manifest.model.name}, {manifest.gallery_name}",
    remedy="Delete the run's folder and make the run again; embeddings are kept.",
)
