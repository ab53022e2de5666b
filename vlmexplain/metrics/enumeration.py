"""Concept enumeration (CE): how far the numbers of the common things are apart."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.metrics.concept_agreement import no_ground_truth
from vlmexplain.metrics.inventory import Inventory
from vlmexplain.metrics.undefined import Undefined
from vlmexplain.records import MetricResult


@dataclass(frozen=True, slots=True)
class Multiplicity:
    """How often a common concept occurs in either image.

    Attributes:
        concept: the synset.
        ground_truth, retrieved: number of instances; None where one is a crowd region.
        difference: |ground_truth - retrieved|; None when either is unknown.
    """

    concept: str
    ground_truth: int | None
    retrieved: int | None
    difference: int | None


@dataclass(frozen=True, slots=True)
class EnumerationEvidence:
    """Every common concept with its multiplicities, by name.

    Attributes:
        multiplicities: all common concepts; CE is the sum of their known differences.
        crowd_not_counted: the concepts that were left out because a crowd region hides how many.
    """

    multiplicities: tuple[Multiplicity, ...]
    crowd_not_counted: tuple[str, ...]

    @property
    def n_equal(self) -> int:
        """Common concepts with the same multiplicity in both images."""
        return sum(m.difference == 0 for m in self.multiplicities)

    @property
    def n_different(self) -> int:
        """Common concepts with a different multiplicity."""
        return sum(bool(m.difference) for m in self.multiplicities)


def concept_enumeration(
    ground_truth: Inventory, retrieved: Inventory
) -> MetricResult[EnumerationEvidence]:
    """CE = sum over the common concepts of |m_g - m_r|, 0 or more, low is good.

    A concept with a crowd region in either image is listed and not counted (our choice).
    Undefined when nothing is common or nothing can be counted.
    Source: COLING 2022, 2022.coling-1.321.
    """
    rows = tuple(
        _multiplicity(name, ground_truth.count(name), retrieved.count(name))
        for name in ground_truth
        if name in retrieved
    )
    crowd = tuple(row.concept for row in rows if row.difference is None)
    evidence = EnumerationEvidence(rows, crowd)
    reason = no_ground_truth(ground_truth)
    if reason is not Undefined.NO_MENTIONED_CONCEPT:
        reason = None if rows else Undefined.NOTHING_COMMON
    if reason is None and len(crowd) == len(rows):
        reason = Undefined.NOTHING_COUNTABLE
    if reason:
        return MetricResult(None, reason.text, evidence)
    return MetricResult(float(sum(row.difference or 0 for row in rows)), None, evidence)


def _multiplicity(concept: str, ground_truth: int | None, retrieved: int | None) -> Multiplicity:
    known = ground_truth is not None and retrieved is not None
    difference = abs(ground_truth - retrieved) if known else None  # type: ignore[operator]
    return Multiplicity(concept, ground_truth, retrieved, difference)
