"""What every image of a gallery holds, as columns: made once, read by the batch scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.metrics.box_size import SMALLEST_AREA_PX

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class InventoryTable:
    """One entry for each concept of each image, by image and then by concept.

    Attributes:
        n_concepts: V, the size of the vocabulary.
        entry_offsets: int64 [n_images + 1], where each image's entries start.
        concept: int64 [n_entries], index into the vocabulary, ascending within an image.
        count: int64 [n_entries], instances of the concept, crowd regions included.
        crowd: bool [n_entries], one of them is a crowd region, so ``count`` means nothing.
        box_offsets: int64 [n_entries + 1], where each entry's boxes with a size start.
        area_px: float64 [n_boxes], area in the image, square pixels, ascending in an entry.
        share: float64 [n_boxes], the same as a share of the image.
    """

    n_concepts: int
    entry_offsets: Ints
    concept: Ints
    count: Ints
    crowd: NDArray[np.bool_]
    box_offsets: Ints
    area_px: Floats
    share: Floats

    @property
    def n_images(self) -> int:
        """Images in the gallery."""
        return len(self.entry_offsets) - 1


def make_inventory_table(
    concept_index: NDArray[Any],
    instance_offsets: NDArray[Any],
    box_xywh_px: Floats,
    crowd: NDArray[np.bool_],
    width_px: NDArray[Any],
    height_px: NDArray[Any],
    n_concepts: int,
) -> InventoryTable:
    """Count and measure the instances of a gallery.

    Args:
        concept_index: integer [n_instances], place in the vocabulary **sorted by name**; -1 none.
        instance_offsets: integer [n_images + 1], where each image's instances start.
        box_xywh_px: float64 [n_instances, 4]; a row with a NaN is no box.
        crowd: bool [n_instances].
        width_px, height_px: integer [n_images].
        n_concepts: V.
    """
    offsets = np.asarray(instance_offsets, dtype=np.int64)
    n_images = len(offsets) - 1
    image = np.repeat(np.arange(n_images), np.diff(offsets))
    concept = np.asarray(concept_index, dtype=np.int64)
    kept = np.flatnonzero(concept >= 0)
    keys = image[kept] * n_concepts + concept[kept]
    entries, entry_of, counts = np.unique(keys, return_inverse=True, return_counts=True)
    with_crowd = np.zeros(len(entries), dtype=bool)
    with_crowd[entry_of[crowd[kept]]] = True

    image_area = np.asarray(width_px, np.float64) * np.asarray(height_px, np.float64)
    area = visible_areas(
        box_xywh_px[kept],
        np.asarray(width_px, np.float64)[image[kept]],
        np.asarray(height_px, np.float64)[image[kept]],
    )
    sized = np.flatnonzero(~np.isnan(area) & ~crowd[kept])
    sized = sized[np.lexsort((area[sized], entry_of[sized]))]
    boxes = np.bincount(entry_of[sized], minlength=len(entries))
    divisor = np.maximum(n_concepts, 1)
    return InventoryTable(
        n_concepts=n_concepts,
        entry_offsets=np.searchsorted(entries // divisor, np.arange(n_images + 1)).astype(np.int64),
        concept=entries % divisor,
        count=counts.astype(np.int64),
        crowd=with_crowd,
        box_offsets=np.concatenate(([0], np.cumsum(boxes))).astype(np.int64),
        area_px=area[sized],
        share=area[sized] / image_area[image[kept][sized]],
    )


def visible_areas(box_xywh_px: Floats, width_px: Floats, height_px: Floats) -> Floats:
    """Area of each box within its image in square pixels; NaN where it has no size.

    The columnar form of `box_size.visible_area`.

    Args:
        box_xywh_px: float64 [n, 4].
        width_px, height_px: float64 [n], of the box's image.
    """
    x, y, width, height = box_xywh_px.T
    with np.errstate(invalid="ignore", over="ignore"):
        clipped = (x < 0) | (y < 0) | (x + width > width_px) | (y + height > height_px)
        inner_width = np.minimum(x + width, width_px) - np.maximum(x, 0.0)
        inner_height = np.minimum(y + height, height_px) - np.maximum(y, 0.0)
        valid = np.isfinite(box_xywh_px).all(axis=1) & (width > 0) & (height > 0)
        valid &= ~clipped | ((inner_width > 0) & (inner_height > 0))
        area = np.where(clipped, inner_width * inner_height, width * height)
        valid &= area >= SMALLEST_AREA_PX
    return np.where(valid, area, np.nan)
