"""Marks of an audit: what a person found wrong with a query's annotation.

They are kept in one small file a gallery, and belong to the gallery, not to a run.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import GalleryError, StoreError, UnknownName
from vlmexplain.overview.table_text import spreadsheet_safe
from vlmexplain.storage import home, locked, write_file

Verdict = Literal["caption-wrong", "annotation-wrong", "fine"]
VERDICTS: dict[Verdict, str] = {
    "caption-wrong": "Caption wrong",
    "annotation-wrong": "Annotation wrong",
    "fine": "Fine",
}
assert tuple(VERDICTS) == get_args(Verdict)


def read_marks(gallery_id: str) -> dict[int, Verdict]:
    """The marks of a gallery's captions, by the caption's place in the gallery.

    Raises:
        StoreError: the file is damaged.
    """
    path = marks_file(gallery_id)
    try:
        kept = json.loads(path.read_bytes())["marks"]
        return {int(index): verdict for index, verdict in kept.items() if verdict in VERDICTS}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            "the marks are damaged.", where=str(path), remedy="Move the file away to start anew."
        ) from error


def mark(gallery: Gallery, caption_index: int, verdict: str | None) -> None:
    """Mark a caption, or take its mark away with None; on disk when this returns.

    Raises:
        UnknownName: no such verdict.
        GalleryError: no such caption.
        ReadOnly: in read-only mode.
    """
    if verdict is not None and verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    if not 0 <= caption_index < gallery.n_captions:
        raise GalleryError(f"no caption {caption_index}.", where=gallery.name)
    path = marks_file(gallery.id)
    with locked(path):
        kept: dict[int, str] = dict(read_marks(gallery.id))
        kept.pop(caption_index, None)
        if verdict is not None:
            kept[caption_index] = verdict
        marks = {str(index): kept[index] for index in sorted(kept)}
        write_file(path, json.dumps({"format": 1, "marks": marks}, indent=0).encode())


def wrong_captions(marks: Mapping[int, Verdict]) -> tuple[int, ...]:
    """The captions that "without marked cases" leaves out: all that are marked but not fine."""
    return tuple(sorted(index for index, verdict in marks.items() if verdict != "fine"))


def marks_csv(gallery: Gallery, marks: Mapping[int, Verdict]) -> str:
    """The marks with the ids and texts they are about."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["caption_index", "caption_id", "image_id", "verdict", "caption"])
    for index in sorted(marks):
        caption = gallery.caption(index)
        image = gallery.image(caption.image_index)
        row = [index, caption.caption_id, image.image_id, marks[index], caption.text]
        writer.writerow([spreadsheet_safe(cell) for cell in row])
    return out.getvalue()


def marks_file(gallery_id: str) -> Path:
    """Where a gallery's marks are kept."""
    assert gallery_id.isalnum()
    return home() / "marks" / f"{gallery_id}.json"
