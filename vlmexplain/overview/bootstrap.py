"""Bootstrap intervals: whole images are drawn again, with all their captions.

The captions of one image are not independent, so the image is what is drawn. Every figure is a
ratio of sums over queries; summed by image first, a draw is one row of a matrix product. Of more
than `MOST_GROUPS` images, groups of images are drawn instead (made once at random, seeded): the
interval is the same but for chance, and a run of half a million queries takes less than a second.
Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993 (percentile intervals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

DRAWS = 1000
LEVEL = 0.95
MOST_GROUPS = 2000
FEWEST_GROUPS = 2
MOST_CANDIDATES = 512
MEDIAN_WITHIN = (0.03, 0.15, 0.5)
"""So far from a half, as a share of the values, a drawn median is looked for, in turn."""

Sums = tuple[NDArray[np.float64], NDArray[np.float64] | None]
"""Of the groups, what a figure has above and below its line; None below: a total."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval at `LEVEL`; ``low`` <= ``high``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Draws:
    """The draws of one set of rows.

    Attributes:
        group: int64 [n_rows], which group a row belongs to.
        n_groups: how many groups hold a row.
        weights: float64 [DRAWS, n_groups], how often each group is drawn.
    """

    group: NDArray[np.int64]
    n_groups: int
    weights: NDArray[np.float64]

    def sums(self, values: NDArray[np.generic]) -> NDArray[np.float64]:
        """Sum of ``values`` [n_rows] over each group; float64 [n_groups]."""
        weights = values.astype(np.float64, copy=False)
        summed = np.bincount(self.group, weights=weights, minlength=self.n_groups)
        return summed.astype(np.float64, copy=False)


def draw_images(image_index: NDArray[np.int32], seed: int = 0, draws: int = DRAWS) -> Draws:
    """Group the rows by image and draw the groups.

    Args:
        image_index: int32 [n_rows], the image of each row.
        seed: the same seed gives the same draws.
    """
    held = np.bincount(image_index) > 0
    number, n_images = np.cumsum(held) - 1, int(held.sum())
    if n_images > MOST_GROUPS:
        number = (np.random.default_rng(seed % 2**64).permutation(n_images) % MOST_GROUPS)[number]
    n_groups = min(n_images, MOST_GROUPS)
    return Draws(number[image_index], n_groups, _weights(n_groups, seed, draws))


@lru_cache(maxsize=4)
def _weights(n_groups: int, seed: int, draws: int) -> NDArray[np.float64]:
    if not n_groups:
        return np.zeros((draws, 0))
    rng = np.random.default_rng((seed % 2**64, n_groups))
    drawn = rng.integers(n_groups, size=(draws, n_groups)) + np.arange(draws)[:, None] * n_groups
    counts = np.bincount(drawn.ravel(), minlength=draws * n_groups)
    return counts.reshape(draws, n_groups).astype(np.float64)


def interval_of(drawn: NDArray[np.float64], n_groups: int) -> Interval | None:
    """The interval of a figure's draws, NaN where a draw leaves it undefined.

    None when fewer than `FEWEST_GROUPS` images hold a case, or no draw has a value.
    """
    drawn = drawn[~np.isnan(drawn)]
    if n_groups < FEWEST_GROUPS or not len(drawn):
        return None
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return Interval(float(low), float(high))


def ratio_draws(
    draws: Draws, above: NDArray[np.generic], below: NDArray[np.generic] | None
) -> NDArray[np.float64]:
    """The drawn values of sum(above) / sum(below), float64 [draws]; of sum(above) without below."""
    bottom = None if below is None else draws.sums(below)
    drawn: NDArray[np.float64] = summed_draws(draws, [(draws.sums(above), bottom)])[0]
    return drawn


def summed_draws(draws: Draws, sums: Sequence[Sums]) -> NDArray[np.float64]:
    """As `ratio_draws` for many figures at once, from their sums over the groups.

    One product of matrices reads the weights once, where one a figure takes ten times as long.

    Returns:
        float64 [len(sums), draws].
    """
    ones = np.zeros(draws.n_groups)  # stands where nothing is below
    columns = [column for above, below in sums
               for column in (above, ones if below is None else below)]  # fmt: skip
    drawn = (draws.weights @ np.stack(columns, axis=1)).T
    top, bottom = drawn[0::2], drawn[1::2]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(bottom > 0, top / bottom, np.nan)
    total = np.array([below is None for _, below in sums])
    return np.where(total[:, None], top, ratio)


