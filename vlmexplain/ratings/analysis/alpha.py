"""Krippendorff's alpha of a table of value counts, for many weightings of its items at once."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["ordinal", "nominal"]


def alphas(
    counts: NDArray[np.int64], weights: NDArray[np.int64], level: Level
) -> NDArray[np.float64]:
    """Alpha under each weighting, float64 [n_weightings]; NaN where fewer than two values occur.

    alpha = 1 - (n - 1) sum_u (c_u D c_u) / (n_u - 1) / (N D N), with c_u the value counts of item
    u, n_u their sum, N the counts of all items, n their sum, D the squared distances of values: 1
    between different ones (nominal), or the squared difference of their middle ranks (ordinal).
    Reference: K. Krippendorff, Content Analysis, 4th ed. (2019), ch. 12.

    Args:
        counts: int64 [n_items, n_values], values in order; every row sums to 2 or more.
        weights: int64 [n_weightings, n_items], how often each item is there.

    >>> two_raters = np.array([[1, 1, 0], [0, 0, 2]])
    >>> alphas(two_raters, np.array([[1, 1], [0, 1]]), "ordinal").round(6).tolist()
    [0.833333, nan]
    """
    n_values = counts.shape[1]
    coincident = counts[:, :, None] * counts[:, None, :] / (counts.sum(axis=1) - 1)[:, None, None]
    observed = weights @ coincident.reshape(len(counts), -1)
    total = weights @ counts
    if level == "ordinal":
        middle_rank = np.cumsum(total, axis=1) - total / 2
        distance = (middle_rank[:, :, None] - middle_rank[:, None, :]) ** 2
    else:
        distance = np.broadcast_to(1.0 - np.eye(n_values), (len(total), n_values, n_values))
    disagreed = (observed.reshape(distance.shape) * distance).sum(axis=(1, 2))
    by_chance = ((total[:, :, None] * total[:, None, :]) * distance).sum(axis=(1, 2))
    several = (total > 0).sum(axis=1) > 1
    found = np.full(len(weights), np.nan)
    n = total.sum(axis=1)[several]
    found[several] = 1 - (n - 1) * disagreed[several] / by_chance[several]
    return found
