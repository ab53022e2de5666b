"""Two runs on the same queries: who is right where, and by how much each metric differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from vlmexplain.errors import DataError
from vlmexplain.metrics.table import metric_of
from vlmexplain.overview.bootstrap import Interval, draw_images, interval_of, ratio_draws
from vlmexplain.overview.run_columns import RunColumns

Quadrant = Literal["both-right", "only-a", "only-b", "both-wrong"]
QUADRANTS: dict[Quadrant, str] = {
    "both-right": "Both right",
    "only-a": "Only A right",
    "only-b": "Only B right",
    "both-wrong": "Both wrong",
}
Side = Literal["any", "a", "b", "equal"]
SIDES: dict[Side, str] = {
    "any": "both have a value",
    "a": "A is better",
    "b": "B is better",
    "equal": "both are equal",
}
COMPARED = ("rr", "ca", "ncs", "ce", "sd")


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One metric over the queries where both runs have a value.

    Attributes:
        key: ``rr`` over all queries that both ranked; else over those that both failed.
        n: how many queries; 0 and None below when there is none.
        mean_a, mean_b: over these very queries.
        difference: mean of B - A.
        interval: of the difference; paired bootstrap over images.
        better_a, better_b, equal: on how many queries either is better, by the direction.
        sign_p: two-sided exact sign test over those that are not equal; None when all are.
    """

    key: str
    n: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    interval: Interval | None
    better_a: int
    better_b: int
    equal: int
    sign_p: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of one gallery.

    Attributes:
        quadrant: int8 [n_queries], the place in `QUADRANTS`; -1 where either has no rank.
        counts: queries by quadrant.
        right_p: two-sided exact sign test over the queries that only one has right (McNemar).
        differences: by metric, `COMPARED`.
    """

    quadrant: NDArray[np.int8]
    counts: dict[Quadrant, int]
    right_p: float | None
    differences: tuple[PairedDifference, ...]


def compare_runs(
    a: RunColumns, b: RunColumns, chosen: NDArray[np.bool_] | None = None, seed: int = 0
) -> Comparison:
    """Compare two runs of one gallery over all queries, or over the chosen ones.

    Raises:
        DataError: the runs are not of the same queries.
    """
    if len(a) != len(b) or not np.array_equal(a.image_index, b.image_index):
        raise DataError(
            "the two runs are not of the same queries.", remedy="Choose runs of one gallery."
        )
    ranked = (a.rank_1based > 0) & (b.rank_1based > 0)
    if chosen is not None:
        ranked &= chosen
    quadrant = (2 * a.failure.astype(np.int8) + b.failure).astype(np.int8)
    quadrant[~ranked] = -1
    counts = {name: int(np.count_nonzero(quadrant == n)) for n, name in enumerate(QUADRANTS)}
    differences = tuple(_difference(key, a, b, ranked, seed) for key in COMPARED)
    return Comparison(quadrant, counts, sign_test(counts["only-a"], counts["only-b"]), differences)


def query_differences(key: str, a: RunColumns, b: RunColumns) -> NDArray[np.float64]:
    """B - A of one of `COMPARED` for each query, float64 [n_queries]; NaN where either has none."""
    return _values(key, b) - _values(key, a)


def quadrant_queries(
    found: Comparison, name: Quadrant | None, key: str, a: RunColumns, b: RunColumns
) -> NDArray[np.int64]:
    """The queries of a quadrant (None: all compared), the largest difference first.

    Queries without a difference come last, in the order of the gallery.
    """
    rows = np.flatnonzero(
        found.quadrant >= 0 if name is None else found.quadrant == list(QUADRANTS).index(name)
    )
    size = np.abs(query_differences(key, a, b)[rows])
    return rows[np.argsort(np.where(np.isnan(size), -1.0, size) * -1, kind="stable")]


def sided(
    queries: NDArray[np.int64], side: Side, key: str, a: RunColumns, b: RunColumns
) -> NDArray[np.int64]:
    """Those of the queries where both have a value of one of `COMPARED`, or A or B is better."""
    gain = _sign(key) * query_differences(key, a, b)[queries]
    kept = {"any": gain == gain, "a": gain < 0, "b": gain > 0, "equal": gain == 0}[side]
    found: NDArray[np.int64] = queries[kept]
    return found


def sign_test(wins: int, losses: int) -> float | None:
    """Two-sided exact sign test; None without a win or a loss.

    >>> sign_test(5, 5), round(sign_test(10, 0), 4), sign_test(0, 0)
    (1.0, 0.002, None)
    """
    if not wins + losses:
        return None
    return float(binomtest(wins, wins + losses).pvalue)


def _difference(
    key: str, a: RunColumns, b: RunColumns, ranked: NDArray[np.bool_], seed: int
) -> PairedDifference:
    left, right = _values(key, a), _values(key, b)
    rows = np.flatnonzero(ranked & ~np.isnan(left) & ~np.isnan(right))
    n = len(rows)
    if not n:
        return PairedDifference(key, 0, None, None, None, None, 0, 0, 0, None)
    difference = right[rows] - left[rows]
    draws = draw_images(a.image_index[rows], seed)
    interval = interval_of(ratio_draws(draws, difference, np.ones(n)), draws.n_groups)
    better_b = int(np.count_nonzero(_sign(key) * difference > 0))
    better_a = int(np.count_nonzero(_sign(key) * difference < 0))
    return PairedDifference(
        key,
        n,
        float(left[rows].mean()),
        float(right[rows].mean()),
        float(difference.mean()),
        interval,
        better_a,
        better_b,
        n - better_a - better_b,
        sign_test(better_a, better_b),
    )


def _sign(key: str) -> int:
    return 1 if metric_of(key).good == "high" else -1


def _values(key: str, columns: RunColumns) -> NDArray[np.float64]:
    if key == "rr":
        rank = columns.rank_1based
        return np.where(rank > 0, 1 / np.maximum(rank, 1), np.nan)
    values: NDArray[np.float64] = columns.column(key)
    return values
