"""The sizes of the common things of many pairs of images at once."""

from __future__ import annotations

import math

import numpy as np

from vlmexplain.metrics.concept_sets import ConceptSets, Mask, ranges
from vlmexplain.metrics.inventory_table import Floats, Ints, InventoryTable
from vlmexplain.metrics.matching import match_sizes, size_differences
from vlmexplain.metrics.size_disagreement import ROUNDING
from vlmexplain.records import MetricOptions, RelativeTo


def compare_sizes(
    table: InventoryTable, sets: ConceptSets, options: MetricOptions
) -> tuple[Ints, Ints, Floats]:
    """Matched boxes of each pair, those that reach the threshold, and the sum of D_A."""
    rows, differences = matched_sizes(table, sets, options.relative_to)
    pair = sets.common_ground_truth.pair[rows]
    order = np.argsort(pair, kind="stable")
    differences = differences[order]
    n_sizes = np.bincount(pair, minlength=sets.n_pairs)
    over = reach_threshold(differences, options)
    total = np.zeros(sets.n_pairs)
    ends = np.cumsum(n_sizes)
    listed, starts = differences.tolist(), (ends - n_sizes).tolist()
    for row in np.flatnonzero(n_sizes).tolist():
        total[row] = math.fsum(listed[starts[row] : ends[row]])
    return n_sizes, np.bincount(pair[order][over], minlength=sets.n_pairs), total


def reach_threshold(differences: Floats, options: MetricOptions) -> Mask:
    """Which D_A reach the threshold, up to rounding."""
    over: Mask = differences >= options.size_threshold * (1 - ROUNDING)
    return over


def matched_sizes(
    table: InventoryTable, sets: ConceptSets, relative_to: RelativeTo
) -> tuple[Ints, Floats]:
    """D_A of every matched pair of boxes, and the row of ``sets.common_...`` it is of, unsorted."""
    areas = table.area_px if relative_to == "pixels" else table.share
    left, right = sets.common_ground_truth, sets.common_retrieved
    start_left, start_right = table.box_offsets[left.entry], table.box_offsets[right.entry]
    n_left = table.box_offsets[left.entry + 1] - start_left
    n_right = table.box_offsets[right.entry + 1] - start_right
    both = (n_left > 0) & (n_right > 0)
    in_order = (n_left == n_right) & ((n_left == 1) | (relative_to != "ground-truth"))
    one = (np.minimum(n_left, n_right) == 1) & ~in_order

    rows = np.flatnonzero(both & in_order)
    place_left, of = ranges(start_left[rows], n_left[rows])
    place_right, _ = ranges(start_right[rows], n_right[rows])
    found_rows = [rows[of]]
    found = [size_differences(areas[place_left], areas[place_right], relative_to)]

    rows = np.flatnonzero(both & one)  # one box against several takes the nearest
    if len(rows):
        edge, of = ranges(np.zeros(len(rows), np.int64), (n_left * n_right)[rows])
        a = areas[start_left[rows][of] + np.where(n_left[rows] > 1, 1, 0)[of] * edge]
        b = areas[start_right[rows][of] + np.where(n_right[rows] > 1, 1, 0)[of] * edge]
        firsts = np.flatnonzero(edge == 0)
        found_rows.append(rows)
        found.append(np.minimum.reduceat(size_differences(a, b, relative_to), firsts))

    for row in np.flatnonzero(both & ~in_order & ~one).tolist():
        a = areas[start_left[row] : start_left[row] + n_left[row]]
        b = areas[start_right[row] : start_right[row] + n_right[row]]
        i, j = match_sizes(a, b, relative_to)
        found_rows.append(np.full(len(i), row))
        found.append(size_differences(a[i], b[j], relative_to))
    return np.concatenate(found_rows), np.concatenate(found)
