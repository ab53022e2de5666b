"""A sample of items, seeded, and in proportion over the range of a metric."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.plan.items import RatingItem

MOST_STRATA = 1000


def sample_items(
    items: Sequence[RatingItem],
    n: int,
    seed: int,
    stratify_by: str | None = None,
    n_strata: int = 4,
) -> tuple[RatingItem, ...]:
    """``n`` items without replacement, in their given order; the same for the same seed.

    With ``stratify_by`` the items are cut at the quantiles of that metric into ``n_strata``
    strata (equal values are never parted; items where it is undefined are a stratum of their
    own), and each stratum gives its share of ``n`` (largest remainders first). All items are
    given when there are no more than ``n``.

    Raises:
        DataError: ``n`` or ``n_strata`` below 1, or more than `MOST_STRATA`.
        UnknownName: no item has the metric.
    """
    values = None if stratify_by is None or n >= len(items) else _values(items, stratify_by)
    places = sample_places(len(items), n, seed, values, n_strata)
    return tuple(items[i] for i in places.tolist())


def sample_places(
    n_items: int,
    n: int,
    seed: int,
    values: NDArray[np.float64] | None = None,
    n_strata: int = 4,
) -> NDArray[np.intp]:
    """Which of ``n_items`` a sample takes, as `sample_items`, in order: intp [min(n, n_items)].

    Args:
        values: what to stratify by, [n_items], NaN where undefined; None: do not.

    Raises:
        DataError: ``n`` or ``n_strata`` below 1, or more than `MOST_STRATA`.
    """
    if n < 1 or not 1 <= n_strata <= MOST_STRATA:
        raise DataError(
            f"a sample of {n} items in {n_strata} strata cannot be drawn.",
            remedy=f"Both are 1 or more, and there are at most {MOST_STRATA} strata.",
        )
    if n >= n_items:
        return np.arange(n_items)
    rng = np.random.default_rng(seed % 2**64)
    if values is None:
        return np.sort(rng.choice(n_items, n, replace=False))
    strata = _strata(values, n_strata)
    shares = _shares([len(stratum) for stratum in strata], n)
    drawn = [
        rng.choice(members, share, replace=False)
        for members, share in zip(strata, shares, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def _values(items: Sequence[RatingItem], key: str) -> NDArray[np.float64]:
    known = sorted({name for item in items for name in item.metrics})
    if key not in known:
        raise UnknownName("metric of the items", key, known)
    given = [item.metrics.get(key) for item in items]
    return np.array([np.nan if value is None else value for value in given], dtype=np.float64)


def _strata(values: NDArray[np.float64], n_strata: int) -> list[NDArray[np.intp]]:
    undefined = np.isnan(values)
    stratum = np.full(len(values), n_strata)
    if not undefined.all():
        cuts = np.quantile(values[~undefined], np.arange(1, n_strata) / n_strata)
        stratum[~undefined] = np.searchsorted(cuts, values[~undefined], side="left")
    return [np.flatnonzero(stratum == s) for s in np.unique(stratum)]


def _shares(sizes: Sequence[int], n: int) -> list[int]:
    """``n`` parted in proportion to the sizes, by largest remainder.

    >>> _shares([10, 10, 1], 8)
    [4, 4, 0]
    """
    exact = [n * size / sum(sizes) for size in sizes]
    shares = [int(part) for part in exact]
    by_remainder = sorted(range(len(sizes)), key=lambda s: (shares[s] - exact[s], s))
    for s in by_remainder[: n - sum(shares)]:
        shares[s] += 1
    return shares
