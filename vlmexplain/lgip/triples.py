"""Triples with their similarities, joined from plan and scores, and the figures over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.lgip.figures import LgipFigures, lgip_figures, sensitivity_of
from vlmexplain.lgip.pair_scores import SCORES
from vlmexplain.lgip.plan import PAIRS, PLAN
from vlmexplain.lgip.tables import connect, quoted, write_query
from vlmexplain.models.protocol import Encoder
from vlmexplain.perturb.seen import TIE, visibility
from vlmexplain.records import Progress, ProgressCallback

_JOINED = "joined.parquet"
_ROWS = 65_536
_NEAR = 5e-3
"""Above the noise of a batch in single and in half precision: where scores are further apart,
the model has read different tokens."""


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

    Texts of which the model reads the same tokens have the same embedding. What two batches make
    of it differs by rounding alone, so the second is given the score of the first: the gap is
    exactly 0, a tie, and no flip is won by noise.
    """
    gaps = rows.column("gap").to_numpy().copy()
    texts_scores = rows.column("score_text").to_numpy().copy()
    ties = np.array(rows.column("tie").to_pylist(), dtype=bool)
    seen = np.ones(rows.num_rows, dtype=bool)
    doubtful = np.flatnonzero(np.abs(gaps) <= _NEAR)
    if len(doubtful):
        encoder = load()
        captions, texts = rows.column("caption"), rows.column("text")
        for row in doubtful.tolist():
            one, other = captions[row].as_py(), texts[row].as_py()
            seen[row] = visibility(one, other, encoder) == "seen"
    gaps[~seen] = 0.0
    texts_scores[~seen] = rows.column("score_caption").to_numpy()[~seen]
    ties[~seen] = True
    for name, values in (("score_text", texts_scores), ("gap", gaps), ("tie", ties)):
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, rows.schema.field(place), pa.array(values))
    return rows.append_column(pa.field("seen", pa.bool_()), pa.array(seen))


def figures_of(path: Path) -> LgipFigures:
    """The figures over a file of triples; ``n_samples`` is for the caller to fill in."""
    columns = ["kind", "flip_type", "gap", "seen", "verified"]
    parts = [
        _Columns.of(batch)
        for batch in pq.ParquetFile(path).iter_batches(batch_size=_ROWS, columns=columns)
    ]
    every = _Columns.joined(parts)
    flips = every.types != ""
    by_type = {kind: every.gaps[every.types == kind] for kind in np.unique(every.types[flips])}
    figures = lgip_figures(every.gaps[~flips], by_type)
    return replace(
        figures,
        not_seen=int(np.sum(~every.seen)),
        seen=sensitivity_of(every.gaps[flips & every.seen]),
        verified=sensitivity_of(every.gaps[flips & every.verified]),
    )


@dataclass(frozen=True, slots=True)
class _Columns:
    """Triples, all arrays [n]: the type of a flip ("" of a paraphrase), gaps, two flags."""

    types: NDArray[np.str_]
    gaps: NDArray[np.float64]
    seen: NDArray[np.bool_]
    verified: NDArray[np.bool_]

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> _Columns:
        kinds, types = batch.column("kind").to_pylist(), batch.column("flip_type").to_pylist()
        named = ["" if kind == "same" else own for kind, own in zip(kinds, types, strict=True)]
        return cls(
            np.array(named, dtype=str),
            batch.column("gap").to_numpy(),
            np.array(batch.column("seen").to_pylist(), dtype=bool),
            np.array([known is True for known in batch.column("verified").to_pylist()], dtype=bool),
        )

    @classmethod
    def joined(cls, parts: Sequence[_Columns]) -> _Columns:
        return cls(
            np.concatenate([np.empty(0, str), *(part.types for part in parts)]),
            np.concatenate([np.empty(0), *(part.gaps for part in parts)]),
            np.concatenate([np.empty(0, bool), *(part.seen for part in parts)]),
            np.concatenate([np.empty(0, bool), *(part.verified for part in parts)]),
        )
