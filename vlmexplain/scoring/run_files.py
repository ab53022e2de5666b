"""A run's key, and the files of its queries."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.models.protocol import Mode
from vlmexplain.records import MetricOptions, ModelIdentity
from vlmexplain.scoring.query_columns import ONLY_FOR_SEARCH
from vlmexplain.scoring.run_store import FORMAT, QUERIES_FILE, ROWS_FILE
from vlmexplain.storage import content_key

PARQUET_ROWS = 65_536


def run_key(
    gallery: Gallery,
    model: ModelIdentity,
    mode: Mode,
    k: int,
    options: MetricOptions,
    left_out: dict[int, tuple[str, str]],
    version: int = FORMAT,
) -> str:
    """The content key of a run: all that decides what is in it."""
    return content_key(
        {
            "format": version,
            "gallery": gallery.id,
            "model": model.digest,
            "mode": mode,
            "k": k,
            "options": asdict(options),
            "left_out": sorted(left_out),
        }
    )


def write_queries(table: pa.Table, folder: Path) -> None:
    """Write a run's queries twice: Parquet to filter and sort, Arrow to find a row at once."""
    pq.write_table(table, folder / QUERIES_FILE, row_group_size=PARQUET_ROWS, compression="zstd")
    rows = table.drop_columns(list(ONLY_FOR_SEARCH)).combine_chunks()
    with pa.ipc.new_file(str(folder / ROWS_FILE), rows.schema) as file:
        file.write_table(rows)