def median_draws(draws: Draws, values: NDArray[np.int32]) -> NDArray[np.float64]:
    """The drawn medians of ``values`` [n_rows], float64 [draws].

    Only values near the median are looked at, more of them when a draw's median is not among them.
    Of more than `MOST_CANDIDATES` of these only as many are told apart, evenly by rank.
    """
    if not len(values):
        return np.full(len(draws.weights), np.nan)
    found, counts, place = distinct_values(values)
    total = draws.weights @ draws.sums(np.ones(len(values)))
    half = total / 2
    share = np.cumsum(counts) / len(values)
    for width in MEDIAN_WITHIN:
        near = _near_half(share, width)
        below = draws.weights @ draws.sums(place < near[0])
        column = np.searchsorted(near, place)
        column[place < near[0]] = len(near)
        drawn = draws.weights @ _histogram(draws, column, len(near))
        reached = below[:, None] + np.cumsum(drawn, axis=1)
        if np.all((total == 0) | ((below < half - 1e-9) & (reached[:, -1] > half + 1e-9))):
            break
    lower = _first(reached >= half[:, None] - 1e-9)
    upper = _first(reached > half[:, None] + 1e-9)
    candidates = found[near]
    result: NDArray[np.float64] = (candidates[lower] + candidates[upper]) / 2
    return np.where(total > 0, result, np.nan)


def _near_half(share: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Places of the values whose share of smaller or equal ones is within ``width`` of a half."""
    first, last = np.searchsorted(share, (0.5 - width, 0.5 + width - 1e-12)).tolist()
    last = min(last, len(share) - 1)
    if last - first < MOST_CANDIDATES:
        return np.arange(first, last + 1)
    wanted = np.linspace(share[first], share[last], MOST_CANDIDATES)
    return np.unique(np.minimum(np.searchsorted(share, wanted), last))


def mode_draws(draws: Draws, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The drawn modes of ``values`` [n_rows] (NaN: no value), the smallest of several."""
    defined = ~np.isnan(values)
    candidates, counts, place = distinct_values(values[defined])
    if not len(candidates):
        return np.full(len(draws.weights), np.nan)
    likely = np.sort(np.argsort(-counts, kind="stable")[:64])
    column = np.full(len(candidates), len(likely))
    column[likely] = np.arange(len(likely))
    some = Draws(draws.group[defined], draws.n_groups, draws.weights)
    drawn = draws.weights @ _histogram(some, column[place], len(likely))
    best: NDArray[np.float64] = candidates[likely][np.argmax(drawn, axis=1)]
    return np.where(drawn.sum(axis=1) > 0, best, np.nan)


def distinct_values(
    values: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """As `numpy.unique` with counts and inverse: a hash of few distinct values, not a sort of all.

    Returns:
        the distinct values ascending, how often each occurs, and the place of each value in them.
    """
    encoded = pa.array(values).dictionary_encode()
    found, codes = encoded.dictionary.to_numpy(), encoded.indices.to_numpy()
    order = np.argsort(found)
    place_of = np.empty(len(found), dtype=np.int64)
    place_of[order] = np.arange(len(found))
    place = place_of[codes]
    return found[order], np.bincount(place, minlength=len(found)), place


def _histogram(draws: Draws, place: NDArray[np.int64], n_places: int) -> NDArray[np.float64]:
    """How many rows of each group are at each place, float64 [n_groups, n_places]; others none."""
    known = place < n_places
    flat = draws.group[known] * n_places + place[known]
    counts = np.bincount(flat, minlength=draws.n_groups * n_places)
    return counts.reshape(draws.n_groups, n_places).astype(np.float64)


def _first(true: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first True of each row, the last column where there is none."""
    first: NDArray[np.int64] = np.where(
        true.any(axis=1), np.argmax(true, axis=1), true.shape[1] - 1
    )
    return first
