"""Controls of a picture edit: the same shapes moved to places of a fixed grid; nothing is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vlmexplain.reasons.model_input import Mask

GRID = 5
"""Places along each side, so GRID * GRID a shape."""

MOST_CONTROLS = 6
MOST_COVERED = 0.15
"""The concept covers at most this share of a moved shape, moved shapes of each other, and a
control hides at most this share of anything else that the caption mentions."""

FEWEST_CONTROLS = 3
"""With fewer, "above every control" would say little."""

CELL_OFFSET = 0.25
"""Where in its cell a place lies; 0.75 is the grid shifted by half a cell."""


def control_masks(
    shapes: Sequence[Mask],
    spare: Mask,
    most: int = MOST_CONTROLS,
    offset: float = CELL_OFFSET,
) -> list[Mask]:
    """The union of the moved shapes, bool [h, w], for each control.

    Each shape is moved by itself. Places are taken in an order that spreads them out; control k
    starts at another place for every k, so that no two are the same.

    Args:
        shapes: where the objects lie, bool [h, w] each, none empty.
        spare: the other things that the caption mentions, bool [h, w]: hiding them would be no
            control.
        most: how many controls at most.
        offset: see `CELL_OFFSET`.
    """
    cuts = [_cut(shape) for shape in shapes]
    own = np.logical_or.reduce(shapes)
    places = [_places(cut, own, spare & ~own, offset) for cut in cuts]
    if not cuts or not all(places):
        return []
    found: list[Mask] = []
    for k in range(max(len(each) for each in places)):
        moved = _one_control(cuts, places, own, k)
        if moved is not None and not any(np.array_equal(moved, other) for other in found):
            found.append(moved)
        if len(found) == most:
            break
    return found


def _one_control(
    cuts: Sequence[Mask], places: Sequence[list[tuple[int, int]]], like: Mask, k: int
) -> Mask | None:
    moved = np.zeros_like(like)
    for cut, own in zip(cuts, places, strict=True):
        height, width = cut.shape
        for n in range(len(own)):
            top, left = own[(k + n) % len(own)]
            window = moved[top : top + height, left : left + width]
            if (window & cut).sum() <= MOST_COVERED * cut.sum():
                window |= cut
                break
        else:
            return None
    return moved


def _cut(shape: Mask) -> Mask:
    rows, columns = np.flatnonzero(shape.any(axis=1)), np.flatnonzero(shape.any(axis=0))
    return shape[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _places(cut: Mask, own: Mask, spare: Mask, offset: float) -> list[tuple[int, int]]:
    """Top left corners, spread out: a step that has no factor in common with their number."""
    (height, width), (rows, columns) = cut.shape, own.shape
    n = GRID * GRID
    area, most_hidden = cut.sum(), MOST_COVERED * spare.sum()
    found: list[tuple[int, int]] = []
    for number in range(n):
        row, column = divmod(number * 7 % n, GRID)
        top = int((row + offset) / GRID * (rows - height))
        left = int((column + offset) / GRID * (columns - width))
        window = slice(top, top + height), slice(left, left + width)
        free = (own[window] & cut).sum() <= MOST_COVERED * area
        if free and (spare[window] & cut).sum() <= most_hidden and (top, left) not in found:
            found.append((top, left))
    return found
