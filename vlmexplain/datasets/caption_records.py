"""Captions: trimmed at the ends, otherwise kept as they are written; each once an image."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.columns import CaptionColumns
from vlmexplain.datasets.file_kinds import COCO_CAPTIONS, kind_of_coco_annotation, wrong_file
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.reading import read_stream
from vlmexplain.datasets.record_ids import clean_text, id_order, id_text
from vlmexplain.records import ProgressCallback


class CaptionRecords:
    """Captions in the order of the file; ``columns`` sorts out which can be used."""

    def __init__(self) -> None:
        self._image_codes: dict[str, int] = {}
        self._image = array("i")
        self._ids: list[str] = []
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, image_id: str, caption_id: str, text: str) -> None:
        """Take one caption as it stands in the file."""
        self._image.append(self._image_codes.setdefault(image_id, len(self._image_codes)))
        self._ids.append(caption_id)
        self._texts.append(text)

    def first_of(self, image_ids: Collection[str], most: int) -> dict[str, tuple[str, ...]]:
        """The first captions of some images, at most ``most`` of each, as they are written."""
        codes = {self._image_codes[i]: i for i in image_ids if i in self._image_codes}
        found: dict[str, tuple[str, ...]] = dict.fromkeys(image_ids, ())
        for row, code in enumerate(self._image):
            image_id = codes.get(code)
            if image_id is not None and len(found[image_id]) < most:
                found[image_id] += (self._texts[row],)
        return found

    def columns(
        self,
        index_of: Mapping[str, int],
        listed_ids: Collection[str],
        log: CheckLog,
        passed_over: Collection[str] = frozenset(),
    ) -> CaptionColumns:
        """The captions of kept images.

        Args:
            index_of: image id (as the captions give it) -> index, of the images kept.
            listed_ids: those ids of all images listed, kept or not.
            log: counts what is trimmed and left out.
            passed_over: ids of images that were not asked for; their captions are no finding.
        """
        codes = list(self._image_codes)
        index = [index_of.get(image, -1) for image in codes]
        kept_rows: list[int] = []
        for row, code in enumerate(self._image):
            if index[code] >= 0:
                kept_rows.append(row)
            elif codes[code] in passed_over:
                continue
            elif codes[code] in listed_ids:
                log.add("caption-of-left-out-image", self._ids[row])
            else:
                log.add("caption-unlisted-image", self._ids[row])
        kept_rows.sort(
            key=lambda row: (index[self._image[row]], id_order(self._ids[row]), self._texts[row])
        )
        image_index: list[int] = []
        ids: list[str] = []
        texts: list[str] = []
        seen: set[tuple[int, str]] = set()
        for row in kept_rows:
            image, text = index[self._image[row]], self._usable(row, log)
            if not text:
                log.add("caption-empty", self._ids[row])
            elif (image, text) in seen:
                log.add("caption-repeated", self._ids[row])
            else:
                seen.add((image, text))
                image_index.append(image)
                ids.append(self._ids[row])
                texts.append(text)
        _flag_reused(ids, log)
        return CaptionColumns(np.array(image_index, np.int32), ids, texts)

    def _usable(self, row: int, log: CheckLog) -> str:
        whole = clean_text(self._texts[row])
        if whole != self._texts[row]:
            log.add("caption-damaged-text", self._ids[row])
        text = whole.strip()
        if text != whole and text:
            log.add("caption-trimmed", self._ids[row])
        return text


def _flag_reused(ids: list[str], log: CheckLog) -> None:
    if len(set(ids)) == len(ids):
        return
    counts: dict[str, int] = {}
    for caption_id in ids:
        counts[caption_id] = counts.get(caption_id, 0) + 1
    for caption_id, n in counts.items():
        if n > 1 and caption_id:
            log.add("caption-id-reused", caption_id)


def read_coco_captions(
    path: Path,
    log: CheckLog,
    progress: ProgressCallback,
    *,
    records: CaptionRecords | None = None,
    take_other: Callable[[str, Any], None] = lambda key, value: None,
) -> tuple[CaptionRecords, SourceFile]:
    """Read a COCO captions file, record by record.

    Args:
        records: to which the captions are added; None for new ones.
        take_other: called with every other record of the file, such as its images.

    Raises:
        DataError: it is another kind of file, or damaged.
    """
    records = CaptionRecords() if records is None else records

    def take(key: str, value: Any) -> None:
        if key == "annotations":
            _take_caption(path, records, value, log)
        else:
            take_other(key, value)

    stream = JsonStream(path)
    source = read_stream(stream, "captions", take, COCO_CAPTIONS, progress)
    if "annotations" not in stream.keys:
        raise wrong_file(path, COCO_CAPTIONS)
    return records, source


def _take_caption(path: Path, records: CaptionRecords, value: Any, log: CheckLog) -> None:
    kind = kind_of_coco_annotation(value)
    if kind not in (None, COCO_CAPTIONS):
        raise wrong_file(path, COCO_CAPTIONS, kind)
    image_id = id_text(value.get("image_id")) if isinstance(value, dict) else None
    if image_id is None:
        log.add("caption-incomplete", value.get("id") if isinstance(value, dict) else value)
        return
    caption_id = id_text(value.get("id")) or ""
    text = value.get("caption")
    if isinstance(text, str):
        records.add(image_id, caption_id, text)
    else:
        log.add("caption-not-text", caption_id)
