"""The paper's worked example (zebras) as annotations, so that its numbers can be followed.

Concepts, multiplicities and the rank are those of the paper's example (COLING 2022,
2022.coling-1.321). The paper does not print boxes: these are ours, drawn so that the sizes
come out as it reports them. The caption is in our own words.
"""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.metrics.pair import PairExplanation, explain_pair
from vlmexplain.records import (
    BoxXYWH,
    ImageAnnotations,
    Instance,
    MetricOptions,
    PathSimilarity,
)


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A failure that comes without photos: a query, two annotated images, and a rank.

    Attributes:
        query: the caption of the ground truth.
        ground_truth, retrieved: the annotations.
        rank_1based: place of the ground truth in the ranking.
        source: where it is from.
    """

    query: str
    ground_truth: ImageAnnotations
    retrieved: ImageAnnotations
    rank_1based: int
    source: str


def _instances(*rows: tuple[str, BoxXYWH | None]) -> tuple[Instance, ...]:
    return tuple(Instance(f"{name}.n.01", box, name=name) for name, box in rows)


GROUND_TRUTH = ImageAnnotations(
    640,
    480,
    _instances(
        ("sky", (0, 0, 640, 150)),
        ("hill", (0, 105, 640, 130)),
        ("tree", (430, 25, 180, 255)),
        ("trunk", (505, 150, 35, 130)),
        ("branch", (450, 95, 140, 40)),
        ("leaf", (470, 40, 50, 35)),
        ("field", (20, 365, 600, 100)),
        ("zebra", (60, 220, 200, 190)),
        ("zebra", (250, 235, 160, 165)),
        ("zebra", (400, 245, 130, 150)),
        ("zebra", (520, 260, 100, 125)),
        ("zebra", None),
        ("mane", (112, 222, 60, 55)),
        ("head", (62, 226, 62, 70)),
        ("leg", (205, 330, 25, 80)),
    ),
)

RETRIEVED = ImageAnnotations(
    640,
    480,
    _instances(
        ("grassland", (0, 150, 640, 330)),
        ("field", (11, 245, 618, 230)),
        ("grass", (0, 385, 640, 95)),
        ("zebra", (20, 205, 180, 180)),
        ("zebra", (170, 212, 150, 170)),
        ("zebra", (300, 220, 130, 155)),
        ("zebra", (405, 228, 110, 130)),
        ("zebra", (490, 236, 80, 110)),
        ("zebra", (550, 245, 60, 80)),
        ("zebra", (595, 250, 40, 60)),
        ("mane", (48, 208, 40, 25)),
        ("mane", (188, 216, 36, 25)),
        ("mane", (315, 223, 32, 25)),
        ("mane", (416, 231, 30, 20)),
        ("mane", (498, 239, 20, 20)),
    ),
)

EXAMPLE = WorkedExample(
    query="Five zebras stand in a field, with a hill and a tree behind them.",
    ground_truth=GROUND_TRUTH,
    retrieved=RETRIEVED,
    rank_1based=294,
    source=(
        "After the worked example of Lymperaiou et al., COLING 2022 (2022.coling-1.321): their "
        "concepts, multiplicities and rank; the boxes and the caption are ours."
    ),
)


def explain_example_pair(
    similarity: PathSimilarity,
    options: MetricOptions = MetricOptions(),  # noqa: B008  (frozen)
    mentioned: frozenset[str] | None = None,
) -> PairExplanation:
    """The example's metrics, computed as for any other pair."""
    return explain_pair(EXAMPLE.ground_truth, EXAMPLE.retrieved, similarity, options, mentioned)
