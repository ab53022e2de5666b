"""Do raters agree: Krippendorff's alpha with bootstrap intervals over items."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.ratings.analysis.alpha import Level, alphas
from vlmexplain.ratings.analysis.figure import Interval
from vlmexplain.ratings.plan.rows import RatingRow, by_item
from vlmexplain.ratings.plan.spec import SessionSpec

FEWEST_RESAMPLES = 20
"""An interval needs at least this many resamples in which alpha is defined."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Alpha: 1 full agreement, 0 as by chance, below 0 worse than chance.

    Attributes:
        rating: ordinal; None in a ``choice``.
        preference: nominal; None in a ``rating``.
        by_class: nominal, marked or not, each class.
        n_raters: raters with an answer.
        n_pairable_items: items with two answers or more; the n of every alpha.
    """

    rating: Interval | None
    preference: Interval | None
    by_class: dict[str, Interval]
    n_raters: int
    n_pairable_items: int


def agreement_of(
    answers: Sequence[RatingRow], spec: SessionSpec, seed: int = 0, resamples: int = 500
) -> Agreement:
    """Alpha of the ratings (ordinal), the preference and each class (nominal).

    The 95 % intervals are percentiles over items drawn with replacement.

    Args:
        answers: from `rows.first_answers`.
        seed, resamples: of the bootstrap.
    """
    raters = {row.rater for row in answers}
    groups = by_item(answers)

    def alpha(value: Callable[[RatingRow], object], level: Level) -> Interval:
        if len(raters) < 2:
            return _undefined("fewer than two raters")
        counts = value_counts(groups, value)
        return alpha_interval(counts, level, seed, resamples)

    rating = spec.kind == "rating"
    return Agreement(
        rating=alpha(lambda row: row.rating, "ordinal") if rating else None,
        preference=None if rating else alpha(lambda row: row.preference, "nominal"),
        by_class={key: alpha(_marks(key), "nominal") for key in spec.class_keys()},
        n_raters=len(raters),
        n_pairable_items=sum(len(rows) > 1 for rows in groups.values()),
    )


def value_counts(
    groups: Mapping[int, Sequence[RatingRow]], value: Callable[[RatingRow], object]
) -> NDArray[np.int64]:
    """How many raters gave each value to each item that has two or more: [n_items, n_values].

    Values that occur among them, in order.
    """
    given = [[v for row in rows if (v := value(row)) is not None] for rows in groups.values()]
    given = [values for values in given if len(values) > 1]
    domain = sorted({v for values in given for v in values})  # type: ignore[type-var]
    counts = np.zeros((len(given), len(domain)), dtype=np.int64)
    for n, values in enumerate(given):
        for v in values:
            counts[n, domain.index(v)] += 1
    return counts


def alpha_interval(counts: NDArray[np.int64], level: Level, seed: int, resamples: int) -> Interval:
    """Alpha of a table of value counts with its interval.

    Args:
        counts: int64 [n_items, n_values], every row with two or more, values in order.
    """
    n = len(counts)
    if not n:
        return _undefined("no item has answers of two raters")
    (value,) = alphas(counts, np.ones((1, n), np.int64), level).tolist()
    if math.isnan(value):
        return Interval(None, None, None, n, "all answers are the same, so chance cannot be told")
    rng = np.random.default_rng(seed % 2**64)
    drawn = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples)]
    found = alphas(counts, np.stack(drawn), level)
    defined = found[~np.isnan(found)]
    if n < 2 or len(defined) < FEWEST_RESAMPLES:
        return Interval(value, None, None, n, None, "too few items for an interval")
    low, high = np.percentile(defined, [2.5, 97.5])
    return Interval(value, float(low), float(high), n)


def _marks(key: str) -> Callable[[RatingRow], object]:
    return lambda row: key in row.classes


def _undefined(why: str) -> Interval:
    return Interval(None, None, None, 0, why)
