"""The columns kept of every query of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.scoring.ranking import TIE_WITHIN, Ranking

METRIC_COLUMNS = ("ca", "ncs", "ce", "sd", "sd_raw")
"""The concept metrics, float64, null where undefined; ``q_`` before one: query-informed."""

REASON_OF = {"ca": "ca", "ncs": "ncs", "ce": "ce", "sd": "sd", "sd_raw": "sd"}
"""Which ``..._undefined`` column says why a metric has no value."""

COUNT_COLUMNS = (
    "n_common",
    "n_only_ground_truth",
    "n_only_retrieved",
    "n_ncs_pairs",
    "sum_ps",
    "n_equal_multiplicity",
    "n_different_multiplicity",
    "n_crowd_not_counted",
    "n_size_pairs",
    "n_exceeding",
    "sum_difference",
)
"""What the figures over any subset of failures are made of; null where there is no failure."""

UNRANKED = {
    "ground-truth-left-out": "the ground truth's picture could not be embedded",
    "no-other-caption": "the ground truth has no caption but the query itself",
}
"""Why a query has no rank, by code."""

ONLY_FOR_SEARCH = ("text_lower", "text_place")
"""Columns that a filter or sort looks at and no row shows."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How each query came out; all arrays [n_queries] in caption order.

    Attributes:
        image_index: int32, the caption's own image.
        text_index: int32, which distinct text the caption is.
        own_rank_1based: int32, the place of the caption's own image; 0 for none.
        own_score: float32, NaN for none.
        rank_1based: int32, the place of the best-ranked ground truth; 0 for none.
        ground_truth_index: int32, the best-ranked ground truth; -1 for none.
        ground_truth_score: float32, NaN for none.
        n_ground_truths: int32, images that carry the text.
        n_tied: int32, images that are no ground truth and tie with the best-ranked one.
        retrieved_index: int32, the first image; -1 when none can be ranked.
        retrieved_score: float32.
        failure: bool, the first image is no ground truth.
    """

    image_index: NDArray[np.int32]
    text_index: NDArray[np.int32]
    own_rank_1based: NDArray[np.int32]
    own_score: NDArray[np.float32]
    rank_1based: NDArray[np.int32]
    ground_truth_index: NDArray[np.int32]
    ground_truth_score: NDArray[np.float32]
    n_ground_truths: NDArray[np.int32]
    n_tied: NDArray[np.int32]
    retrieved_index: NDArray[np.int32]
    retrieved_score: NDArray[np.float32]
    failure: NDArray[np.bool_]


def outcomes(
    ranking: Ranking,
    image_index: NDArray[np.int32],
    text_index: NDArray[np.int32],
) -> Outcomes:
    """Join the places of all ground truths of a text: every image that carries it is one.

    Args:
        ranking: one row a caption, its target the caption's own image.
        image_index, text_index: int32 [n_queries].
    """
    retrieved = ranking.top_k_images[:, 0]
    n_images = int(max(image_index.max(initial=0), retrieved.max(initial=0))) + 1
    carriers = np.unique(text_index.astype(np.int64) * n_images + image_index)
    retrieved_key = text_index.astype(np.int64) * n_images + retrieved
    hit = (retrieved >= 0) & np.isin(retrieved_key, carriers)
    best = _best_of_text(ranking.rank_1based, text_index)
    rank = ranking.rank_1based[best]
    score = ranking.target_score[best]
    n_tied = ranking.n_tied[best] - _tied_ground_truths(ranking, image_index, text_index, best)
    return Outcomes(
        image_index=image_index,
        text_index=text_index,
        own_rank_1based=ranking.rank_1based,
        own_score=ranking.target_score,
        rank_1based=rank,
        ground_truth_index=np.where(rank > 0, image_index[best], -1).astype(np.int32),
        ground_truth_score=score,
        n_ground_truths=np.bincount(carriers // n_images)[text_index].astype(np.int32),
        n_tied=n_tied.astype(np.int32),
        retrieved_index=retrieved,
        retrieved_score=ranking.top_k_scores[:, 0],
        failure=(rank > 0) & ~hit,
    )


def _best_of_text(
    rank_1based: NDArray[np.int32], text_index: NDArray[np.int32]
) -> NDArray[np.int64]:
    """For each query, which query of the same text has the best-ranked image; int64 [n]."""
    last = np.iinfo(np.int32).max
    order = np.lexsort((np.where(rank_1based > 0, rank_1based, last), text_index))
    texts, first = np.unique(text_index[order], return_index=True)
    best = np.empty(int(texts.max(initial=-1)) + 1, dtype=np.int64)
    best[texts] = order[first]
    return best[text_index]


def _tied_ground_truths(
    ranking: Ranking,
    image_index: NDArray[np.int32],
    text_index: NDArray[np.int32],
    best: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many other ground truths tie with the best-ranked one: they are no rivals."""
    score = ranking.target_score.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(score - score[best]) <= TIE_WITHIN
    near &= image_index != image_index[best]
    # The same image may carry the text twice.
    rows = np.flatnonzero(near)
    pairs = np.unique(np.stack((text_index[rows], image_index[rows])), axis=1)
    counts = np.bincount(pairs[0], minlength=int(text_index.max(initial=-1)) + 1)
    tied: NDArray[np.int64] = counts[text_index]
    return tied


