"""People against the automatic metrics: rank correlations, and where they disagree most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.metrics.table import METRICS
from vlmexplain.ratings.analysis.ratings import mean_rating_by_item
from vlmexplain.ratings.plan.rows import RatingRow

FEWEST_ITEMS = 3

LOW_IS_GOOD = frozenset(
    prefix + metric.key for metric in METRICS if metric.good == "low" for prefix in ("", "q_")
) | {"rank_1based", "margin", "sd_raw", "q_sd_raw"}
"""Columns in which a low value is good; in all others a high one is."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation of the items' mean ratings with a metric.

    Attributes:
        key: the metric.
        rho: -1..1; None when undefined.
        p_value: two-sided, of no correlation; None when undefined.
        n: items with a rating and a value.
        n_undefined: rated items on which the metric is undefined.
        high_is_good: whether agreement of people and metric shows as a positive rho.
        undefined_because: why, when rho is None.
    """

    key: str
    rho: float | None
    p_value: float | None
    n: int
    n_undefined: int
    high_is_good: bool
    undefined_because: str | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item that people and a metric see differently.

    Attributes:
        caption_index: opens the query on the Explore page.
        people, metric: how good the item is among the others by each, 0 worst .. 1 best (mean
            rank of ties).
        difference: people - metric; positive: people like what the metric does not.
    """

    key: str
    item: int
    caption_index: int
    query: str
    mean_rating: float
    n_ratings: int
    value: float
    people: float
    metric: float
    difference: float


def correlations(answers: Sequence[RatingRow], keys: Sequence[str]) -> tuple[Correlation, ...]:
    """Spearman's rho of each metric, over items.

    Reference: C. Spearman (1904); computed by `scipy.stats.spearmanr`, ties by mean rank.

    Args:
        answers: from `rows.first_answers`.
        keys: metrics of the items.
    """
    return tuple(_correlation(answers, key) for key in keys)


def disagreements(
    answers: Sequence[RatingRow], keys: Sequence[str], at_most: int = 20
) -> tuple[Disagreement, ...]:
    """For each metric the items on which people and metric differ most, the largest first."""
    found: list[Disagreement] = []
    for key in keys:
        rows, ratings, values = _paired(answers, key)
        if len(rows) < FEWEST_ITEMS:
            continue
        people = _place(ratings)
        metric = _place(-values if key in LOW_IS_GOOD else values)
        n_ratings = _ratings_of(answers)
        order = np.lexsort((np.arange(len(rows)), -np.abs(people - metric)))[:at_most]
        found.extend(
            Disagreement(
                key,
                rows[i].item,
                rows[i].caption_index,
                rows[i].query,
                float(ratings[i]),
                n_ratings[rows[i].item],
                float(values[i]),
                float(people[i]),
                float(metric[i]),
                float(people[i] - metric[i]),
            )
            for i in order.tolist()
            if people[i] != metric[i]
        )
    return tuple(found)


def _correlation(answers: Sequence[RatingRow], key: str) -> Correlation:
    from scipy import stats

    rows, ratings, values = _paired(answers, key)
    n, n_undefined = len(rows), len(mean_rating_by_item(answers)) - len(rows)
    good = key not in LOW_IS_GOOD
    why = None
    if n < FEWEST_ITEMS:
        why = f"only {n} items have a rating and a value"
    elif len(np.unique(ratings)) < 2:
        why = "all items have the same mean rating"
    elif len(np.unique(values)) < 2:
        why = "all items have the same value"
    if why:
        return Correlation(key, None, None, n, n_undefined, good, why)
    result = stats.spearmanr(ratings, values)
    return Correlation(
        key, float(result.statistic), float(result.pvalue), n, n_undefined, good, None
    )


def _paired(
    answers: Sequence[RatingRow], key: str
) -> tuple[list[RatingRow], NDArray[np.float64], NDArray[np.float64]]:
    """One row an item that has both, with its mean rating and its value."""
    means: Mapping[int, float] = mean_rating_by_item(answers)
    one_each = {row.item: row for row in answers}
    rows = [one_each[item] for item in sorted(means) if one_each[item].metrics.get(key) is not None]
    values = [row.metrics[key] for row in rows]
    return (
        rows,
        np.array([means[row.item] for row in rows], dtype=np.float64),
        np.array(values, dtype=np.float64),
    )


def _place(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean rank of each value, 0 for the lowest .. 1 for the highest."""
    from scipy import stats

    ranks: NDArray[np.float64] = stats.rankdata(values, method="average")
    return (ranks - 1) / max(len(values) - 1, 1)


def _ratings_of(answers: Sequence[RatingRow]) -> dict[int, int]:
    counted: dict[int, int] = {}
    for row in answers:
        if row.rating is not None:
            counted[row.item] = counted.get(row.item, 0) + 1
    return counted
