"""Triples with their similarities, joined from plan and scores, and the figures over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.lgip.figures import LgipFigures, lgip_figures
from vlmexplain.lgip.pair_scores import SCORES
from vlmexplain.lgip.plan import PAIRS, PLAN
from vlmexplain.lgip.tables import connect, quoted, write_query
from vlmexplain.models.protocol import Encoder
from vlmexplain.perturb.seen import TIE, visibility
from vlmexplain.records import Progress, ProgressCallback

_JOINED = "joined.parquet"
_ROWS = 65_536
_NEAR = 1e-4
"""Well above the float noise of a batch, well below what an edit that is seen mostly does."""


def write_triples(
    folder: Path, target: Path, load: Callable[[], Encoder], progress: ProgressCallback
) -> None:
    """Join plan and scores into one row a triple, in order; see `lgip.result.Triple`."""
    with connect(folder) as database:
        write_query(database, _join(folder), folder / _JOINED)
    reader = pq.ParquetFile(folder / _JOINED)
    partial = target.with_name(f".partial-{target.name}")
    done = 0
    with pq.ParquetWriter(partial, _schema(reader.schema_arrow), compression="zstd") as writer:
        for batch in reader.iter_batches(batch_size=_ROWS):
            writer.write_table(_with_seen(pa.Table.from_batches([batch]), load))
            done += batch.num_rows
            progress(Progress("join", done, reader.metadata.num_rows, "triples"))
    partial.replace(target)


def _join(folder: Path) -> str:
    return f"""
        WITH scored AS (
            SELECT p.text, s.image_index, s.score
            FROM read_parquet('{quoted(folder)}/{SCORES}-*.parquet') s
            JOIN (SELECT DISTINCT text_id, text FROM read_parquet('{quoted(folder / PAIRS)}')) p
            USING (text_id)
        )
        SELECT t.triple, t.image_index, t.caption_index, t.caption, t.text, t.kind, t.flip_type,
               t.verified, c.score AS score_caption, x.score AS score_text,
               c.score - x.score AS gap, abs(c.score - x.score) <= {TIE} AS tie
        FROM read_parquet('{quoted(folder / PLAN)}') t
        JOIN scored c ON c.text = t.caption AND c.image_index = t.image_index
        JOIN scored x ON x.text = t.text AND x.image_index = t.image_index
        ORDER BY t.triple
    """  # noqa: S608  the folder is ours


def _schema(joined: pa.Schema) -> pa.Schema:
    return pa.schema([*joined, pa.field("seen", pa.bool_())])


def _with_seen(rows: pa.Table, load: Callable[[], Encoder]) -> pa.Table:
    """The rows with ``seen``: asked of the tokenizer only where the scores are near.

    Texts of which the model reads the same tokens have the same embedding, up to float noise;
    so where the scores are further apart, it has seen the edit.
    """
    doubtful = np.flatnonzero(np.abs(rows.column("gap").to_numpy()) <= _NEAR)
    seen = np.ones(rows.num_rows, dtype=bool)
    if len(doubtful):
        encoder = load()
        captions, texts = rows.column("caption"), rows.column("text")
        for row in doubtful.tolist():
            one, other = captions[row].as_py(), texts[row].as_py()
            seen[row] = visibility(one, other, encoder) == "seen"
    return rows.append_column(pa.field("seen", pa.bool_()), pa.array(seen))


def figures_of(path: Path) -> LgipFigures:
    """The figures over a file of triples; ``n_samples`` is for the caller to fill in."""
    same: list[NDArray[np.float64]] = []
    flips: dict[str, list[NDArray[np.float64]]] = defaultdict(list)
    not_seen = 0
    columns = ["kind", "flip_type", "gap", "seen"]
    for batch in pq.ParquetFile(path).iter_batches(batch_size=_ROWS, columns=columns):
        gaps = batch.column("gap").to_numpy()
        kinds: NDArray[Any] = np.array(batch.column("kind").to_pylist(), dtype=object)
        types: NDArray[Any] = np.array(batch.column("flip_type").to_pylist(), dtype=object)
        same.append(gaps[kinds == "same"])
        for kind in {one for one in types.tolist() if one is not None}:
            flips[kind].append(gaps[types == kind])
        not_seen += int(np.sum(~np.array(batch.column("seen").to_pylist(), dtype=bool)))
    joined = {kind: np.concatenate(parts) for kind, parts in sorted(flips.items())}
    figures = lgip_figures(np.concatenate([*same, np.empty(0)]), joined)
    return replace(figures, not_seen=not_seen)
