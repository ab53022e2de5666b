"""Visual Genome's ``image_data.json``: sizes, links, and which COCO image each one is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.file_kinds import (
    COCO_VG_MAP,
    VG_IMAGE_DATA,
    kind_of_vg_record,
    wrong_file,
)
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.listed_images import ListedImage, link_or_empty, pixels_or_none
from vlmexplain.datasets.reading import read_plain, read_stream
from vlmexplain.datasets.record_ids import clean_text, id_text, int64_or_none
from vlmexplain.errors import DataError
from vlmexplain.records import ProgressCallback, no_progress

PICTURE_FOLDERS = ("VG_100K", "VG_100K_2")


def read_image_data(
    path: Path,
    vg_to_coco: Mapping[str, int],
    log: CheckLog,
    progress: ProgressCallback = no_progress,
) -> tuple[dict[str, ListedImage], SourceFile]:
    """The images by id.

    Args:
        path: ``image_data.json``.
        vg_to_coco: COCO ids for images whose own ``coco_id`` is null, -1 or absent.
        log: counts what is left out and what disagrees.
        progress: called now and then.

    Raises:
        DataError: it is another kind of file, or damaged.
    """
    listed: dict[str, ListedImage | None] = {}

    def take(_: str, value: Any) -> None:
        kind = kind_of_vg_record(value)
        if kind not in (None, VG_IMAGE_DATA):
            raise wrong_file(path, VG_IMAGE_DATA, kind)
        image = _listed(value, vg_to_coco, log) if isinstance(value, dict) else None
        if image is None:
            log.add("image-incomplete", repr(value)[:60])
        elif image.image_id not in listed:
            listed[image.image_id] = image
        elif listed[image.image_id] == image:
            log.add("image-repeated", image.image_id)
        else:
            listed[image.image_id] = None

    source = read_stream(JsonStream(path), "image_data", take, VG_IMAGE_DATA, progress, "[")
    for image_id, image in listed.items():
        if image is None:
            log.add("image-id-conflict", image_id)
    return {image_id: image for image_id, image in listed.items() if image}, source


def _listed(
    record: dict[str, Any], vg_to_coco: Mapping[str, int], log: CheckLog
) -> ListedImage | None:
    image_id = id_text(record.get("image_id", record.get("id")))
    if image_id is None:
        return None
    own = int64_or_none(record.get("coco_id"))
    own = own if own is not None and own > 0 else None
    mapped = vg_to_coco.get(image_id)
    if own and mapped and own != mapped:
        log.add("image-coco-id-disagrees", f"{image_id} (COCO {own}, map {mapped})")
    url = record.get("url")
    names = picture_names(image_id, clean_text(url) if isinstance(url, str) else "")
    return ListedImage(
        image_id=image_id,
        file_name=names[0],
        other_names=names[1:],
        width_px=pixels_or_none(record.get("width")),
        height_px=pixels_or_none(record.get("height")),
        source_url=link_or_empty(url, image_id, log),
        coco_id=own or mapped,
    )


def picture_names(image_id: str, url: str) -> tuple[str, ...]:
    """Where an image's picture may lie in the image folder, the likeliest first.

    >>> picture_names("7", "https://cs.stanford.edu/people/rak248/VG_100K_2/7.jpg")
    ('VG_100K_2/7.jpg', '7.jpg', 'VG_100K/7.jpg')
    """
    try:
        parts = [part for part in urlsplit(url).path.split("/") if part]
    except ValueError:  # not an address
        parts = []
    plain = f"{image_id}.jpg"
    in_folders = [f"{folder}/{plain}" for folder in PICTURE_FOLDERS]
    from_url = ["/".join(parts[-2:]), parts[-1]] if parts else []
    return tuple(dict.fromkeys((*from_url, plain, *in_folders)))


def read_coco_map(path: Path) -> tuple[dict[str, int], SourceFile]:
    """Visual Genome id -> COCO id, from the map of COCO ids to lists of Visual Genome ids.

    Raises:
        DataError: it is another kind of file, or damaged.
    """
    content, source = read_plain("coco_map", path)
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"is not JSON ({error}); expected {COCO_VG_MAP}.", where=str(path)
        ) from error
    if not isinstance(value, dict) or not all(isinstance(ids, list) for ids in value.values()):
        raise wrong_file(path, COCO_VG_MAP)
    found: dict[str, int] = {}
    for coco, vg_ids in value.items():
        coco_id = int64_or_none(coco)
        if coco_id is None:
            raise wrong_file(path, COCO_VG_MAP)
        for vg_id in map(id_text, vg_ids):
            if vg_id is not None and coco_id > 0:
                found[vg_id] = min(coco_id, found.get(vg_id, coco_id))
    return found, source
