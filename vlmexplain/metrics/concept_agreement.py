"""Concept agreement (CA): how much of the ground truth is in the retrieved image."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.metrics.inventory import Inventory
from vlmexplain.metrics.undefined import Undefined
from vlmexplain.records import MetricResult


@dataclass(frozen=True, slots=True)
class AgreementEvidence:
    """The three sets of concepts, each sorted by name.

    Attributes:
        common: in both images.
        only_ground_truth: in the ground truth alone.
        only_retrieved: in the retrieved image alone.
    """

    common: tuple[str, ...]
    only_ground_truth: tuple[str, ...]
    only_retrieved: tuple[str, ...]


def concept_agreement(
    ground_truth: Inventory, retrieved: Inventory
) -> MetricResult[AgreementEvidence]:
    """CA = |V(I_g) & V(I_r)| / |V(I_g)|, in 0..1, high is good.

    Undefined when the ground truth has no concept. Source: COLING 2022, 2022.coling-1.321.
    """
    left, right = ground_truth.instances_of, retrieved.instances_of
    evidence = AgreementEvidence(
        common=tuple([name for name in left if name in right]),
        only_ground_truth=tuple([name for name in left if name not in right]),
        only_retrieved=tuple([name for name in right if name not in left]),
    )
    reason = no_ground_truth(ground_truth)
    if reason:
        return MetricResult(None, reason.text, evidence)
    return MetricResult(len(evidence.common) / len(ground_truth), None, evidence)


def no_ground_truth(ground_truth: Inventory) -> Undefined | None:
    """Why there is no ground-truth concept to look at, or None when there is one."""
    if len(ground_truth):
        return None
    if ground_truth.restricted:
        return Undefined.NO_MENTIONED_CONCEPT
    return Undefined.NO_GROUND_TRUTH_CONCEPT
