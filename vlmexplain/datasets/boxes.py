"""Boxes: what is wrong with one, where it lies in the shown picture, how large it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.checks import InstanceFlag
from vlmexplain.records import BoxXYWH

LARGEST_NUMBER = 1e7
EDGE_TOLERANCE_PX = 0.5
DUPLICATE_IOU = 0.9
_LONGEST_RUN = 1000  # neighbours looked at; only a made-up image has more on one spot
SMALLEST_AREA_PX = 1e-9  # as in vlmexplain.metrics.box_size
NO_BOX: BoxXYWH = (math.nan, math.nan, math.nan, math.nan)


def read_box(value: Any) -> tuple[BoxXYWH, int]:
    """A box from JSON as four floats (NaN where there is none), and its `InstanceFlag` bits.

    >>> read_box([1, 2, 3, 0])
    ((1.0, 2.0, 3.0, 0.0), 8)
    """
    if value is None:
        return NO_BOX, InstanceFlag.BOX_MISSING.value
    if not isinstance(value, list | tuple) or len(value) != 4:
        return NO_BOX, InstanceFlag.BOX_MALFORMED.value
    if any(isinstance(v, bool) or not isinstance(v, int | float) for v in value):
        return NO_BOX, InstanceFlag.BOX_MALFORMED.value
    if not all(-LARGEST_NUMBER <= v <= LARGEST_NUMBER for v in value):
        return NO_BOX, InstanceFlag.BOX_OUT_OF_RANGE.value
    box = (float(value[0]), float(value[1]), float(value[2]), float(value[3]))
    if box[2] < 0 or box[3] < 0:
        return box, InstanceFlag.BOX_NEGATIVE.value
    if box[2] == 0 or box[3] == 0:
        return box, InstanceFlag.BOX_ZERO.value
    return box, 0


def areas_px(
    boxes: NDArray[np.float64], width_px: NDArray[np.float64], height_px: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Area of each box within its picture, float64 [n] square pixels; NaN when it has no size.

    No size: no box, zero or negative width or height, or wholly outside. The same rule as
    `vlmexplain.metrics.box_size.visible_area`, for many boxes.
    """
    x, y, w, h = boxes.T
    past = (x < 0) | (y < 0) | (x + w > width_px) | (y + h > height_px)
    seen_w = np.where(past, np.minimum(x + w, width_px) - np.maximum(x, 0.0), w)
    seen_h = np.where(past, np.minimum(y + h, height_px) - np.maximum(y, 0.0), h)
    area = seen_w * seen_h
    sized = (w > 0) & (h > 0) & (seen_w > 0) & (seen_h > 0) & (area >= SMALLEST_AREA_PX)
    return np.where(sized, area, np.nan)


def edge_flags(
    boxes: NDArray[np.float64], width_px: NDArray[np.float64], height_px: NDArray[np.float64]
) -> NDArray[np.int32]:
    """``BOX_PAST_EDGE`` or ``BOX_OUTSIDE`` for each box with positive width and height."""
    x, y, w, h = boxes.T
    box = (w > 0) & (h > 0)
    outside = box & ((x >= width_px) | (y >= height_px) | (x + w <= 0) | (y + h <= 0))
    slack = EDGE_TOLERANCE_PX
    past = (x < -slack) | (y < -slack) | (x + w > width_px + slack) | (y + h > height_px + slack)
    flags = np.where(box & past & ~outside, InstanceFlag.BOX_PAST_EDGE.value, 0)
    return np.where(outside, InstanceFlag.BOX_OUTSIDE.value, flags).astype(np.int32)


def possible_duplicates(
    boxes: NDArray[np.float64], image: NDArray[np.int32], concept: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Which boxes have an IoU of at least 0.9 with another of the same concept and image.

    Args:
        boxes: float64 [n, 4]; those without a positive width and height are passed over.
        image, concept: int32 [n]; instances with concept < 0 are passed over.
    """
    found = np.zeros(len(boxes), bool)
    rows = np.flatnonzero((concept >= 0) & (boxes[:, 2] > 0) & (boxes[:, 3] > 0))
    # Two boxes with IoU >= 0.9 have left edges close to each other, so within a group sorted by
    # left edge only a short run has to be looked at.
    rows = rows[np.lexsort((boxes[rows, 0], concept[rows], image[rows]))]
    if rows.size < 2:
        return found
    x, y, w, h = boxes[rows].T
    group_start = np.empty(rows.size, bool)
    group_start[0] = True
    group_start[1:] = (np.diff(image[rows]) != 0) | (np.diff(concept[rows]) != 0)
    group = np.cumsum(group_start)
    near = np.ones(rows.size, bool)
    step = 0
    while near.any() and step < min(_LONGEST_RUN, rows.size - 1):
        step += 1
        left = np.flatnonzero(near[: rows.size - step])
        right = left + step
        # x_right - x_left <= (1 - IoU) * w_left is necessary, and x only grows with the step.
        reach = (group[left] == group[right]) & (x[right] - x[left] <= 0.11 * w[left])
        near[:] = False
        left, right = left[reach], right[reach]
        near[left] = True
        same = _iou(x, y, w, h, left, right) >= DUPLICATE_IOU
        found[rows[left[same]]] = True
        found[rows[right[same]]] = True
    return found


def _iou(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    h: NDArray[np.float64],
    a: NDArray[np.intp],
    b: NDArray[np.intp],
) -> NDArray[np.float64]:
    across = np.minimum(x[a] + w[a], x[b] + w[b]) - np.maximum(x[a], x[b])
    down = np.minimum(y[a] + h[a], y[b] + h[b]) - np.maximum(y[a], y[b])
    both: NDArray[np.float64] = np.maximum(across, 0) * np.maximum(down, 0)
    return both / (w[a] * h[a] + w[b] * h[b] - both)
