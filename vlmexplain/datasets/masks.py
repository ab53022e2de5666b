"""Masks of objects: polygons and run lengths as COCO writes them, read and drawn.

A segmentation is a list of rings ``[x, y, x, y, ...]`` or run lengths ``{"size": [h, w],
"counts": [...]}`` (column by column, background first; counts also as COCO's compressed text).
Drawing, and packing run lengths, is pycocotools'.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

import msgspec
import numpy as np
from numpy.typing import NDArray
from pycocotools import mask as coco_mask

LARGEST_COORDINATE_PX = 1e5
LARGEST_MASK_PX = 2**28
_FEWEST_NUMBERS = 6  # three points


class Polygons(NamedTuple):
    """Rings: how many numbers each has, and the numbers x, y, x, y ... of all, as float64 bytes."""

    lengths: list[int]
    numbers: bytes


class RunLengths(TypedDict):
    """Run lengths of a mask of ``size`` [height, width]; they sum to its pixels."""

    size: list[int]
    counts: list[int]


Segmentation = Polygons | RunLengths


def read_segmentation(value: Any) -> Segmentation | None:
    """A segmentation from JSON; None when it is not one that can be drawn.

    >>> read_segmentation([[0, 0, 4, 0, 4, 4]]).lengths
    [6]
    >>> read_segmentation({"size": [2, 3], "counts": [1, 2]}) is None  # 3 of 6 pixels
    True
    """
    if isinstance(value, dict):
        return _read_run_lengths(value.get("size"), value.get("counts"))
    try:
        rings = msgspec.convert(value, list[list[float]])
    except msgspec.ValidationError:
        return None
    lengths = [len(ring) for ring in rings]
    numbers = np.array([*itertools.chain.from_iterable(rings)], np.float64)
    if not lengths or min(lengths) < _FEWEST_NUMBERS or any(n % 2 for n in lengths):
        return None
    if not np.abs(numbers).max() <= LARGEST_COORDINATE_PX:  # nor NaN
        return None
    return Polygons(lengths, numbers.tobytes())


def polygon_mask(
    rings: Sequence[Sequence[float]], width_px: int, height_px: int
) -> NDArray[np.bool_]:
    """The pixels within any of the rings, bool [height_px, width_px].

    >>> polygon_mask([[1, 0, 3, 0, 3, 2, 1, 2]], 4, 3).astype(int).tolist()
    [[0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    """
    drawn = coco_mask.frPyObjects([list(ring) for ring in rings], height_px, width_px)
    pixels: NDArray[np.uint8] = coco_mask.decode(coco_mask.merge(drawn))
    return pixels.astype(bool)


def run_lengths_mask(packed: bytes, width_px: int, height_px: int) -> NDArray[np.bool_]:
    """The mask that `pack_run_lengths` packed, bool [height_px, width_px]."""
    pixels: NDArray[np.uint8] = coco_mask.decode({"size": [height_px, width_px], "counts": packed})
    return pixels.astype(bool)


def pack_run_lengths(mask: NDArray[np.bool_]) -> bytes:
    """COCO's compressed run lengths of a mask [height, width]."""
    packed: bytes = coco_mask.encode(np.asfortranarray(mask, np.uint8))["counts"]
    return packed


def mask_of_run_lengths(run_lengths: RunLengths) -> NDArray[np.bool_]:
    """The mask that run lengths stand for, bool [height, width]."""
    height, width = run_lengths["size"]
    values = np.arange(len(run_lengths["counts"])) % 2 == 1
    return np.repeat(values, run_lengths["counts"]).reshape(width, height).T


def _read_run_lengths(size: Any, counts: Any) -> RunLengths | None:
    if not isinstance(size, list) or len(size) != 2:
        return None
    if not all(type(side) is int and side > 0 for side in size):
        return None
    n_pixels = math.prod(size)
    if isinstance(counts, str):
        counts = _unpacked(counts)
    if n_pixels > LARGEST_MASK_PX or not isinstance(counts, list):
        return None
    if not all(type(n) is int and 0 <= n <= n_pixels for n in counts):
        return None
    return RunLengths(size=size, counts=counts) if sum(counts) == n_pixels else None


def _unpacked(text: str) -> list[int] | None:
    """The counts of COCO's compressed text; None where it is none.

    Each sign carries five bits, low ones first, and whether more follow; from the third count on
    the difference to the count before the last is kept.

    >>> _unpacked("52703"), _unpacked("52~")
    ([5, 2, 7, 2, 10], None)
    """
    counts: list[int] = []
    signs = iter(text)
    for first in signs:
        value = shift = 0
        for sign in itertools.chain(first, signs):
            bits = ord(sign) - 48
            if not 0 <= bits < 64 or shift > 40:
                return None
            value |= (bits & 31) << shift
            shift += 5
            if not bits & 32:
                break
        else:
            return None
        if bits & 16:
            value -= 1 << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
    return counts
