"""The columns of a gallery before they are sorted and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

NO_ID = -(2**63)
"""Stands for an instance id that is not a 64-bit whole number."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ImageColumns:
    """One entry an image, in any order. Sizes are those of the upright picture.

    Attributes:
        image_id: unique; the gallery is sorted by it.
        file_name: relative to the image folder.
        width_px, height_px: int32 [n]; orientation: int8 [n], EXIF 1..8.
        content_sha256: hex digests of the files.
        licence, licence_url, source_url, coco_url: "" where unknown.
        coco_id: None where there is none.
    """

    image_id: list[str]
    file_name: list[str]
    width_px: NDArray[np.int32]
    height_px: NDArray[np.int32]
    orientation: NDArray[np.int8]
    content_sha256: list[str]
    licence: list[str]
    licence_url: list[str]
    source_url: list[str]
    coco_url: list[str]
    coco_id: list[int | None]


@dataclass(frozen=True, slots=True)
class CaptionColumns:
    """One entry a caption; ``image_index`` int32 [n] points into `ImageColumns`."""

    image_index: NDArray[np.int32]
    caption_id: list[str]
    text: list[str]


@dataclass(frozen=True, slots=True)
class InstanceColumns:
    """One entry an instance; ``image_index`` int32 [n] points into `ImageColumns`.

    Attributes:
        synset_code: int32 [n] into ``synsets``, -1 for none.
        name_code: int32 [n] into ``names``.
        box: float64 [n, 4] x, y, w, h in the upright grid; NaN rows where there is no box.
        crowd: bool [n].
        instance_id: int64 [n], `NO_ID` where unknown.
        flags: int32 [n], bits of `checks.InstanceFlag`.
        decided_by: int8 [n], the place in `naming.DECIDED_BY` of how the synset was decided;
            None when nobody knows. It is kept beside the content, and is no part of it.
    """

    image_index: NDArray[np.int32]
    synset_code: NDArray[np.int32]
    name_code: NDArray[np.int32]
    box: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    instance_id: NDArray[np.int64]
    flags: NDArray[np.int32]
    synsets: list[str]
    names: list[str]
    decided_by: NDArray[np.int8] | None = None


@dataclass(frozen=True, slots=True)
class GalleryColumns:
    """All that a gallery's content is made of."""

    images: ImageColumns
    captions: CaptionColumns
    instances: InstanceColumns
    drawn: bool = False


def taken_in_order(values: list[T], order: NDArray[np.intp]) -> list[T]:
    """The list's values in the order given."""
    return [values[i] for i in order.tolist()]
