"""Exports: CSV, JSON lines, Parquet, each with the questions and all needed to recompute."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, Literal

from vlmexplain.errors import UnknownName
from vlmexplain.ratings.analysis.analyse import metric_keys
from vlmexplain.ratings.exchange.export_columns import (
    BOOLEANS,
    CLASS_PREFIX,
    FORMAT,
    INTEGERS,
    METRIC_PREFIX,
    column_names,
    row_to_columns,
)
from vlmexplain.ratings.plan.document import to_document
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.storage import write_file

Format = Literal["csv", "jsonl", "parquet"]
SUFFIX_FORMATS: dict[str, Format] = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}

SESSION_COLUMN = "session"
"""In CSV: the session's questions as JSON, in the first row only."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def format_of(path: Path) -> Format:
    """The format a file name asks for.

    Raises:
        UnknownName: its ending is none of .csv, .jsonl, .parquet.
    """
    if path.suffix.lower() not in SUFFIX_FORMATS:
        raise UnknownName("export ending", path.suffix, SUFFIX_FORMATS, where=str(path))
    return SUFFIX_FORMATS[path.suffix.lower()]


def write_export(data: RatingData, path: Path, for_spreadsheet: bool = False) -> None:
    """Write an export, whole or not at all, in the format of the file's ending.

    Raises:
        UnknownName: the ending.
        StoreError: the file cannot be written.
    """
    write_file(path, export_bytes(data, format_of(path), for_spreadsheet))


def export_bytes(data: RatingData, kind: Format, for_spreadsheet: bool = False) -> bytes:
    """The export as bytes, such as for a download.

    Args:
        for_spreadsheet: CSV only: a leading apostrophe before texts that a spreadsheet would take
            for a formula (a comment ``=cmd|...``). Without it every text is exactly as written;
            open such a file with care. Not meant to be imported again.
    """
    metrics = metric_keys(data)
    rows = [row_to_columns(row, data.spec.class_keys(), metrics) for row in data.rows]
    names = column_names(data, metrics)
    if kind == "csv":
        return _csv(_header(data), names, rows, for_spreadsheet)
    if kind == "jsonl":
        return _json_lines(_header(data), rows)
    return _parquet(_header(data), names, rows)


def _header(data: RatingData) -> dict[str, Any]:
    return {
        "vlmexplain_ratings": FORMAT,
        "session_id": data.session_id,
        "questions": to_document(data.spec),
    }


def _csv(
    header: dict[str, Any], names: tuple[str, ...], rows: list[dict[str, Any]], safe: bool
) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*names, SESSION_COLUMN])
    for n, row in enumerate(rows):
        cells = [_cell(row[name], safe) for name in names]
        writer.writerow([*cells, "" if n else json.dumps(header, ensure_ascii=False)])
    return out.getvalue().encode()


def _cell(value: Any, safe: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    starts = isinstance(value, str) and text.startswith(FORMULA_STARTS)
    return f"'{text}" if safe and starts else text


def _json_lines(header: dict[str, Any], rows: list[dict[str, Any]]) -> bytes:
    lines = [json.dumps(one, ensure_ascii=False, allow_nan=False) for one in (header, *rows)]
    return ("\n".join(lines) + "\n").encode()


def _parquet(header: dict[str, Any], names: tuple[str, ...], rows: list[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [(name, _arrow_type(pa, name)) for name in names],
        metadata={"vlmexplain_ratings": json.dumps(header, ensure_ascii=False)},
    )
    table = pa.Table.from_pylist(rows, schema=schema)
    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    content: bytes = out.getvalue().to_pybytes()
    return content


def _arrow_type(pa: Any, name: str) -> Any:
    if name in INTEGERS:
        return pa.int64()
    if name in BOOLEANS or name.startswith(CLASS_PREFIX):
        return pa.bool_()
    if name == "seconds" or name.startswith(METRIC_PREFIX):
        return pa.float64()
    return pa.string()
