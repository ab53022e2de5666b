"""Where things are, asked of the image tower's maps while it trains: this is what teaches counting.

A pooled embedding alone learns counts slowly. Here two coarse maps are asked for the expected
number of things of each category with their middle in each cell; the sum over cells is a count, and
pooling keeps sums. The heads are thrown away after training.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from drawn_world.categories import CATEGORIES, CATEGORY_INDEX
from drawn_world.net import ARCHITECTURE
from drawn_world.scene import Scene
from drawn_world.settings import CANVAS

__all__ = ["CELLS", "DenseCounts", "middles"]

#: The finer map has this many cells a side; the coarser one half as many.
CELLS = 8


def middles(scene: Scene, mirrored: bool, down: float, right: float) -> NDArray[np.int64]:
    """(category row, cell row, cell column) of every thing's middle, shape (things, 3), int64.

    The picture was mirrored first, then its content moved up by `down` and left by `right`, both as
    shares of its side.
    """
    found = []
    for item in scene.items:
        row = CATEGORY_INDEX[scene.groups[item.group].category]
        category = CATEGORIES[row]
        mirror = -item.scale if item.flipped else item.scale
        x = (item.x + (category.right - category.left) / 2 * mirror) / CANVAS
        y = (item.y - category.top / 2 * item.scale) / CANVAS
        x = (1 - x if mirrored else x) - right
        cells = [min(max(int(v * CELLS), 0), CELLS - 1) for v in (y - down, x)]
        found.append((row, *cells))
    return np.array(found, np.int64).reshape(-1, 3)


class DenseCounts(nn.Module):  # type: ignore[misc]
    """Expected numbers of things a cell, from the tower's third (8 x 8) and fourth (4 x 4)
    stage."""

    def __init__(self) -> None:
        super().__init__()
        width = ARCHITECTURE["vision_cfg"]["width"]
        self.fine = nn.Conv2d(width * 16, len(CATEGORIES), 1)
        self.coarse = nn.Conv2d(width * 32, len(CATEGORIES), 1)
        for head in (self.fine, self.coarse):
            nn.init.constant_(head.bias, -4.0)

    def forward(
        self, maps: tuple[torch.Tensor, torch.Tensor], places: list[NDArray[np.int64]]
    ) -> torch.Tensor:
        """The negative log likelihood of Poisson counts, per thing, mean over the two maps.

        `maps`: (n, 384, 8, 8) and (n, 768, 4, 4); `places`: what `middles` gives for each picture.
        """
        target = torch.zeros(len(places), len(CATEGORIES), CELLS, CELLS)
        for row, found in enumerate(places):
            for category, y, x in found:
                target[row, category, y, x] += 1.0
        losses = []
        for head, features in ((self.fine, maps[0]), (self.coarse, maps[1])):
            rate = nn.functional.softplus(head(features).float()) + 1e-5
            losses.append((rate - target * rate.log()).sum() / target.sum())
            target = nn.functional.avg_pool2d(target, 2) * 4
        return (losses[0] + losses[1]) / 2
