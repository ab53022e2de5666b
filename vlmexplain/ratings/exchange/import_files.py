"""Reads an export back: the same rows, so the same analysis."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vlmexplain.errors import DataError
from vlmexplain.ratings.exchange.export_columns import FORMAT, row_from_columns
from vlmexplain.ratings.exchange.export_files import SESSION_COLUMN, format_of
from vlmexplain.ratings.plan.document import from_document
from vlmexplain.ratings.plan.rows import RatingData, RatingRow
from vlmexplain.ratings.plan.spec import SessionSpec, check_spec

LONGEST_CELL = 2**20


def read_export(path: Path) -> RatingData:
    """The rows and questions of an exported file; nothing in it is executed.

    Raises:
        UnknownName: the ending, or a field of the questions.
        DataError: the file cannot be read, is no export, is from a newer version, or has rows
            that do not fit its questions.
    """
    format_of(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    return data_of_export(content, str(path))


def data_of_export(content: bytes, name: str) -> RatingData:
    """As `read_export`, of a file's content; the format is that of the ending of ``name``."""
    read = {"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}[format_of(Path(name))]
    try:
        header, rows = read(content, name)
    except (UnicodeDecodeError, csv.Error, RecursionError, json.JSONDecodeError) as error:
        raise DataError(f"is no export of ratings ({error}).", where=name) from error
    return _checked(header, rows, name)


def _checked(header: Any, rows: list[RatingRow], where: str) -> RatingData:
    if not isinstance(header, dict) or "questions" not in header:
        raise DataError(
            "has no questions of a session.",
            where=where,
            remedy="Export it again with `vlmexplain rating export`.",
        )
    if header.get("vlmexplain_ratings") != FORMAT:
        raise DataError(
            f"is in format {header.get('vlmexplain_ratings')!r}, known is {FORMAT}.",
            where=where,
            remedy="Read it with the version that wrote it, or a newer one.",
        )
    spec = from_document(SessionSpec, header["questions"], f"{where}: questions")
    check_spec(spec)
    seen: set[tuple[Any, ...]] = set()
    for n, row in enumerate(rows):
        _check_row(row, spec, f"{where}: row {n + 1}")
        key = (row.item, row.rater, row.occurrence, row.version)
        if key in seen:
            raise DataError("the same answer twice.", where=f"{where}: row {n + 1}")
        seen.add(key)
    return RatingData(str(header.get("session_id") or ""), spec, tuple(rows))


def _check_row(row: RatingRow, spec: SessionSpec, where: str) -> None:
    if row.status != "unrated" and row.rater is None:
        raise DataError("has no rater.", where=where)
    if row.occurrence not in (0, 1):
        raise DataError(f"occurrence is {row.occurrence}, expected 0 or 1.", where=where)
    if row.status == "answered":
        missing = row.rating is None if spec.kind == "rating" else row.preference is None
        if missing or row.version < 1:
            raise DataError("is answered, and has no answer or version.", where=where)
    for rating in (row.rating, row.first_rating):
        if rating is not None and not spec.scale.holds(rating):
            raise DataError(f"the rating {rating} is not on the scale.", where=where)
    for key in row.classes:
        if key not in spec.class_keys():
            raise DataError(f"the class {key!r} is not in the session.", where=where)


def _csv(content: bytes, where: str) -> tuple[Any, list[RatingRow]]:
    csv.field_size_limit(min(LONGEST_CELL, sys.maxsize))
    reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    header, rows = None, []
    for n, values in enumerate(reader, start=1):
        if None in values or None in values.values():
            raise DataError("has another number of cells than the heading.", where=f"{where}: {n}")
        session = values.pop(SESSION_COLUMN, "")
        if session:
            header = json.loads(session)
        rows.append(row_from_columns(values, f"{where}: row {n}"))
    return header, rows


def _json_lines(content: bytes, where: str) -> tuple[Any, list[RatingRow]]:
    documents = _documents(content.decode())
    header = next(documents, None)
    return header, [
        row_from_columns(values, f"{where}: row {n}") for n, values in enumerate(documents, start=1)
    ]


def _documents(text: str) -> Iterator[Mapping[str, Any]]:
    # Only \n ends a line: a comment may hold other line ends.
    for number, line in enumerate(text.split("\n"), start=1):
        if line:
            document = json.loads(line)
            if not isinstance(document, dict):
                raise DataError(f"line {number} is no JSON object.")
            yield document


def _parquet(content: bytes, where: str) -> tuple[Any, list[RatingRow]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise DataError("is no Parquet file.", where=where) from error
    header = (table.schema.metadata or {}).get(b"vlmexplain_ratings")
    return json.loads(header) if header else None, [
        row_from_columns(values, f"{where}: row {n}")
        for n, values in enumerate(table.to_pylist(), start=1)
    ]
