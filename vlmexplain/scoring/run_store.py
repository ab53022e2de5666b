"""Runs on disk: a model's ranking of a gallery, and the scores of its failures."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.errors import StoreError, UnknownName
from vlmexplain.metrics.globals import GlobalFigure
from vlmexplain.models.protocol import Mode
from vlmexplain.records import MetricOptions, ModelIdentity
from vlmexplain.storage import home

FORMAT = 2
"""1: query-informed figures by the older rule of mentions, two steps and no negation."""
MANIFEST = "manifest.json"
QUERIES_FILE = "queries.parquet"
ROWS_FILE = "rows.arrow"
FILES = (MANIFEST, QUERIES_FILE, ROWS_FILE, "top_k_images.npy", "top_k_scores.npy")
SHORTEST_PREFIX = 4


class DamagedRun(StoreError):
    """A file of a run is missing, or is not what it should be."""


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
        format: that it was written in; see `FORMAT`.
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
    format: int = FORMAT

    def to_json(self) -> dict[str, Any]:
        """The manifest as a JSON value."""
        return {"format": self.format, **asdict(self)}


@dataclass(frozen=True)
class Run:
    """A finished run; its columns are read when they are asked for."""

    folder: Path
    manifest: RunManifest

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
        try:
            return pa.ipc.open_file(pa.memory_map(str(path), "r")).read_all()
        except (OSError, pa.ArrowInvalid) as error:
            raise _damaged(path) from error

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
        try:
            return np.load(self.folder / name, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise _damaged(self.folder / name) from error


def runs_folder() -> Path:
    """Where runs are kept."""
    return home() / "runs"


def open_run(key: str) -> Run:
    """The run with this key, or the one whose key starts like this (four letters or more).

    Raises:
        UnknownName: there is none.
        StoreError: several fit, or it is damaged or of a newer format.
    """
    folder = runs_folder()
    if len(key) == 64 and key.isalnum() and (folder / key / MANIFEST).is_file():
        return _read(folder / key)
    known = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
    fits = [k for k in known if k.startswith(key)] if len(key) >= SHORTEST_PREFIX else []
    if len(fits) > 1:
        raise StoreError(
            f"the prefix {key!r} fits {len(fits)} runs: {', '.join(k[:12] for k in fits[:5])}.",
            remedy="Give more of the key.",
        )
    if not fits:
        raise UnknownName("run", key, [k[:12] for k in known])
    return _read(folder / fits[0])


def intact_run(key: str) -> Run | None:
    """The run with exactly this key, if it is there with all its files; else None.

    Raises:
        StoreError: it is of a newer format.
    """
    folder = runs_folder() / key
    if not all((folder / name).is_file() for name in FILES):
        return None
    try:
        return _read(folder)
    except DamagedRun:
        return None


def list_runs(gallery_id: str | None = None) -> list[RunManifest]:
    """The manifests of all runs that can be read, of one gallery or of all; the latest first."""
    found = []
    for path in runs_folder().glob(f"*/{MANIFEST}"):
        if path.parent.name.startswith("."):
            continue
        try:
            manifest = _read(path.parent).manifest
        except StoreError:
            continue  # damaged or of a newer format: `open_run` says so
        if gallery_id in (None, manifest.gallery_id):
            found.append(manifest)
    return sorted(found, key=lambda m: (-m.created_s, m.key))


def _read(folder: Path) -> Run:
    path = folder / MANIFEST
    try:
        value = json.loads(path.read_bytes())
        version = value.pop("format")
        if isinstance(version, int) and version > FORMAT:
            raise StoreError(
                f"the run has format {version}; this version reads up to {FORMAT}.",
                where=str(path),
                remedy="Update vlmexplain, or delete the run and make it again.",
            )
        return Run(folder, _manifest(value, version))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path) from error


def _manifest(value: dict[str, Any], version: int) -> RunManifest:
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
            "format": version,
        }
    )


def _figures(values: list[dict[str, Any]]) -> tuple[GlobalFigure, ...]:
    return tuple(GlobalFigure(**{**value, "others": tuple(value["others"])}) for value in values)


def _damaged(path: Path) -> DamagedRun:
    return DamagedRun(
        "a file of the run is missing or damaged.",
        where=str(path),
        remedy="Delete the run's folder and make the run again; embeddings are kept.",
    )
