"""How large a box is, and what keeps a box from having a size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from vlmexplain.records import BoxXYWH, ImageAnnotations, Instance

NoSizeKind = Literal[
    "no box",
    "crowd region",
    "not a finite number",
    "negative width or height",
    "zero width or height",
    "outside the image",
]
"""What keeps an instance from having a size of its own."""

SMALLEST_AREA_PX = 1e-9
"""A box that covers less of the image (square pixels) counts as one of zero width or height."""


@dataclass(frozen=True, slots=True)
class SizedBox:
    """An instance's box with the size the metrics use.

    Attributes:
        instance_index: place of the instance in `ImageAnnotations.instances`.
        box_xywh_px: the box as annotated.
        area_px: area within the image, square pixels.
        area: the same in the unit asked for: share of the image (0..1) or square pixels.
        clipped: the box goes past the edge of the image; only the part inside counts.
    """

    instance_index: int
    box_xywh_px: BoxXYWH
    area_px: float
    area: float
    clipped: bool


def visible_area(
    box: BoxXYWH | None, width_px: int, height_px: int
) -> tuple[float, bool] | NoSizeKind:
    """Area of a box within its image in square pixels and whether it was clipped, or why none.

    >>> visible_area((10, 10, 20, 5), 640, 480)
    (100.0, False)
    >>> visible_area((630, 0, 20, 5), 640, 480)
    (50.0, True)
    >>> visible_area((630, 0, 20, 0), 640, 480)
    'zero width or height'
    """
    if box is None:
        return "no box"
    x, y, width, height = map(float, box)
    if not math.isfinite(x + y + width + height) and not all(map(math.isfinite, box)):
        return "not a finite number"
    if width < 0 or height < 0:
        return "negative width or height"
    if width == 0 or height == 0:
        return "zero width or height"
    clipped = x < 0 or y < 0 or x + width > width_px or y + height > height_px
    if clipped:
        width = min(x + width, float(width_px)) - max(x, 0.0)
        height = min(y + height, float(height_px)) - max(y, 0.0)
        if width <= 0 or height <= 0:
            return "outside the image"
    area = width * height
    return (area, clipped) if area >= SMALLEST_AREA_PX else "zero width or height"


def sized_box(
    index: int, image: ImageAnnotations, *, in_pixels: bool = False
) -> SizedBox | NoSizeKind:
    """The box of one instance with its area, or what keeps the instance from having one."""
    instance: Instance = image.instances[index]
    if instance.crowd:
        return "crowd region"
    found = visible_area(instance.box_xywh_px, image.width_px, image.height_px)
    if isinstance(found, str):
        return found
    assert instance.box_xywh_px is not None
    area_px, clipped = found
    area = area_px if in_pixels else area_px / (image.width_px * image.height_px)
    return SizedBox(index, instance.box_xywh_px, area_px, area, clipped)


def canonical_order(box: SizedBox) -> tuple[float, float, float, float, float, int]:
    """Sort key that makes the evidence the same whatever the order of the annotations."""
    return (box.area_px, *box.box_xywh_px, box.instance_index)
