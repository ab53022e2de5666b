"""The images an annotation file lists, and the pictures that can really be read."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.found_pictures import PictureFinder
from vlmexplain.datasets.images import (
    MissingPicture,
    PictureError,
    PictureFacts,
    PictureOutsideFolder,
    inspect_picture,
)
from vlmexplain.datasets.orientation import upright_size
from vlmexplain.records import Progress, ProgressCallback

_WINDOW = 512


@dataclass(frozen=True, slots=True)
class ListedImage:
    """An image as an annotation file lists it.

    Attributes:
        file_name: relative to the image folder; ``other_names`` are tried after it.
        width_px, height_px: of the grid the boxes are given in; None when not said.
        coco_id: the COCO image it is, if any.
    """

    image_id: str
    file_name: str
    width_px: int | None = None
    height_px: int | None = None
    other_names: tuple[str, ...] = ()
    licence: str = ""
    licence_url: str = ""
    source_url: str = ""
    coco_url: str = ""
    coco_id: int | None = None


@dataclass(frozen=True, slots=True)
class ShownGrid:
    """How boxes as annotated come to lie in the picture as shown.

    First scaled by ``scale_x`` and ``scale_y`` into a grid of ``grid_width_px`` x
    ``grid_height_px``, then turned by ``box_orientation`` into ``width_px`` x ``height_px``.
    """

    width_px: int
    height_px: int
    grid_width_px: int
    grid_height_px: int
    scale_x: float
    scale_y: float
    box_orientation: int
    codes: tuple[str, ...]


def shown_grid(listed: ListedImage, facts: PictureFacts) -> ShownGrid:
    """The grid of the boxes: the stored one, unless the size given is that of the upright picture.

    A size that is neither is scaled from, in the grid whose proportions are nearer.
    """
    stored = (facts.width_px, facts.height_px)
    upright = upright_size(*stored, facts.orientation)
    given = (listed.width_px or stored[0], listed.height_px or stored[1])
    codes = ["image-rotated"] if facts.orientation != 1 else []
    if given not in (stored, upright):
        codes.append("image-size-differs")
    in_upright = given != stored and _skew(given, upright) < _skew(given, stored)
    if in_upright:
        codes.append("image-boxes-upright")
    grid = upright if in_upright else stored
    return ShownGrid(
        *upright,
        *grid,
        scale_x=grid[0] / given[0],
        scale_y=grid[1] / given[1],
        box_orientation=1 if in_upright else facts.orientation,
        codes=tuple(codes),
    )


def _skew(a: tuple[int, int], b: tuple[int, int]) -> float:
    return abs(math.log(a[0] / a[1]) - math.log(b[0] / b[1]))


def pixels_or_none(value: Any) -> int | None:
    """A width or height from JSON; None when it is not a positive whole number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 < value < 10**6 and value == int(value) else None


def link_or_empty(value: Any, image_id: str, log: CheckLog) -> str:
    """An http or https address; anything else is dropped and counted, as it may be clicked."""
    if not isinstance(value, str) or not value.strip():
        return ""
    link = value.strip()
    if link.lower().startswith(("http://", "https://")) and link.isascii() and link.isprintable():
        return link
    log.add("image-link-dropped", image_id)
    return ""


def readable_pictures(
    listed: Sequence[ListedImage],
    folder: Path,
    *,
    verify: Literal["decode", "header"],
    log: CheckLog,
    progress: ProgressCallback,
) -> list[tuple[ListedImage, PictureFacts]]:
    """Look at every picture with several threads; those that cannot be read are left out.

    A name that is not there is repaired where it obviously means a file; each repair is counted.
    """
    kept = []
    finder = PictureFinder(folder)
    workers = min(32, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(workers, "pictures")
    try:
        for start in range(0, len(listed), _WINDOW):
            progress(Progress("Looking at the pictures", start, len(listed), "pictures"))
            window = listed[start : start + _WINDOW]
            looks = pool.map(lambda image: _look(image, finder, verify), window)
            for image, look in zip(window, looks, strict=True):
                if isinstance(look, str):
                    log.add(look, f"{image.image_id} ({image.file_name})")
                    continue
                found, facts, repairs = look
                for code in repairs:
                    log.add(code, f"{image.image_id} ({image.file_name} is {found.file_name})")
                kept.append((found, facts))
    finally:
        pool.shutdown(cancel_futures=True)
    progress(Progress("Looking at the pictures", len(listed), len(listed), "pictures"))
    return kept


def _look(
    listed: ListedImage, finder: PictureFinder, verify: Literal["decode", "header"]
) -> tuple[ListedImage, PictureFacts, tuple[str, ...]] | str:
    """The image with the name its picture was found under, or the code of why there is none."""
    names = (listed.file_name, *listed.other_names)
    code = MissingPicture.code
    for file_name in names:
        try:
            facts = inspect_picture(finder.folder, file_name, verify)
        except MissingPicture:
            continue
        except PictureOutsideFolder as error:
            code = error.code
            continue
        except PictureError as error:
            return error.code
        return replace(listed, file_name=file_name, other_names=()), facts, ()
    for found in filter(None, map(finder.repaired, names)):
        try:
            facts = inspect_picture(finder.folder, found.file_name, verify)
        except PictureError as error:
            return error.code
        return replace(listed, file_name=found.file_name, other_names=()), facts, found.repairs
    return code


def frames(
    listed: Sequence[ListedImage], log: CheckLog, reach_px: Mapping[str, tuple[float, float]]
) -> list[tuple[ListedImage, PictureFacts]]:
    """The images of a gallery without pictures: empty frames of the size that is given.

    Args:
        reach_px: image id -> how far its boxes reach, for images whose size is not given.
    """
    kept = []
    for image in listed:
        width_px, height_px = image.width_px, image.height_px
        if width_px is None or height_px is None:
            log.add("image-size-unknown", image.image_id)
            across, down = reach_px.get(image.image_id, (1.0, 1.0))
            width_px, height_px = max(1, math.ceil(across)), max(1, math.ceil(down))
        facts = PictureFacts(width_px, height_px, 1, "", "", converted=False)
        kept.append((replace(image, other_names=()), facts))
    return kept
