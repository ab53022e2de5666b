"""What may tell a false failure: features of a failure, fixed beforehand, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.models.load import identify
from vlmexplain.scoring.embedding import Embeddings, stored_embeddings
from vlmexplain.scoring.run_store import Run, list_runs, open_run

TEXT_MODEL = "all-MiniLM-L6-v2"
"""Whose similarities of captions are looked at, where its embeddings of the gallery are there."""

PLAIN_METRICS = ("ca", "ncs", "ce", "sd")
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FailureSource:
    """What the features look at.

    Attributes:
        run: whose failures they are.
        captions, retrieved: int32 [n], the failed queries and their first images.
        texts: the text model's embeddings of the captions; None when they are not there.
        others: first images of the gallery's other runs, int32 [n_runs, n].
    """

    gallery: Gallery
    run: Run
    captions: NDArray[np.int32]
    retrieved: NDArray[np.int32]
    texts: Embeddings | None
    others: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature: its name, what it says, and how it is had; NaN where it is not known."""

    key: str
    meaning: str
    values: Callable[[FailureSource], Floats]


def failure_source(gallery: Gallery, run: Run) -> FailureSource:
    """Gather what the features of a run's failures look at; nothing is computed by a model.

    Raises:
        StoreError: a run or embeddings are damaged.
    """
    failed = run.rows_table.column("failure").to_numpy(zero_copy_only=False) == 1
    first = np.asarray(run.top_k_images[:, 0], dtype=np.int32)
    captions = np.flatnonzero(failed & (first >= 0)).astype(np.int32)
    others = [
        np.asarray(open_run(each.key).top_k_images[:, 0])[captions]
        for each in {m.model.digest: m for m in list_runs(gallery.id)}.values()
        if each.model.digest != run.model.digest
    ]
    return FailureSource(
        gallery,
        run,
        captions,
        first[captions],
        _text_embeddings(gallery),
        np.array(others, dtype=np.int32).reshape(-1, len(captions)),
    )


def feature_table(source: FailureSource) -> Floats:
    """Every feature of every failure, float64 [n, len(FEATURES)], NaN where not known."""
    columns = [feature.values(source) for feature in FEATURES]
    return np.stack(columns, axis=1) if len(source.captions) else np.empty((0, len(FEATURES)))


def _text_embeddings(gallery: Gallery) -> Embeddings | None:
    try:
        return stored_embeddings(gallery, identify(TEXT_MODEL), "text-text")
    except VlmexplainError:  # the model is not here: its feature is not known
        return None


def _column(name: str) -> Callable[[FailureSource], Floats]:
    def values(source: FailureSource) -> Floats:
        column = source.run.rows_table.column(name).cast("float64").to_numpy()
        return np.asarray(column, dtype=np.float64)[source.captions]

    return values


def _n_undefined(source: FailureSource) -> Floats:
    found: Floats = sum(
        (np.isnan(_column(name)(source)).astype(np.float64) for name in PLAIN_METRICS),
        start=np.zeros(len(source.captions)),
    )
    return found


def _similarities(reduce: Callable[[Floats], np.floating]) -> Callable[[FailureSource], Floats]:
    """Of the query with the captions of the first image; its own text does not count."""

    def values(source: FailureSource) -> Floats:
        found = np.full(len(source.captions), np.nan)
        if source.texts is None:
            return found
        text, vectors = source.texts.text_of_caption, source.texts.text_vectors
        offsets = source.gallery.caption_offsets
        pairs = zip(source.captions.tolist(), source.retrieved.tolist(), strict=True)
        for place, (caption, image) in enumerate(pairs):
            theirs = text[offsets[image] : offsets[image + 1]]
            theirs = theirs[theirs != text[caption]]
            if len(theirs):
                found[place] = reduce(
                    vectors[theirs].astype(np.float64) @ vectors[text[caption]].astype(np.float64)
                )
        return found

    return values


def _agreement(source: FailureSource) -> Floats:
    if not len(source.others):
        return np.full(len(source.captions), np.nan)
    found: Floats = (source.others == source.retrieved).mean(axis=0)
    return found


FEATURES: tuple[Feature, ...] = (
    Feature("q_ca", "concept agreement of both images on what the caption mentions",
            _column("q_ca")),
    Feature("n_undefined", "how many of CA, NCS, CE and SD are undefined", _n_undefined),
    Feature("n_words", "words of the caption", _column("n_words")),
    Feature("margin", "score of the first image minus that of the ground truth",
            _column("margin")),
    Feature("best_caption", f"best similarity ({TEXT_MODEL}) of the query to the first image's own "
            "captions", _similarities(np.max)),
    Feature("mean_caption", f"mean similarity ({TEXT_MODEL}) of the query to the first image's own "
            "captions", _similarities(np.mean)),
    Feature("agreement", "share of the gallery's other models that find the same image first",
            _agreement),
)  # fmt: skip
