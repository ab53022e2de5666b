"""Shortest paths between synsets from each one's distances to its ancestors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_PATH = -1
_FAR = np.int16(10_000)
_DENSE_CELLS = 4_000_000
_ROWS = 1024


class Ancestors(NamedTuple):
    """Ancestors of a list of n synsets, each its own at distance 0, as ragged rows.

    ``offsets`` int64 [n + 1]; ``ids`` int32 and ``distances`` uint8 [offsets[-1]].
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    distances: NDArray[np.uint8]


def shortest_path_lengths(left: Ancestors, right: Ancestors) -> NDArray[np.int16]:
    """Shortest path lengths through a common ancestor, int16 [n, m]; -1 where there is none.

    length(l, r) = min over common ancestors a of d(l, a) + d(r, a), as NLTK's
    ``shortest_path_distance`` without a simulated root.
    """
    n, m = len(left.offsets) - 1, len(right.offsets) - 1
    common, left_column, right_column = _common_columns(left.ids, right.ids)
    if n * m * len(common) <= _DENSE_CELLS:
        lengths = _dense(left, right, left_column, right_column, len(common))
    else:
        lengths = _by_ancestor(left, right, left_column, right_column, len(common))
    lengths[lengths >= _FAR] = NO_PATH
    return lengths


def _common_columns(
    left: NDArray[np.int32], right: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.intp], NDArray[np.intp]]:
    """The ancestors on both sides, and each entry's place among them (-1: not common)."""
    common = np.intersect1d(left, right)

    def place(ids: NDArray[np.int32]) -> NDArray[np.intp]:
        at = np.searchsorted(common, ids)
        at[at == len(common)] = 0
        known = common[at] == ids if len(common) else np.zeros(len(ids), bool)
        return np.where(known, at, -1)

    return common, place(left), place(right)


def _rows(table: Ancestors) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(table.offsets) - 1), np.diff(table.offsets))


def _dense(
    left: Ancestors,
    right: Ancestors,
    left_column: NDArray[np.intp],
    right_column: NDArray[np.intp],
    n_common: int,
) -> NDArray[np.int16]:
    def spread(table: Ancestors, column: NDArray[np.intp]) -> NDArray[np.int16]:
        dense = np.full((len(table.offsets) - 1, n_common), _FAR, np.int16)
        keep = column >= 0
        dense[_rows(table)[keep], column[keep]] = table.distances[keep]
        return dense

    a, b = spread(left, left_column), spread(right, right_column)
    if n_common == 0:
        return np.full((len(a), len(b)), _FAR, np.int16)
    sums: NDArray[np.int16] = (a[:, None, :] + b[None, :, :]).min(axis=2)
    return sums


def _by_ancestor(
    left: Ancestors,
    right: Ancestors,
    left_column: NDArray[np.intp],
    right_column: NDArray[np.intp],
    n_common: int,
) -> NDArray[np.int16]:
    """One update of the descendants' block for each ancestor; a block of rows at a time."""
    lengths = np.full((len(left.offsets) - 1, len(right.offsets) - 1), _FAR, np.int16)
    left_groups = _grouped(left, left_column, n_common)
    right_groups = _grouped(right, right_column, n_common)
    for (rows, d_left), (columns, d_right) in zip(left_groups, right_groups, strict=True):
        whole = len(columns) == lengths.shape[1]
        for start in range(0, len(rows), _ROWS):
            block = rows[start : start + _ROWS]
            sums = d_left[start : start + _ROWS, None] + d_right[None, :]
            where = block if whole else np.ix_(block, columns)
            lengths[where] = np.minimum(lengths[where], sums)
    return lengths


def _grouped(
    table: Ancestors, column: NDArray[np.intp], n_common: int
) -> list[tuple[NDArray[np.intp], NDArray[np.int16]]]:
    """For each common ancestor: the rows below it, ascending, and their distances."""
    keep = np.flatnonzero(column >= 0)
    order = keep[np.argsort(column[keep], kind="stable")]
    ends = np.searchsorted(column[order], np.arange(1, n_common))
    rows = np.split(_rows(table)[order], ends)
    distances = np.split(table.distances[order].astype(np.int16), ends)
    return list(zip(rows, distances, strict=True))
