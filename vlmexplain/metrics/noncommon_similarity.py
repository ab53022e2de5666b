"""Non-common concept similarity (NCS): how near the left-over concepts are to each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.metrics.concept_agreement import no_ground_truth
from vlmexplain.metrics.inventory import Inventory
from vlmexplain.metrics.matching import match_similar
from vlmexplain.metrics.undefined import Undefined
from vlmexplain.records import MetricResult, PathSimilarity


@dataclass(frozen=True, slots=True)
class ConceptPair:
    """A matched edge: a left-over concept of either image, and their path similarity."""

    ground_truth: str
    retrieved: str
    ps: float


@dataclass(frozen=True, slots=True)
class SimilarityEvidence:
    """The complete bipartite graph of the non-common concepts, and its matching.

    Attributes:
        ground_truth: D_g, the rows of ``ps``, sorted by name.
        retrieved: D_r, the columns of ``ps``, sorted by name.
        ps: path similarity of each pair in (0, 1]; None where there is no path.
        pairs: the matched edges, by ground-truth name.
        unmatched_ground_truth, unmatched_retrieved: the concepts that no edge took.
        without_path: the (ground truth, retrieved) pairs that WordNet does not connect;
            they weigh 0 and are never matched.
        sum_ps: sum over ``pairs``; NCS = sum_ps / len(pairs).
    """

    ground_truth: tuple[str, ...]
    retrieved: tuple[str, ...]
    ps: tuple[tuple[float | None, ...], ...]
    pairs: tuple[ConceptPair, ...]
    unmatched_ground_truth: tuple[str, ...]
    unmatched_retrieved: tuple[str, ...]
    without_path: tuple[tuple[str, str], ...]
    sum_ps: float

    @property
    def n_nodes(self) -> int:
        """Nodes of the bipartite graph."""
        return len(self.ground_truth) + len(self.retrieved)

    @property
    def n_edges(self) -> int:
        """Edges of the complete bipartite graph, those of weight 0 included."""
        return len(self.ground_truth) * len(self.retrieved)


def noncommon_similarity(
    ground_truth: Inventory, retrieved: Inventory, similarity: PathSimilarity
) -> MetricResult[SimilarityEvidence]:
    """NCS = mean path similarity over a maximum-weight matching of D_g and D_r.

    In (0, 1], high is good; D_g and D_r are the concepts of either image that are not in the
    other. Undefined when either is empty or no pair has a path.
    Source: COLING 2022, 2022.coling-1.321.
    """
    ours, theirs = ground_truth.instances_of, retrieved.instances_of
    left = tuple([name for name in ours if name not in theirs])
    right = tuple([name for name in theirs if name not in ours])
    reason = _nothing_left(ground_truth, retrieved, left, right)
    matrix = np.empty((len(left), len(right)))
    if left and right:
        matrix = np.asarray(similarity.matrix(left, right), dtype=np.float64)
        assert matrix.shape == (len(left), len(right))
    evidence = _evidence(left, right, matrix)
    if reason is None and not evidence.pairs:
        reason = Undefined.NO_PATH
    if reason:
        return MetricResult(None, reason.text, evidence)
    return MetricResult(evidence.sum_ps / len(evidence.pairs), None, evidence)


def _nothing_left(
    ground_truth: Inventory, retrieved: Inventory, left: tuple[str, ...], right: tuple[str, ...]
) -> Undefined | None:
    reason = no_ground_truth(ground_truth)
    if reason is None and not len(retrieved):
        reason = Undefined.NO_RETRIEVED_CONCEPT
    if reason is None and not left:
        reason = Undefined.GROUND_TRUTH_USED_UP
    if reason is None and not right:
        reason = Undefined.RETRIEVED_USED_UP
    return reason


def _evidence(
    left: tuple[str, ...], right: tuple[str, ...], matrix: NDArray[np.float64]
) -> SimilarityEvidence:
    rows, columns = match_similar(matrix, flip_sides(left, right)) if matrix.size else ([], [])
    listed = matrix.tolist()
    no_path = np.argwhere(np.isnan(matrix)).tolist()
    for i, j in no_path:
        listed[i][j] = None
    pairs = tuple(
        [ConceptPair(left[i], right[j], listed[i][j]) for i, j in zip(rows, columns, strict=True)]
    )
    matched_left, matched_right = set(rows), set(columns)
    return SimilarityEvidence(
        ground_truth=left,
        retrieved=right,
        ps=tuple(map(tuple, listed)),
        pairs=pairs,
        unmatched_ground_truth=tuple([n for i, n in enumerate(left) if i not in matched_left]),
        unmatched_retrieved=tuple([n for j, n in enumerate(right) if j not in matched_right]),
        without_path=tuple((left[i], right[j]) for i, j in no_path),
        # fsum rounds once, so the sum does not depend on the order of the pairs
        sum_ps=math.fsum(pair.ps for pair in pairs),
    )


def flip_sides(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether the matching is solved with its sides exchanged, so that both directions agree.

    The sides have no name in common and are sorted, so their first names tell them apart.
    """
    return (len(right), right[0]) < (len(left), left[0])
