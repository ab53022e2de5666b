"""Similarities of the planned pairs, in blocks of texts of like length that are kept when done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.errors import ModelError
from vlmexplain.lgip.plan import PAIRS, TEXTS_A_BLOCK
from vlmexplain.models.protocol import Encoder
from vlmexplain.records import Progress, ProgressCallback, no_progress
from vlmexplain.storage import sweep_partial, write_file

TEXT_BATCH = 256
SCORES = "scores"


@dataclass(frozen=True)
class KnownVectors:
    """Embeddings that are there already.

    Attributes:
        row_of_text: text -> row of ``text_vectors``.
        text_vectors: float32 [n_texts, d].
        image_vectors: float32 [n_images, d]; NaN rows where a picture was left out.
    """

    row_of_text: Mapping[str, int]
    text_vectors: NDArray[np.float32]
    image_vectors: NDArray[np.float32]


def score_pairs(
    folder: Path, known: KnownVectors, load: Callable[[], Encoder], progress: ProgressCallback
) -> None:
    """Score every pair of ``pairs.parquet``; blocks that are there already are not done again.

    Each distinct text is encoded once, unless its vector is known.

    Raises:
        ModelError: the model gives no finite embedding for a text.
    """
    sweep_partial(folder)
    reader = pq.ParquetFile(folder / PAIRS)
    done = 0
    for number, block in enumerate(blocks_of(reader)):
        target = block_path(folder, number)
        if not target.is_file():
            write_block(target, score_block(block, known, load(), progress, done))
        done += block.num_rows
        progress(Progress("encode texts", done, reader.metadata.num_rows, "texts"))


def block_path(folder: Path, number: int) -> Path:
    """Where the scores of a block are kept."""
    return folder / f"{SCORES}-{number:05d}.parquet"


def write_block(target: Path, scores: pa.Table) -> None:
    """Keep the scores of a block, whole or not at all."""
    buffer = pa.BufferOutputStream()
    pq.write_table(scores, buffer, compression="zstd")
    write_file(target, buffer.getvalue().to_pybytes())


def blocks_of(reader: pq.ParquetFile) -> Iterator[pa.Table]:
    """The pairs in blocks that hold all rows of 8,192 texts each."""
    left: list[pa.RecordBatch] = []
    end = TEXTS_A_BLOCK
    for batch in reader.iter_batches(batch_size=16_384):
        ids = batch.column("text_id").to_numpy()
        start = 0
        while start < len(ids):
            stop = int(np.searchsorted(ids, end))
            if stop > start:
                left.append(batch.slice(start, stop - start))
            if stop == len(ids):
                break
            yield pa.Table.from_batches(left)
            left, start, end = [], stop, end + TEXTS_A_BLOCK
    if left:
        yield pa.Table.from_batches(left)


def score_block(
    block: pa.Table,
    known: KnownVectors,
    encoder: Encoder,
    progress: ProgressCallback = no_progress,
    done: int = 0,
) -> pa.Table:
    """The similarity of each pair of a block: ``text_id``, ``image_index``, ``score``.

    Raises:
        ModelError: the model gives no finite embedding for a text.
    """
    texts = block.column("text").to_pylist()
    ids = block.column("text_id").to_numpy()
    images = block.column("image_index").to_numpy()
    scores = np.empty(len(ids))
    starts = np.flatnonzero(np.diff(ids, prepend=-1))  # the first row of each text
    for first in range(0, len(starts), TEXT_BATCH):
        of_batch = starts[first : first + TEXT_BATCH]
        stop = int(starts[first + TEXT_BATCH]) if first + TEXT_BATCH < len(starts) else len(ids)
        rows = slice(int(of_batch[0]), stop)
        distinct = [texts[row] for row in of_batch]
        vectors = _vectors(distinct, known, encoder)
        place = np.searchsorted(of_batch, np.arange(rows.start, rows.stop), side="right") - 1
        scores[rows] = row_dots(vectors[place], known.image_vectors[images[rows]])
        progress(Progress("encode texts", done + rows.stop, 0, "texts"))
    return pa.table({"text_id": ids, "image_index": images, "score": scores})


def _vectors(texts: Sequence[str], known: KnownVectors, encoder: Encoder) -> NDArray[np.float32]:
    vectors = np.empty((len(texts), encoder.dimension), dtype=np.float32)
    missing: list[int] = []
    for i, text in enumerate(texts):
        row = known.row_of_text.get(text)
        if row is None:
            missing.append(i)
        else:
            vectors[i] = known.text_vectors[row]
    if missing:
        vectors[missing] = encoder.encode_texts([texts[i] for i in missing])
    bad = np.flatnonzero(~(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-3))
    if len(bad):
        raise ModelError(
            f"the model {encoder.identity.name!r} gives no embedding of length 1 for the text "
            f"{texts[bad[0]]!r}.",
            remedy="Its weights or its precision are not fit for use.",
        )
    return vectors


def row_dots(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float64]:
    """The dot product of each row of one with that of the other, float64 [n]."""
    dots: NDArray[np.float64] = np.einsum(
        "ij,ij->i", left.astype(np.float64), right.astype(np.float64)
    )
    return dots
