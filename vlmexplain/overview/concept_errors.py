"""Which concepts go wrong over many failures: missed, miscounted, mis-sized, confused."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import UnknownName
from vlmexplain.metrics.batch import PAIRS_AT_ONCE, matched_concepts
from vlmexplain.metrics.concept_sets import split_concepts
from vlmexplain.metrics.size_columns import matched_sizes, reach_threshold
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.records import MetricOptions, Progress, ProgressCallback, no_progress
from vlmexplain.scoring.failure_scores import inventory_of

MOST_KEPT = 1000
"""So many of the failures behind a confusion or a mis-sized concept are kept, the first ones."""


@dataclass(frozen=True, slots=True)
class ConceptCount:
    """How often a concept went wrong: ``wrong`` of the ``cases`` in which it could have.

    Attributes:
        total: sum of the differences, where there are any to add up.
        queries: the failures behind ``wrong``, at most `MOST_KEPT`, where they are kept.
    """

    concept: str
    wrong: int
    cases: int
    total: float = 0.0
    queries: Sequence[int] = ()

    @property
    def share(self) -> float:
        """wrong / cases."""
        return self.wrong / self.cases


@dataclass(frozen=True, slots=True)
class Confusion:
    """A left-over concept of the ground truth that was matched with one of the retrieved image.

    Attributes:
        count: in how many failures.
        ps: the path similarity of the two.
        queries: these failures, at most `MOST_KEPT`.
    """

    ground_truth: str
    retrieved: str
    count: int
    ps: float
    queries: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class PairErrors:
    """What needs the matchings of each failure.

    Attributes:
        n_failures: how many failures were looked at, of ``of`` in all.
        confusions: the most frequent first.
        mis_sized: by matched pairs of boxes that differ by the threshold or more.
    """

    n_failures: int
    of: int
    confusions: tuple[Confusion, ...]
    mis_sized: tuple[ConceptCount, ...]


def missed_concepts(
    columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> tuple[ConceptCount, ...]:
    """Concepts of the ground truth that the retrieved image lacks; cases: failures with it."""
    left, right = _sides(columns, facts, rows)
    cases = np.asarray(left.sum(axis=0)).ravel()
    common = np.asarray(left.multiply(right).sum(axis=0)).ravel()
    return _sorted(facts, cases - common, cases)


def miscounted_concepts(
    columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> tuple[ConceptCount, ...]:
    """Common concepts with another multiplicity; cases: common and countable; total: sum of CE."""
    left, right = _sides(columns, facts, rows)
    one, other = _pairs(columns, rows)
    crowd = facts.crowd[one].astype(np.int32) + facts.crowd[other].astype(np.int32)
    common = left.multiply(right)
    countable = common - common.multiply(crowd > 0)
    gap = abs(facts.counts[one] - facts.counts[other]).multiply(countable)
    wrong = np.asarray((gap > 0).sum(axis=0)).ravel()
    total = np.asarray(gap.sum(axis=0)).ravel()
    return _sorted(facts, wrong, np.asarray(countable.sum(axis=0)).ravel(), total)


def pair_errors(
    gallery: Gallery,
    columns: RunColumns,
    rows: NDArray[np.bool_],
    options: MetricOptions,
    most: int | None = None,
    progress: ProgressCallback = no_progress,
) -> PairErrors:
    """Match each failure as its metrics do; of more than ``most`` a seeded sample.

    Args:
        progress: called every few thousand failures; may raise `Cancelled`.
    """
    failures = np.flatnonzero(rows & columns.failure & (columns.retrieved_image_index >= 0))
    of = len(failures)
    if most is not None and of > most:
        failures = np.sort(np.random.default_rng(0).choice(failures, most, replace=False))
    shown = (columns.image_index[failures], columns.retrieved_image_index[failures])
    table = inventory_of(gallery, np.concatenate(shown))
    lengths = np.asarray(gallery.path_lengths)
    confused, sized, exceeding = _Tally(), _Tally(), _Tally()
    for start in range(0, len(failures), PAIRS_AT_ONCE):
        progress(Progress("match", start, len(failures), "failures"))
        part = failures[start : start + PAIRS_AT_ONCE]
        left, right = columns.image_index[part], columns.retrieved_image_index[part]
        sets = split_concepts(table, left.astype(np.int64), right.astype(np.int64), None)
        matched = list(matched_concepts(table, sets, lengths))
        if matched:
            pair, one, other = (np.concatenate(side) for side in zip(
                *((np.full(len(one), pair), one, other) for pair, one, other, _ in matched),
                strict=True))  # fmt: skip
            confused.add(one * table.n_concepts + other, part[pair])
        row, difference = matched_sizes(table, sets, options.relative_to)
        concept = table.concept[sets.common_ground_truth.entry[row]]
        over = reach_threshold(difference, options)
        query = part[sets.common_ground_truth.pair[row]]
        sized.add(concept, query)
        exceeding.add(concept[over], query[over])
    return PairErrors(
        len(failures),
        of,
        _confusions(confused, gallery.concepts, lengths),
        _mis_sized(sized, exceeding, gallery.concepts),
    )


class _Tally:
    """Counts keys, and remembers by which queries they came."""

    def __init__(self) -> None:
        self._keys: list[NDArray[np.int64]] = []
        self._queries: list[NDArray[np.int64]] = []

    def add(self, keys: NDArray[np.int64], queries: NDArray[np.int64]) -> None:
        self._keys.append(keys)
        self._queries.append(queries)

    def counted(self) -> dict[int, tuple[int, Sequence[int]]]:
        """How often each key came, and the first `MOST_KEPT` of the queries, ascending."""
        if not self._keys:
            return {}
        keys, queries = np.concatenate(self._keys), np.concatenate(self._queries)
        order = np.lexsort((queries, keys))
        keys, queries = keys[order], queries[order]
        found, starts, counts = np.unique(keys, return_index=True, return_counts=True)
        kept: list[Sequence[int]] = [  # arrays, since a large run has a million of them
            array("i", np.unique(queries[start : start + n])[:MOST_KEPT].tolist())
            for start, n in zip(starts.tolist(), counts.tolist(), strict=True)
        ]
        return dict(zip(found.tolist(), zip(counts.tolist(), kept, strict=True), strict=True))


def _confusions(
    confused: _Tally, concepts: Sequence[str], lengths: NDArray[np.uint8]
) -> tuple[Confusion, ...]:
    found = []
    for key, (count, queries) in confused.counted().items():
        one, other = divmod(key, len(concepts))
        ps = 1.0 / (1.0 + int(lengths[one, other]))
        found.append(Confusion(concepts[one], concepts[other], count, ps, queries))
    return tuple(sorted(found, key=lambda each: (-each.count, each.ground_truth, each.retrieved)))


def _mis_sized(
    sized: _Tally, exceeding: _Tally, concepts: Sequence[str]
) -> tuple[ConceptCount, ...]:
    over = exceeding.counted()
    found = []
    for key, (cases, _) in sized.counted().items():
        wrong, queries = over.get(key, (0, ()))
        found.append(ConceptCount(concepts[key], wrong, cases, queries=queries))
    return tuple(sorted(found, key=lambda each: (-each.wrong, each.concept)))


def failures_that_miss(
    concept: str, columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """The failures whose ground truth has the concept and whose retrieved image lacks it.

    Raises:
        UnknownName: no such concept.
    """
    failures, one, other = _counted(concept, columns, facts, rows)
    found: NDArray[np.intp] = failures[(one > 0) & (other == 0)]
    return found


def failures_that_miscount(
    concept: str, columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """The failures where the concept is common and countable, and its numbers differ.

    Raises:
        UnknownName: no such concept.
    """
    failures, one, other = _counted(concept, columns, facts, rows)
    crowd = np.asarray(facts.crowd[:, facts.concepts.index(concept)].todense()).ravel()
    unknown = crowd[columns.image_index[failures]] | crowd[columns.retrieved_image_index[failures]]
    found: NDArray[np.intp] = failures[(one > 0) & (other > 0) & (one != other) & ~unknown]
    return found


def _counted(
    concept: str, columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]:
    """The failures, and how many instances their two images have of the concept."""
    if concept not in facts.concepts:
        raise UnknownName("concept", concept, facts.concepts)
    counts = np.asarray(facts.counts[:, facts.concepts.index(concept)].todense()).ravel()
    failures = np.flatnonzero(rows & columns.failure & (columns.retrieved_image_index >= 0))
    return (
        failures,
        counts[columns.image_index[failures]],
        counts[columns.retrieved_image_index[failures]],
    )


def _pairs(
    columns: RunColumns, rows: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    failed = rows & columns.failure & (columns.retrieved_image_index >= 0)
    return columns.image_index[failed], columns.retrieved_image_index[failed]


def _sides(columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]):  # type: ignore[no-untyped-def]
    has = (facts.counts > 0).astype(np.int32)
    one, other = _pairs(columns, rows)
    return has[one], has[other]


def _sorted(
    facts: GalleryFacts,
    wrong: NDArray[np.int64],
    cases: NDArray[np.int64],
    total: NDArray[np.int64] | None = None,
) -> tuple[ConceptCount, ...]:
    totals = wrong if total is None else total
    found = [
        ConceptCount(name, int(wrong[n]), int(cases[n]), float(totals[n]))
        for n, name in enumerate(facts.concepts)
        if cases[n]
    ]
    return tuple(sorted(found, key=lambda each: (-each.wrong, each.concept)))
