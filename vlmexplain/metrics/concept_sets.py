"""The concepts of many pairs of images at once: common, and on either side alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.metrics.inventory_table import Ints, InventoryTable

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class MentionedConcepts:
    """The concepts that the query of each pair mentions.

    Attributes:
        offsets: int64 [n_pairs + 1], where each pair's concepts start.
        concepts: integer [n], indices into the vocabulary.
        negated_offsets, negated_concepts: the same for what it mentions as absent; None: nothing.
    """

    offsets: Ints
    concepts: NDArray[Any]
    negated_offsets: Ints | None = None
    negated_concepts: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of the inventory table, by pair: which pair, which entry, and both as a key."""

    pair: Ints
    entry: Ints
    key: Ints

    def take(self, rows: Mask | Ints) -> Entries:
        return Entries(self.pair[rows], self.entry[rows], self.key[rows])


@dataclass(frozen=True, slots=True)
class ConceptSets:
    """The concepts of a chunk of pairs; row i of both ``common`` is the same concept.

    Attributes:
        n_negated, n_negated_not_shown: what the query mentions as absent, and how much of it the
            retrieved image does not show.
    """

    n_pairs: int
    n_ground_truth: Ints
    n_retrieved: Ints
    unmentioned: Mask
    common_ground_truth: Entries
    common_retrieved: Entries
    only_ground_truth: Entries
    only_retrieved: Entries
    n_negated: Ints
    n_negated_not_shown: Ints

    def count(self, entries: Entries, where: Mask | None = None) -> Ints:
        """Entries of each pair, int64 [n_pairs]."""
        pair = entries.pair if where is None else entries.pair[where]
        return np.bincount(pair, minlength=self.n_pairs)


def mention_keys(
    mentioned: MentionedConcepts | None, start: int, n_pairs: int, n_concepts: int
) -> tuple[Ints | None, Ints]:
    """The keys of what the queries of ``n_pairs`` pairs from ``start`` on mention, and deny."""
    if mentioned is None:
        return None, np.empty(0, np.int64)
    keys = _keys(mentioned.offsets, mentioned.concepts, start, n_pairs, n_concepts)
    if mentioned.negated_offsets is None or mentioned.negated_concepts is None:
        return keys, np.empty(0, np.int64)
    offsets, concepts = mentioned.negated_offsets, mentioned.negated_concepts
    return keys, _keys(offsets, concepts, start, n_pairs, n_concepts)


def _keys(
    all_offsets: Ints, all_concepts: NDArray[Any], start: int, n_pairs: int, n_concepts: int
) -> Ints:
    offsets = all_offsets[start : start + n_pairs + 1]
    pair = np.repeat(np.arange(n_pairs), np.diff(offsets))
    concepts = np.asarray(all_concepts[offsets[0] : offsets[-1]], np.int64)
    return pair * n_concepts + concepts


def _entries(table: InventoryTable, images: Ints) -> Entries:
    starts = table.entry_offsets[images]
    entry, pair = ranges(starts, table.entry_offsets[images + 1] - starts)
    return Entries(pair, entry, pair * table.n_concepts + table.concept[entry])


def ranges(starts: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """start, start + 1 ... for each start, one after the other; and which start each is of."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(len(of)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes), of


def split_concepts(
    table: InventoryTable,
    left: Ints,
    right: Ints,
    mentioned: Ints | None,
    negated: Ints | None = None,
) -> ConceptSets:
    """Sort the concepts of each pair of images (``left`` ground truths) into the three sets."""
    negated = np.empty(0, np.int64) if negated is None else negated
    ground_truth, retrieved = _entries(table, left), _entries(table, right)
    annotated = np.bincount(ground_truth.pair, minlength=len(left)) > 0
    if mentioned is not None:
        ground_truth = ground_truth.take(np.isin(ground_truth.key, mentioned))
    n_ground_truth = np.bincount(ground_truth.pair, minlength=len(left))
    place = np.searchsorted(retrieved.key, ground_truth.key)
    found = place < len(retrieved.key)
    found[found] = retrieved.key[place[found]] == ground_truth.key[found]
    left_over = np.ones(len(retrieved.key), dtype=bool)
    left_over[place[found]] = False
    if len(negated):
        left_over &= ~np.isin(retrieved.key, negated)
    of_pair = negated // max(table.n_concepts, 1)
    shown = np.isin(negated, retrieved.key)
    return ConceptSets(
        n_pairs=len(left),
        n_ground_truth=n_ground_truth,
        n_retrieved=np.bincount(retrieved.pair, minlength=len(left)),
        unmentioned=annotated & (n_ground_truth == 0),
        common_ground_truth=ground_truth.take(found),
        common_retrieved=retrieved.take(place[found]),
        only_ground_truth=ground_truth.take(~found),
        only_retrieved=retrieved.take(left_over),
        n_negated=np.bincount(of_pair, minlength=len(left)),
        n_negated_not_shown=np.bincount(of_pair[~shown], minlength=len(left)),
    )