def query_table(
    texts: list[str],
    found: Outcomes,
    ranking: Ranking,
    unranked: NDArray[np.object_],
    scores: PairScores,
    informed: PairScores,
) -> pa.Table:
    """One row a query, in caption order.

    Args:
        texts: each query's text.
        found, ranking: how it came out.
        unranked: a code of `UNRANKED` or None, [n_queries].
        scores, informed: one row a failure, in order; plain and query-informed.
    """
    n = len(texts)
    ranked = found.rank_1based > 0
    rows = np.flatnonzero(found.failure)
    with np.errstate(divide="ignore"):
        reciprocal = 1.0 / found.rank_1based
    margin = found.retrieved_score - found.ground_truth_score
    columns: dict[str, Any] = {
        "caption_index": np.arange(n, dtype=np.int32),
        "image_index": found.image_index,
        "text_index": found.text_index,
        "text": pa.array(texts, pa.string()),
        "text_lower": pa.array([text.lower() for text in texts], pa.string()),
        "text_place": _alphabetical(texts),
        "n_words": np.array([len(text.split()) for text in texts], dtype=np.int32),
        "rank_1based": pa.array(found.rank_1based, mask=~ranked),
        "reciprocal_rank": pa.array(reciprocal, mask=~ranked),
        "n_tied": pa.array(found.n_tied, mask=~ranked),
        "n_ranked": ranking.n_ranked,
        "n_ground_truths": found.n_ground_truths,
        "ground_truth_index": pa.array(found.ground_truth_index, mask=~ranked),
        "score_ground_truth": pa.array(found.ground_truth_score, mask=~ranked),
        "own_rank_1based": pa.array(found.own_rank_1based, mask=found.own_rank_1based == 0),
        "own_score": pa.array(found.own_score, mask=found.own_rank_1based == 0),
        "retrieved_image_index": pa.array(found.retrieved_index, mask=found.retrieved_index < 0),
        "score_retrieved": pa.array(found.retrieved_score, mask=found.retrieved_index < 0),
        "margin": pa.array(margin, mask=~ranked),
        "failure": found.failure,
        "unranked_because": pa.array(unranked, pa.string()),
        **score_columns(scores, informed, rows, n),
    }
    return pa.table(columns)


def score_columns(
    scores: PairScores, informed: PairScores, rows: NDArray[np.intp], n: int
) -> dict[str, Any]:
    """The columns that the annotations decide, null where the query did not fail.

    Args:
        scores, informed: one row a failure, plain and query-informed.
        rows: the failures' places among the ``n`` queries.
    """
    columns = {
        **_metric_columns(scores, rows, n, ""),
        **_metric_columns(informed, rows, n, "q_"),
    }
    for name in COUNT_COLUMNS:
        columns[name] = _spread(scores.columns()[name], rows, n)
    return columns


def _alphabetical(texts: list[str]) -> NDArray[np.int32]:
    """The place of each text among all, capitals like small letters; equal texts share one."""
    places = {text: place for place, text in enumerate(sorted(set(texts), key=_as_listed))}
    return np.array([places[text] for text in texts], dtype=np.int32)


def _as_listed(text: str) -> tuple[str, str]:
    return text.lower(), text


def _metric_columns(
    scores: PairScores, rows: NDArray[np.intp], n: int, prefix: str
) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in METRIC_COLUMNS:
        columns[prefix + name] = _spread(scores.columns()[name], rows, n)
    for name in dict.fromkeys(REASON_OF.values()):
        reason = scores.columns()[f"{name}_reason"]
        columns[f"{prefix}{name}_undefined"] = _spread(reason, rows, n)
    return columns


def _spread(values: NDArray[Any], rows: NDArray[np.intp], n: int) -> Any:
    """An Arrow column [n] with the values at the rows, null elsewhere and where NaN."""
    spread = np.zeros(n, dtype=values.dtype)
    null = np.ones(n, dtype=bool)
    spread[rows] = values
    null[rows] = np.isnan(values) if values.dtype.kind == "f" else False
    return pa.array(spread, mask=null)
