"""Every metric for many pairs of a gallery, as columns; equal to `pair.explain_pair`.

The two share the matching and its tie rules. What is done for all pairs at once here: the
sets, the counts, and the sizes of concepts with as many boxes on both sides or one on either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.metrics.concept_sets import (
    ConceptSets,
    Mask,
    MentionedConcepts,
    mention_keys,
    split_concepts,
)
from vlmexplain.metrics.inventory_table import Floats, Ints, InventoryTable
from vlmexplain.metrics.matching import match_similar
from vlmexplain.metrics.pair import check_options
from vlmexplain.metrics.pair_scores import PairScores, join_scores
from vlmexplain.metrics.size_columns import compare_sizes
from vlmexplain.metrics.undefined import DEFINED, Undefined
from vlmexplain.records import MetricOptions

NO_PATH = 255
"""Stands for "no path" in a table of path lengths."""

PAIRS_AT_ONCE = 4096


def score_pairs(
    table: InventoryTable,
    ground_truth: NDArray[Any],
    retrieved: NDArray[Any],
    path_lengths: NDArray[np.uint8],
    options: MetricOptions = MetricOptions(),  # noqa: B008  (frozen)
    mentioned: MentionedConcepts | None = None,
) -> PairScores:
    """Score many pairs of images.

    Args:
        table: the gallery, see `inventory_table.make_inventory_table`.
        ground_truth, retrieved: integer [n_pairs], indices of images.
        path_lengths: uint8 [V, V], shortest hypernym paths between concepts; 255 no path.
        options: threshold and what areas are relative to.
        mentioned: query-informed: the concepts each pair's query mentions; None looks at all.

    Raises:
        DataError, UnknownName: as `pair.explain_pair`.
    """
    check_options(options)
    left, right = np.asarray(ground_truth, np.int64), np.asarray(retrieved, np.int64)
    assert left.shape == right.shape
    assert path_lengths.shape == (table.n_concepts, table.n_concepts)
    lengths = np.asarray(path_lengths)
    parts = []
    for start in range(0, max(len(left), 1), PAIRS_AT_ONCE):
        chunk = slice(start, start + PAIRS_AT_ONCE)
        named, denied = mention_keys(mentioned, start, len(left[chunk]), table.n_concepts)
        sets = split_concepts(table, left[chunk], right[chunk], named, denied)
        parts.append(_score(table, sets, lengths, options))
    return join_scores(parts)


def _score(
    table: InventoryTable, sets: ConceptSets, lengths: NDArray[np.uint8], options: MetricOptions
) -> PairScores:
    n_common = sets.count(sets.common_ground_truth)
    n_left, n_right = sets.count(sets.only_ground_truth), sets.count(sets.only_retrieved)
    n_matched, sum_ps = _match_concepts(table, sets, lengths)
    ce, n_equal, n_different, n_crowd = _enumerate(table, sets)
    n_sizes, n_exceeding, sum_difference = compare_sizes(table, sets, options)
    no_ground_truth = [
        (sets.unmentioned, Undefined.NO_MENTIONED_CONCEPT),
        (sets.n_ground_truth == 0, Undefined.NO_GROUND_TRUTH_CONCEPT),
    ]
    nothing_common = [
        (sets.unmentioned, Undefined.NO_MENTIONED_CONCEPT),
        (n_common == 0, Undefined.NOTHING_COMMON),
    ]
    ca_reason = np.where(sets.n_negated > 0, np.uint8(DEFINED), _reasons(*no_ground_truth))
    ncs_reason = _reasons(
        *no_ground_truth,
        (sets.n_retrieved == 0, Undefined.NO_RETRIEVED_CONCEPT),
        (n_left == 0, Undefined.GROUND_TRUTH_USED_UP),
        (n_right == 0, Undefined.RETRIEVED_USED_UP),
        (n_matched == 0, Undefined.NO_PATH),
    )
    ce_reason = _reasons(*nothing_common, (n_crowd == n_common, Undefined.NOTHING_COUNTABLE))
    sd_reason = _reasons(*nothing_common, (n_sizes == 0, Undefined.NO_SIZE_PAIR))
    return PairScores(
        ca=_ratio(
            n_common + sets.n_negated_not_shown, sets.n_ground_truth + sets.n_negated, ca_reason
        ),
        ncs=_ratio(sum_ps, n_matched, ncs_reason),
        ce=np.where(ce_reason == DEFINED, ce, np.nan),
        sd=_ratio(n_exceeding, n_sizes, sd_reason),
        sd_raw=_ratio(sum_difference, n_sizes, sd_reason),
        ca_reason=ca_reason,
        ncs_reason=ncs_reason,
        ce_reason=ce_reason,
        sd_reason=sd_reason,
        n_common=n_common.astype(np.int32),
        n_only_ground_truth=n_left.astype(np.int32),
        n_only_retrieved=n_right.astype(np.int32),
        n_ncs_pairs=n_matched.astype(np.int32),
        sum_ps=sum_ps,
        n_equal_multiplicity=n_equal.astype(np.int32),
        n_different_multiplicity=n_different.astype(np.int32),
        n_crowd_not_counted=n_crowd.astype(np.int32),
        n_size_pairs=n_sizes.astype(np.int32),
        n_exceeding=n_exceeding.astype(np.int32),
        sum_difference=sum_difference,
    )


def _reasons(*cases: tuple[Mask, Undefined]) -> NDArray[np.uint8]:
    """The code of the first reason that holds for each pair, else `DEFINED`."""
    codes = [np.uint8(reason.code) for _, reason in cases]
    chosen = np.select([mask for mask, _ in cases], codes, np.uint8(DEFINED))
    return chosen.astype(np.uint8)


def _ratio(above: NDArray[Any], below: Ints, reason: NDArray[np.uint8]) -> Floats:
    defined = reason == DEFINED
    values = np.full(len(below), np.nan)
    np.divide(above, below, out=values, where=defined)
    return values


def _match_concepts(
    table: InventoryTable, sets: ConceptSets, lengths: NDArray[np.uint8]
) -> tuple[Ints, Floats]:
    """Matched non-common concepts of each pair, and the sum of their similarities."""
    n_matched = np.zeros(sets.n_pairs, np.int64)
    sum_ps = np.zeros(sets.n_pairs)
    for pair, _, _, similarity in matched_concepts(table, sets, lengths):
        matched = similarity.tolist()
        n_matched[pair], sum_ps[pair] = len(matched), math.fsum(matched)
    return n_matched, sum_ps


def matched_concepts(
    table: InventoryTable, sets: ConceptSets, lengths: NDArray[np.uint8]
) -> Iterator[tuple[int, Ints, Ints, Floats]]:
    """The matching of each pair that has concepts left over on both sides.

    Yields:
        the pair, its matched concepts of the ground truth and of the retrieved image, and their
        path similarities; the three are equally long, and empty where nothing has a path.
    """
    similarity_of: Floats = 1.0 / np.arange(1.0, NO_PATH + 2.0)
    similarity_of[NO_PATH] = np.nan
    n_left, n_right = sets.count(sets.only_ground_truth), sets.count(sets.only_retrieved)
    left = np.split(table.concept[sets.only_ground_truth.entry], np.cumsum(n_left)[:-1])
    right = np.split(table.concept[sets.only_retrieved.entry], np.cumsum(n_right)[:-1])
    for pair in np.flatnonzero((n_left > 0) & (n_right > 0)).tolist():
        rows, columns = left[pair], right[pair]
        similarity = similarity_of[lengths[rows[:, None], columns]]
        flip = (len(columns), columns[0]) < (len(rows), rows[0])
        i, j = match_similar(similarity, flip)
        yield pair, rows[i], columns[j], similarity[i, j]


def _enumerate(table: InventoryTable, sets: ConceptSets) -> tuple[Floats, Ints, Ints, Ints]:
    """CE, and the common concepts of each pair that are as many, not as many, and crowd."""
    left, right = sets.common_ground_truth, sets.common_retrieved
    crowd = table.crowd[left.entry] | table.crowd[right.entry]
    differences = np.abs(table.count[left.entry] - table.count[right.entry])
    differences[crowd] = 0
    return (
        np.bincount(left.pair, differences, sets.n_pairs).astype(np.float64),
        sets.count(left, (differences == 0) & ~crowd),
        sets.count(left, differences > 0),
        sets.count(left, crowd),
    )
