"""Marks of an audit: what a person found wrong with a query's annotation.

They belong to the gallery, not to a run, and are kept in the database of the ratings. What was
marked before there was one is in a file a gallery; the first new mark takes it in.
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
from vlmexplain.ratings.store.audit_marks import read_audit_marks, write_audit_mark
from vlmexplain.storage import home

Verdict = Literal["caption-wrong", "annotation-wrong", "fine"]
VERDICTS: dict[Verdict, str] = {
    "caption-wrong": "Caption wrong",
    "annotation-wrong": "Annotation wrong",
    "fine": "Fine",
}
assert tuple(VERDICTS) == get_args(Verdict)
VERDICT_OF: dict[str, Verdict] = {verdict: verdict for verdict in VERDICTS}


def read_marks(gallery_id: str) -> dict[int, Verdict]:
    """The marks of a gallery's captions, by the caption's place in the gallery.

    Raises:
        StoreError: the database or the earlier file cannot be read or is damaged.
    """
    kept = read_audit_marks(gallery_id)
    earlier: Mapping[int, str] = {} if kept.file_taken_in else _earlier_marks(gallery_id)
    merged = {**earlier, **kept.verdicts}
    return {index: VERDICT_OF[merged[index]] for index in sorted(merged)
            if merged[index] in VERDICT_OF}  # fmt: skip


def mark(gallery: Gallery, caption_index: int, verdict: str | None) -> None:
    """Mark a caption, or take its mark away with None; on disk when this returns.

    Raises:
        UnknownName: no such verdict.
        GalleryError: no such caption.
        StoreError: the database cannot be written.
        ReadOnly: in read-only mode.
    """
    if verdict is not None and verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    if not 0 <= caption_index < gallery.n_captions:
        raise GalleryError(f"no caption {caption_index}.", where=gallery.name)
    write_audit_mark(gallery.id, caption_index, verdict, _earlier_marks(gallery.id))


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
    """Where a gallery's marks were kept before the database; it is only ever read."""
    assert gallery_id.isalnum()
    return home() / "marks" / f"{gallery_id}.json"


def _earlier_marks(gallery_id: str) -> dict[int, str]:
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
