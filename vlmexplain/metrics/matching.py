"""Matchings that come out the same every time, whatever the order of the input."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vlmexplain.records import RelativeTo

MORE_PAIRS = 1e-13
"""Weight of "one matched pair more" where two matchings of similarities weigh the same."""

Floats = NDArray[np.float64]

Places = tuple[list[int], list[int]]
"""Matched places on the left and on the right, pair by pair, left places ascending."""


def match_similar(similarity: Floats, flip: bool = False) -> Places:
    """Maximum-weight matching of a complete bipartite graph.

    A pair without a path weighs 0 and is not matched. Of matchings with the same weight one
    with the most pairs is taken, since the mean over the pairs depends on their number.

    Args:
        similarity: float64 [n, m] in (0, 1]; NaN where there is no path.
        flip: solve the transposed problem. Whoever passes names sorted, and flips when the
            right side comes first, gets the same pairs with the sides exchanged.

    >>> match_similar(np.array([[0.5, 0.25], [0.5, np.nan]]))
    ([0, 1], [1, 0])
    """
    weights = similarity.T if flip else similarity
    absent = np.isnan(weights)
    any_absent = bool(absent.any())
    if any_absent:
        weights = np.where(absent, 0.0, weights + MORE_PAIRS)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    if any_absent:
        kept = ~absent[rows, columns]
        rows, columns = rows[kept], columns[kept]
    if flip:
        order = np.argsort(columns)
        rows, columns = columns[order], rows[order]
    return rows.tolist(), columns.tolist()


def size_differences(left: Floats, right: Floats, relative_to: RelativeTo) -> Floats:
    """D_A of areas (all > 0), element by element or broadcast, as `size_disagreement` has it.

    >>> size_differences(np.array([0.1, 0.2]), np.array([0.2, 0.1]), "smaller").tolist()
    [1.0, 1.0]
    """
    difference: Floats = np.abs(left - right)
    if relative_to == "smaller":
        return difference / np.minimum(left, right)
    return difference / left if relative_to == "ground-truth" else difference


def size_difference(left: float, right: float, relative_to: RelativeTo) -> float:
    """`size_differences` of two areas.

    >>> size_difference(0.1, 0.2, "smaller")
    1.0
    """
    difference = abs(left - right)
    if relative_to == "smaller":
        return difference / min(left, right)
    return difference / left if relative_to == "ground-truth" else difference


def match_sizes(
    left: Sequence[float] | Floats,
    right: Sequence[float] | Floats,
    relative_to: RelativeTo,
) -> Places:
    """Minimum-weight full matching of two sides of areas by their difference D_A.

    Except relative to the ground truth, D_A grows with the distance of two numbers (the areas,
    or their logarithms) and does so convexly; then pairing in ascending order is a cheapest
    matching of two equal-sized sides, and the one we take where several are as cheap.

    Args:
        left, right: areas > 0, float64 [n] and [m], each ascending.
        relative_to: what D_A is relative to.
    """
    n_left, n_right = len(left), len(right)
    if not n_left or not n_right:
        return [], []
    in_order = relative_to != "ground-truth"
    if n_left == n_right and (in_order or n_left == 1):
        return list(range(n_left)), list(range(n_left))
    if n_left == 1:  # the nearest, and of several the first
        costs = [size_difference(left[0], area, relative_to) for area in right]
        return [0], [costs.index(min(costs))]
    if n_right == 1:
        costs = [size_difference(area, right[0], relative_to) for area in left]
        return [costs.index(min(costs))], [0]
    cost = size_differences(np.asarray(left)[:, None], np.asarray(right)[None, :], relative_to)
    flip = n_right < n_left
    rows, columns = linear_sum_assignment(cost.T if flip else cost)
    if in_order:
        columns = np.sort(columns)
    if flip:
        order = np.argsort(columns)
        rows, columns = columns[order], rows[order]
    return rows.tolist(), columns.tolist()
