"""Big tables on disk, joined and sorted with bounded memory (DuckDB over Parquet)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

DAMAGED = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.SerializationException,
    duckdb.BinderException,  # a column is not there
)
"""What DuckDB raises when a Parquet file is missing or is not what it should be."""

MEMORY = "1GB"
"""What a join may use before it goes to disk."""


@contextmanager
def connect(scratch: Path | None = None) -> Iterator[Any]:
    """A database in memory that spills to a folder, and reaches nothing beyond files."""
    database = duckdb.connect(":memory:", config={"memory_limit": MEMORY})
    try:
        if scratch is not None:
            database.execute(f"SET temp_directory = '{quoted(scratch)}'")
        database.execute("SET preserve_insertion_order = true")
        yield database
    finally:
        database.close()


def quoted(path: Path) -> str:
    """A path inside a quoted SQL string."""
    return str(path).replace("'", "''")


def write_query(database: Any, query: str, target: Path, row_group: int = 65_536) -> None:
    """Write a query's rows, in their order, to a Parquet file: whole or not at all."""
    partial = target.with_name(f".partial-{target.name}")
    database.execute(
        f"COPY ({query}) TO '{quoted(partial)}' "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {row_group})"
    )
    partial.replace(target)
