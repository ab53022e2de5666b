"""One pair of images under every concept metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, get_args

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.metrics.concept_agreement import AgreementEvidence, concept_agreement
from vlmexplain.metrics.enumeration import EnumerationEvidence, concept_enumeration
from vlmexplain.metrics.inventory import take_inventory
from vlmexplain.metrics.noncommon_similarity import SimilarityEvidence, noncommon_similarity
from vlmexplain.metrics.size_disagreement import SizeEvidence, size_disagreement
from vlmexplain.records import (
    ImageAnnotations,
    MetricOptions,
    MetricResult,
    PathSimilarity,
    RelativeTo,
)

CONCEPT_KEYS = ("ca", "ncs", "ce", "sd", "sd_raw")
"""The metrics of a pair, in the order they are shown."""


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """Every concept metric of a ground truth and a retrieved image, with its evidence.

    Attributes:
        ca, ncs, ce: concept agreement, non-common concept similarity, concept enumeration.
        sd, sd_raw: size disagreement, binary and raw; both carry the same evidence.
        options: the options in force.
        mentioned: the concepts the query mentions when query-informed; None when not.
        negated: what it mentions as absent; CA alone counts it.
    """

    ca: MetricResult[AgreementEvidence]
    ncs: MetricResult[SimilarityEvidence]
    ce: MetricResult[EnumerationEvidence]
    sd: MetricResult[SizeEvidence]
    sd_raw: MetricResult[SizeEvidence]
    options: MetricOptions
    mentioned: frozenset[str] | None = None
    negated: frozenset[str] = frozenset()

    def result(self, key: str) -> MetricResult[Any]:
        """The result of the metric with this key, one of `CONCEPT_KEYS`."""
        if key not in CONCEPT_KEYS:
            raise UnknownName("metric", key, CONCEPT_KEYS)
        found: MetricResult[Any] = getattr(self, key)
        return found


def explain_pair(
    ground_truth: ImageAnnotations,
    retrieved: ImageAnnotations,
    similarity: PathSimilarity,
    options: MetricOptions = MetricOptions(),  # noqa: B008  (frozen)
    mentioned: frozenset[str] | None = None,
    negated: frozenset[str] = frozenset(),
) -> PairExplanation:
    """Compute every concept metric of one pair, with evidence.

    Args:
        ground_truth, retrieved: the two images' annotations.
        similarity: WordNet path similarities.
        options: threshold and what areas are relative to.
        mentioned: query-informed: the concepts the query mentions; the ground truth is
            restricted to them. None looks at all concepts.
        negated: query-informed: the concepts the query mentions as absent; none of them is in
            ``mentioned``.

    Raises:
        DataError: the size threshold is not a finite number of 0 or more.
        UnknownName: ``relative_to`` is none of the known conventions.
    """
    check_options(options)
    assert mentioned is not None or not negated, "negation is query-informed"
    assert negated.isdisjoint(mentioned or ())
    left, right = take_inventory(ground_truth, mentioned), take_inventory(retrieved)
    sd, sd_raw = size_disagreement(left, right, options)
    return PairExplanation(
        ca=concept_agreement(left, right, negated),
        ncs=noncommon_similarity(left, right, similarity, negated),
        ce=concept_enumeration(left, right),
        sd=sd,
        sd_raw=sd_raw,
        options=options,
        mentioned=mentioned,
        negated=negated,
    )


def check_options(options: MetricOptions) -> None:
    """Refuse options that no metric can be computed with; see `explain_pair`."""
    threshold = options.size_threshold
    if not math.isfinite(threshold) or threshold < 0:
        raise DataError(
            f"the size threshold is {threshold!r}; expected a finite number of 0 or more.",
            remedy="1 means: twice as large counts as a disagreement.",
        )
    if options.relative_to not in get_args(RelativeTo):
        raise UnknownName("size convention", options.relative_to, get_args(RelativeTo))
