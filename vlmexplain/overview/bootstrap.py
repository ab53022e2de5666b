"""Bootstrap intervals: whole images are drawn again, with all their captions.

The captions of one image are not independent, so the image is what is drawn. Every figure is a
ratio of sums over queries; summed by image first, a draw is one row of a matrix product. Of more
than `MOST_GROUPS` images, groups of images are drawn instead (made once at random, seeded): the
interval is the same but for chance, and a run of half a million queries takes less than a second.
Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993 (percentile intervals).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

DRAWS = 1000
LEVEL = 0.95
MOST_GROUPS = 2000
FEWEST_GROUPS = 2
MOST_CANDIDATES = 512


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
        summed = np.bincount(self.group, weights=values, minlength=self.n_groups)
        return summed.astype(np.float64, copy=False)


def draw_images(image_index: NDArray[np.int32], seed: int = 0, draws: int = DRAWS) -> Draws:
    """Group the rows by image and draw the groups.

    Args:
        image_index: int32 [n_rows], the image of each row.
        seed: the same seed gives the same draws.
    """
    images, group = np.unique(image_index, return_inverse=True)
    if len(images) > MOST_GROUPS:
        order = np.random.default_rng(seed).permutation(len(images)) % MOST_GROUPS
        group = order[group]
    n_groups = min(len(images), MOST_GROUPS)
    return Draws(group.astype(np.int64), n_groups, _weights(n_groups, seed, draws))


@lru_cache(maxsize=4)
def _weights(n_groups: int, seed: int, draws: int) -> NDArray[np.float64]:
    if not n_groups:
        return np.zeros((draws, 0))
    rng = np.random.default_rng((seed, n_groups))
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
    top = draws.weights @ draws.sums(above)
    if below is None:
        return top
    bottom = draws.weights @ draws.sums(below)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def median_draws(draws: Draws, values: NDArray[np.int32]) -> NDArray[np.float64]:
    """The drawn medians of ``values`` [n_rows], float64 [draws].

    Of more than `MOST_CANDIDATES` distinct values, only as many quantiles between the first and
    the third quartile are told apart.
    """
    if not len(values):
        return np.full(len(draws.weights), np.nan)
    candidates = np.unique(values)
    if len(candidates) > MOST_CANDIDATES:
        places = np.linspace(0.25, 0.75, MOST_CANDIDATES)
        candidates = np.unique(np.quantile(values, places, method="inverted_cdf"))
    drawn = draws.weights @ _histogram(draws, np.searchsorted(candidates, values), len(candidates))
    reached = np.cumsum(drawn, axis=1)
    total = draws.weights @ draws.sums(np.ones(len(values)))
    half = total[:, None] / 2
    lower = _first(reached >= half - 1e-9)
    upper = _first(reached > half + 1e-9)
    result: NDArray[np.float64] = (candidates[lower] + candidates[upper]) / 2
    return np.where(total > 0, result, np.nan)


def mode_draws(draws: Draws, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The drawn modes of ``values`` [n_rows] (NaN: no value), the smallest of several."""
    candidates, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if not len(candidates):
        return np.full(len(draws.weights), np.nan)
    likely = np.sort(np.argsort(-counts, kind="stable")[:64])
    candidates = candidates[likely]
    place = np.searchsorted(candidates, np.nan_to_num(values, nan=-1.0))
    place = np.where(candidates[place % len(candidates)] == values, place, len(candidates))
    drawn = draws.weights @ _histogram(draws, place, len(candidates))
    best: NDArray[np.float64] = candidates[np.argmax(drawn, axis=1)]
    return np.where(drawn.sum(axis=1) > 0, best, np.nan)


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
