"""Each value as the sum a reader can do in their head: the evidence, then the number."""

from __future__ import annotations

from vlmexplain.metrics.enumeration import EnumerationEvidence, Multiplicity
from vlmexplain.metrics.noncommon_similarity import SimilarityEvidence
from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.metrics.size_disagreement import SizeEvidence
from vlmexplain.records import MetricOptions
from vlmexplain.wording.words import fraction, percent

MOST_TERMS = 12


def agreement_sum(pair: PairExplanation) -> str:
    """ "3 of 11"."""
    evidence = pair.ca.evidence
    n_common = len(evidence.common)
    return f"{n_common} of {n_common + len(evidence.only_ground_truth)}"


def similarity_sum(evidence: SimilarityEvidence) -> str:
    """ "(1/9 + 1/6) / 2"."""
    terms = [fraction(pair.ps) for pair in evidence.pairs]
    return f"({_some(terms)}) / {len(terms)}" if len(terms) > 1 else terms[0]


def enumeration_sum(evidence: EnumerationEvidence) -> str:
    """ "2 + 0 + 4"."""
    known = [m for m in counts_in_order(evidence) if m.difference is not None]
    if len(known) == 1:
        return f"|{known[0].ground_truth} − {known[0].retrieved}|"
    return _some([str(m.difference) for m in known])


def counts_in_order(evidence: EnumerationEvidence) -> list[Multiplicity]:
    """The multiplicities as the page shows them: most numerous in the ground truth first."""
    return sorted(
        evidence.multiplicities,
        key=lambda m: (m.difference is None, -(m.ground_truth or 0), m.concept),
    )


def size_sum(evidence: SizeEvidence) -> str:
    """ "2 of 6 pairs ≥ 100 %"."""
    noun = "pair" if evidence.n_pairs == 1 else "pairs"
    return f"{evidence.n_exceeding} of {evidence.n_pairs} {noun} ≥ {threshold_text(evidence)}"


def threshold_text(options: MetricOptions | SizeEvidence) -> str:
    """T_D in the unit of D_A."""
    threshold = options.threshold if isinstance(options, SizeEvidence) else options.size_threshold
    return difference_text(threshold, options.relative_to)


def difference_text(difference: float, relative_to: str) -> str:
    """D_A (or T_D) in its unit: percent, or square pixels."""
    return f"{difference:,.0f} px²" if relative_to == "pixels" else percent(difference)


def sum_of(pair: PairExplanation, key: str) -> str | None:
    """The sum behind a metric, or None where the metric is undefined."""
    if pair.result(key).value is None:
        return None
    if key == "ca":
        return agreement_sum(pair)
    if key == "ncs":
        return similarity_sum(pair.ncs.evidence)
    if key == "ce":
        return enumeration_sum(pair.ce.evidence)
    return size_sum(pair.sd.evidence)


def _some(terms: list[str]) -> str:
    """The terms of a sum; of a long one the first ones and how many more."""
    if len(terms) <= MOST_TERMS:
        return " + ".join(terms)
    return " + ".join(terms[: MOST_TERMS - 1]) + f" + … ({len(terms) - MOST_TERMS + 1} more)"
