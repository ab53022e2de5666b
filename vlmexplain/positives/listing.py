"""A list of positives as its file has it, by the ids of the data set."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlmexplain.datasets.record_ids import id_text
from vlmexplain.errors import DataError

COLUMNS = ("caption_id", "image_id", "judgement")
FITS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "true", "yes", "fits", "positive"), True),
    **dict.fromkeys(("0", "false", "no", "does not fit", "negative"), False),
}
"""How a CSV file may write a judgement."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Judged pairs by id.

    Attributes:
        caption_ids: every query of the file, in its order, each once.
        pairs: caption id, image id, and whether the image fits.
    """

    caption_ids: tuple[str, ...]
    pairs: tuple[tuple[str, str, bool], ...]


def read_listing(path: Path) -> Listing:
    """Read a JSON file ``{"caption id": [image id ...]}`` or a CSV file with `COLUMNS`.

    Raises:
        DataError: the file cannot be read, is neither, or a line of it is not as it should be.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 text ({error}).", where=str(path)) from error
    if path.suffix.lower() == ".csv":
        return _of_pairs(_csv_pairs(text, str(path)))
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"is no JSON ({error}).",
            where=str(path),
            remedy='Expected {"caption id": [image id ...]}, or a file that ends with .csv.',
        ) from error
    return listing_of(document, str(path))


def listing_of(document: Any, where: str) -> Listing:
    """The listing in a JSON document; ``where`` is for messages.

    >>> listing_of({"7": [1, "2"]}, "a.json").pairs
    (('7', '1', True), ('7', '2', True))

    Raises:
        DataError: it is not of the form ``{"caption id": [image id ...]}``.
    """
    if not isinstance(document, dict) or not document:
        raise DataError(
            f"is {type(document).__name__ if document else 'empty'}.",
            where=where,
            remedy='Expected {"caption id": [image id ...]}.',
        )
    pairs = []
    for caption, images in document.items():
        if not isinstance(images, list):
            raise DataError(f"has {images!r:.80}, expected a list of image ids.",
                            where=f"{where}: caption {caption}")  # fmt: skip
        for image in images:
            pairs.append((caption.strip(), _id(image, f"{where}: caption {caption}"), True))
    return Listing(tuple(dict.fromkeys(caption.strip() for caption in document)), tuple(pairs))


def _csv_pairs(text: str, where: str) -> Iterator[tuple[str, str, bool]]:
    reader = csv.DictReader(text.splitlines())
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise DataError(
            f"has no column {', '.join(missing)}.",
            where=where,
            remedy=f"Expected the header {','.join(COLUMNS)}.",
        )
    for row in reader:
        place = f"{where}: line {reader.line_num}"
        judgement = str(row["judgement"] or "").strip().lower()
        if judgement not in FITS:
            raise DataError(
                f"the judgement is {row['judgement']!r}, expected 1 (fits) or 0 (does not fit).",
                where=place,
                remedy=f"Also read: {', '.join(FITS)}.",
            )
        yield _id(row["caption_id"], place), _id(row["image_id"], place), FITS[judgement]


def _of_pairs(pairs: Iterator[tuple[str, str, bool]]) -> Listing:
    found = tuple(pairs)
    return Listing(tuple(dict.fromkeys(caption for caption, _, _ in found)), found)


def _id(value: Any, where: str) -> str:
    text = id_text(value)
    if text is None:
        raise DataError(f"{value!r:.80} is no id.", where=where)
    return text
