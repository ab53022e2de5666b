"""Size disagreement (SD): whether the common things take up as much of the picture.

What an area difference is relative to (`RelativeTo`); areas are shares of their own image
except under ``pixels``:

- ``smaller`` (default, our choice): D_A = |A_g - A_r| / min(A_g, A_r)
- ``ground-truth``: D_A = |A_g - A_r| / A_g
- ``image``: D_A = |A_g - A_r|
- ``pixels``: D_A = |A_g - A_r| in square pixels
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from vlmexplain.metrics.box_size import NoSizeKind, SizedBox, canonical_order, sized_box
from vlmexplain.metrics.concept_agreement import no_ground_truth
from vlmexplain.metrics.inventory import Inventory
from vlmexplain.metrics.matching import match_sizes, size_difference
from vlmexplain.metrics.undefined import Undefined
from vlmexplain.records import MetricOptions, MetricResult, RelativeTo

Side = Literal["ground truth", "retrieved"]

ROUNDING = 1e-12
"""A difference this near below the threshold (relative) is one that equals it."""


@dataclass(frozen=True, slots=True)
class SizePair:
    """A matched pair of boxes with its D_A, and whether that reaches the threshold."""

    ground_truth: SizedBox
    retrieved: SizedBox
    difference: float
    exceeds: bool


@dataclass(frozen=True, slots=True)
class ConceptSizes:
    """The boxes of one common concept: a complete bipartite graph and its matching.

    Attributes:
        concept: the synset.
        pairs: matched boxes, by the ground truth's area.
        unmatched_ground_truth, unmatched_retrieved: boxes with a size that no pair took.
    """

    concept: str
    pairs: tuple[SizePair, ...]
    unmatched_ground_truth: tuple[SizedBox, ...]
    unmatched_retrieved: tuple[SizedBox, ...]

    @property
    def n_nodes(self) -> int:
        """Boxes with a size in both images together."""
        return sum(self._sides())

    @property
    def n_edges(self) -> int:
        """Edges of the complete bipartite graph."""
        return math.prod(self._sides())

    @property
    def n_exceeding(self) -> int:
        """SD_u: matched pairs whose difference reaches the threshold."""
        return sum(pair.exceeds for pair in self.pairs)

    def _sides(self) -> tuple[int, int]:
        n = len(self.pairs)
        return n + len(self.unmatched_ground_truth), n + len(self.unmatched_retrieved)


@dataclass(frozen=True, slots=True)
class NoSize:
    """Instances of a common concept that have no size, and why."""

    concept: str
    side: Side
    kind: NoSizeKind
    instance_indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SizeEvidence:
    """Every common concept with its matched boxes, by name.

    Attributes:
        concepts: all common concepts, also those without a pair.
        no_size: the instances that were left out, by concept, side and kind.
        relative_to, threshold: the options in force.
        sum_difference: sum of D_A over all pairs.
    """

    concepts: tuple[ConceptSizes, ...]
    no_size: tuple[NoSize, ...]
    relative_to: RelativeTo
    threshold: float
    sum_difference: float

    @property
    def n_pairs(self) -> int:
        """Matched pairs over all concepts."""
        return sum(len(sizes.pairs) for sizes in self.concepts)

    @property
    def n_exceeding(self) -> int:
        """Matched pairs whose difference reaches the threshold."""
        return sum(sizes.n_exceeding for sizes in self.concepts)

    @property
    def area_unit(self) -> str:
        """What the areas are measured in."""
        return "square pixels" if self.relative_to == "pixels" else "share of the image"


def size_disagreement(
    ground_truth: Inventory, retrieved: Inventory, options: MetricOptions
) -> tuple[MetricResult[SizeEvidence], MetricResult[SizeEvidence]]:
    """Binary SD (share of matched pairs with D_A >= T_D, 0..1) and raw SD (mean D_A, 0 or more).

    Low is good. Matched are the boxes of each common concept, by minimum-weight full matching.
    Boxes are clipped to their image; crowd regions and boxes without a size are left out and
    named. Undefined without a matched pair. Source: COLING 2022, 2022.coling-1.321.
    """
    theirs = retrieved.instances_of
    common = [name for name in ground_truth.instances_of if name in theirs]
    no_size: list[NoSize] = []
    concepts = []
    for name in common:
        left = _sized(name, "ground truth", ground_truth, options, no_size)
        right = _sized(name, "retrieved", retrieved, options, no_size)
        concepts.append(_match(name, left, right, options))
    differences = [pair.difference for sizes in concepts for pair in sizes.pairs]
    total = math.fsum(differences)
    evidence = SizeEvidence(
        tuple(concepts), tuple(no_size), options.relative_to, options.size_threshold, total
    )
    reason = no_ground_truth(ground_truth)
    if reason is not Undefined.NO_MENTIONED_CONCEPT:
        reason = None if common else Undefined.NOTHING_COMMON
    if reason is None and not differences:
        reason = Undefined.NO_SIZE_PAIR
    if reason:
        undefined = MetricResult(None, reason.text, evidence)
        return undefined, undefined
    n_pairs = len(differences)
    return (
        MetricResult(evidence.n_exceeding / n_pairs, None, evidence),
        MetricResult(total / n_pairs, None, evidence),
    )


def exceeds(difference: float, threshold: float) -> bool:
    """Whether D_A >= T_D, taking a difference within rounding of the threshold as equal to it.

    Without that, 3 / 2 of a share could fall short of "50 % more" by the last binary digit.
    """
    return difference >= threshold * (1 - ROUNDING)


def _sized(
    concept: str, side: Side, inventory: Inventory, options: MetricOptions, no_size: list[NoSize]
) -> list[SizedBox]:
    sized: list[SizedBox] = []
    without: defaultdict[NoSizeKind, list[int]] = defaultdict(list)
    image, in_pixels = inventory.image, options.relative_to == "pixels"
    for index in inventory.instances_of[concept]:
        box = sized_box(index, image, in_pixels=in_pixels)
        if isinstance(box, SizedBox):
            sized.append(box)
        else:
            without[box].append(index)
    if without:
        kinds = sorted(without)
        no_size.extend(NoSize(concept, side, kind, tuple(without[kind])) for kind in kinds)
    if len(sized) > 1:
        sized.sort(key=canonical_order)
    return sized


def _match(
    concept: str, left: list[SizedBox], right: list[SizedBox], options: MetricOptions
) -> ConceptSizes:
    a, b = [box.area for box in left], [box.area for box in right]
    rows, columns = match_sizes(a, b, options.relative_to)
    pairs = []
    for i, j in zip(rows, columns, strict=True):
        difference = size_difference(a[i], b[j], options.relative_to)
        over = exceeds(difference, options.size_threshold)
        pairs.append(SizePair(left[i], right[j], difference, over))
    n = len(pairs)
    return ConceptSizes(
        concept,
        tuple(pairs),
        tuple([box for i, box in enumerate(left) if i not in rows]) if n < len(left) else (),
        tuple([box for j, box in enumerate(right) if j not in columns]) if n < len(right) else (),
    )
