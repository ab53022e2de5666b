"""The EXIF orientation: from the stored pixel grid to the picture as it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.records import BoxXYWH

# (x, y, w, h, stored width, stored height) -> the box in the shown grid. The same formulas serve
# numbers and arrays, hence Any. EXIF 2.32, tag 274: 6 means "turn 90 degrees clockwise to show".
_MOVES: Mapping[int, Callable[..., tuple[Any, Any, Any, Any]]] = {
    2: lambda x, y, w, h, width, height: (width - x - w, y, w, h),
    3: lambda x, y, w, h, width, height: (width - x - w, height - y - h, w, h),
    4: lambda x, y, w, h, width, height: (x, height - y - h, w, h),
    5: lambda x, y, w, h, width, height: (y, x, h, w),
    6: lambda x, y, w, h, width, height: (height - y - h, x, h, w),
    7: lambda x, y, w, h, width, height: (height - y - h, width - x - w, h, w),
    8: lambda x, y, w, h, width, height: (y, width - x - w, h, w),
}

TRANSPOSES: Mapping[int, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def upright_size(width_px: int, height_px: int, orientation: int) -> tuple[int, int]:
    """Width and height of the picture as shown, from those of the stored grid.

    >>> upright_size(320, 200, 6)
    (200, 320)
    """
    return (height_px, width_px) if orientation >= 5 else (width_px, height_px)


def stored_to_upright(
    box_xywh_px: BoxXYWH, width_px: float, height_px: float, orientation: int
) -> BoxXYWH:
    """A box of the stored grid (``width_px`` x ``height_px``) in the grid of the shown picture.

    >>> stored_to_upright((40, 60, 70, 50), 320, 200, 6)
    (90, 40, 50, 70)
    """
    move = _MOVES.get(orientation)
    return move(*box_xywh_px, width_px, height_px) if move else box_xywh_px


def upright_boxes(
    boxes: NDArray[np.float64],
    width_px: NDArray[np.float64],
    height_px: NDArray[np.float64],
    orientation: NDArray[np.int8],
) -> NDArray[np.float64]:
    """`stored_to_upright` for many boxes: float64 [n, 4] and three arrays [n] -> float64 [n, 4]."""
    shown = boxes.copy()
    for code, move in _MOVES.items():
        rows = np.flatnonzero(orientation == code)
        if rows.size:
            x, y, w, h = boxes[rows].T
            shown[rows] = np.stack(move(x, y, w, h, width_px[rows], height_px[rows]), axis=1)
    return shown
