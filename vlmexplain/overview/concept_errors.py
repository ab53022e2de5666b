"""Which concepts go wrong over many failures: missed, miscounted, mis-sized, confused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import UnknownName
from vlmexplain.metrics.pair import explain_pair
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.records import MetricOptions, Progress, ProgressCallback, no_progress
from vlmexplain.scoring.similarity import GallerySimilarity

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
    queries: tuple[int, ...] = ()

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
    queries: tuple[int, ...] = ()


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
    """Match the failures one by one; of more than ``most`` a seeded sample.

    Args:
        progress: called now and then; may raise `Cancelled`.
    """
    failures = np.flatnonzero(rows & columns.failure & (columns.retrieved_image_index >= 0))
    of = len(failures)
    if most is not None and of > most:
        failures = np.sort(np.random.default_rng(0).choice(failures, most, replace=False))
    similarity = GallerySimilarity(gallery)
    pairs: Counter[tuple[str, str]] = Counter()
    ps: dict[tuple[str, str], float] = {}
    exceeding: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    behind: dict[object, list[int]] = {}
    for n, row in enumerate(failures.tolist()):
        if n % 50 == 0:
            progress(Progress("match", n, len(failures), "failures"))
        found = explain_pair(
            gallery.annotations(int(columns.image_index[row])),
            gallery.annotations(int(columns.retrieved_image_index[row])),
            similarity,
            options,
        )
        for pair in found.ncs.evidence.pairs:
            key = (pair.ground_truth, pair.retrieved)
            pairs[key] += 1
            ps[key] = pair.ps
            _keep(behind, key, row)
        for sizes in found.sd.evidence.concepts:
            n_exceeding = sum(pair.exceeds for pair in sizes.pairs)
            matched[sizes.concept] += len(sizes.pairs)
            exceeding[sizes.concept] += n_exceeding
            if n_exceeding:
                _keep(behind, sizes.concept, row)
    order = sorted(pairs, key=lambda key: (-pairs[key], key))
    sized = [
        ConceptCount(c, exceeding[c], n, queries=tuple(behind.get(c, ())))
        for c, n in matched.items()
        if n
    ]
    return PairErrors(
        len(failures),
        of,
        tuple(Confusion(*key, pairs[key], ps[key], tuple(behind[key])) for key in order),
        tuple(sorted(sized, key=lambda each: (-each.wrong, each.concept))),
    )


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


def _keep(behind: dict[object, list[int]], key: object, query: int) -> None:
    kept = behind.setdefault(key, [])
    if len(kept) < MOST_KEPT:
        kept.append(query)


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
