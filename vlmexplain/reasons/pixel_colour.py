"""Which colours the pixels of an object's box have; "measured from pixels", never annotated."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vlmexplain.perturb.colours import COMMON, named_colours
from vlmexplain.reasons.model_input import Mask

LEAST_SHARE = 0.1
"""Of a box's pixels, for a colour to be said to be there."""

_ALSO = {
    "green": ((90, 170, 90), (70, 110, 40)),
    "red": ((200, 30, 50),),
    "brown": ((128, 80, 46), (90, 60, 40)),
    "blue": ((50, 110, 220), (120, 170, 230)),
    "yellow": ((250, 210, 60),),
    "gray": ((160, 160, 165), (90, 90, 95)),
    "pink": ((250, 155, 190),),
    "purple": ((130, 70, 175),),
    "orange": ((250, 140, 40),),
    "black": ((40, 40, 45),),
    "white": ((240, 238, 230),),
}
"""Other looks of the eleven names beside their CSS value, RGB 0..255."""


def colour_shares(rgb: NDArray[np.uint8], shapes: list[Mask]) -> dict[str, float]:
    """The share of an object's pixels that is nearest to each of the eleven colours.

    Args:
        rgb: uint8 [h, w, 3], what the model sees.
        shapes: where the objects lie, bool [h, w] each.

    Returns:
        Share by name, summing to 1; empty when nothing of it is seen.
    """
    where = np.logical_or.reduce(shapes) if shapes else np.zeros(rgb.shape[:2], dtype=bool)
    if not where.any():
        return {}
    names, looks = _looks()
    pixels = _lab(rgb[where][None])[0]
    apart = ((pixels[:, None, :] - looks[None]) ** 2).sum(axis=2)
    nearest = names[apart.argmin(axis=1)]
    return {name: float((nearest == n).mean()) for n, name in enumerate(COMMON)}


@lru_cache(maxsize=1)
def _looks() -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    rows = [
        (n, value)
        for n, name in enumerate(COMMON)
        for value in (named_colours()[name], *_ALSO.get(name, ()))
    ]
    values = np.array([value for _, value in rows], dtype=np.uint8)
    return np.array([n for n, _ in rows]), _lab(values[None])[0]


def _lab(rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    import cv2

    found: NDArray[np.float32] = cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2LAB).astype(
        np.float32
    )
    return found
