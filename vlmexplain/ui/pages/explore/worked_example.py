"""The paper's worked example as a failure to look at, before anything is imported."""

from __future__ import annotations

from vlmexplain.example import EXAMPLE
from vlmexplain.explain import explain_example
from vlmexplain.records import MetricOptions
from vlmexplain.ui.pages.explore.failure import Failure, ShownImage
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.explore_address import ExploreAddress
from vlmexplain.ui.shared.media import media_address

CREDIT = (("Schematic drawn from the boxes; not a photo", None),)


def worked_example(address: ExploreAddress) -> Failure:
    """The zebras, computed with the options of the address."""
    options = MetricOptions(address.threshold, address.relative_to)
    left, right = caches.example_drawings()
    return Failure(
        explanation=explain_example(options, address.informed, caches.wordnet()),
        about=EXAMPLE.source,
        ground_truth=ShownImage(
            EXAMPLE.ground_truth,
            media_address(left, "image/svg+xml", "left"),
            "Schematic of the ground truth: zebras in a field before a hill and a tree",
            "Ground truth",
            f"place {EXAMPLE.rank_1based}",
            CREDIT,
        ),
        retrieved=ShownImage(
            EXAMPLE.retrieved,
            media_address(right, "image/svg+xml", "right"),
            "Schematic of the retrieved image: a row of zebras in grassland",
            "Retrieved",
            "place 1",
            CREDIT,
        ),
    )
