"""The engine that works on a Ray cluster; what it makes is kept where the local one keeps it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.pair_scores import KnownVectors, block_path, blocks_of, write_block
from vlmexplain.lgip.plan import PAIRS
from vlmexplain.metrics.batch import PAIRS_AT_ONCE
from vlmexplain.metrics.pair_scores import PairScores, join_scores
from vlmexplain.models.protocol import Mode
from vlmexplain.ray_engine.cluster import Capacity, connected
from vlmexplain.ray_engine.embedding_jobs import EmbeddingJob, PictureJob, TextJob
from vlmexplain.ray_engine.picture_reader import PictureReader
from vlmexplain.ray_engine.rows import PICTURES, TEXTS, Row, block_row, raise_error, table_of
from vlmexplain.ray_engine.shared_store import SharedStore
from vlmexplain.records import MetricOptions, ModelIdentity, Progress, ProgressCallback
from vlmexplain.scoring.embedding import Embeddings, LoadEncoder, distinct_texts, embed
from vlmexplain.scoring.failure_scores import (
    Failures,
    ScoringTables,
    failures_of,
    score_failures,
    scoring_tables,
)
from vlmexplain.scoring.image_index import FloatMatrix, ImageIndex, IntVector
from vlmexplain.scoring.query_columns import Outcomes
from vlmexplain.scoring.ranking import CHUNK_QUERIES, Ranking, join_rankings, rank
from vlmexplain.scoring.turns import take_turn
from vlmexplain.storage import sweep_partial

WAIT = "wait for workers of the cluster"
QUERIES_A_TASK = 8 * CHUNK_QUERIES
FAILURES_A_TASK = 4 * PAIRS_AT_ONCE


class RayEngine:
    """Streams pieces of work to a cluster; the driver alone writes, whole files only.

    Use it as a context manager; the cluster is connected to when there is something to do.

    Args:
        address: see `cluster.connected`.
        gpu: whether models may ask for a GPU.
        images: where the workers find the pictures; None: in the gallery's image folder.
        store: where shards are kept too as soon as they are done.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        gpu: bool = True,
        images: str | None = None,
        store: SharedStore | None = None,
    ):
        self._address, self._gpu, self._images, self._store = address, gpu, images, store
        self._connection = ExitStack()
        self._capacity: Capacity | None = None

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.__exit__(kind, error, trace)

    def embed(
        self,
        gallery: Gallery,
        model: ModelIdentity,
        mode: Mode,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> Embeddings:
        """As `embedding.embed`; texts and pictures stream through the same workers."""
        jobs: dict[str, EmbeddingJob] = {TEXTS: TextJob(model, distinct_texts(gallery)[0])}
        if mode == "image-text":
            jobs[PICTURES] = PictureJob(model, gallery)
        if self._store is not None:
            for job in jobs.values():
                self._store.fetch("embeddings", job.store.key, progress)
        open_jobs = {kind: job for kind, job in jobs.items() if not job.is_done()}
        if open_jobs:
            with ExitStack() as turns:
                for job in open_jobs.values():
                    turns.enter_context(take_turn(job.store.folder, job.stage, progress))
                reader = PictureReader(self._images or str(gallery.images_folder), model.spec)
                self._fill(open_jobs, reader, load, model, progress)
        if self._store is not None:
            for job in jobs.values():
                self._store.publish("embeddings", job.store.key, job.store.folder, replace=True)
        return embed(gallery, model, mode, load, progress)  # all is there: a read

    def rank(
        self,
        queries: FloatMatrix,
        index: ImageIndex,
        targets: IntVector,
        *,
        rows: IntVector,
        texts: IntVector | None,
        k: int,
        progress: ProgressCallback,
    ) -> Ranking:
        """As `ranking.rank`, so many queries a task."""
        n = len(targets)
        if n == 0 or index.n_positions == 0:
            return rank(queries, index, targets, rows=rows, texts=texts, k=k, progress=progress)
        progress(Progress("rank", 0, n, "queries"))
        shared = self._put(index)

        def arguments() -> Iterator[tuple[Any, ...]]:
            for part in _parts(n, QUERIES_A_TASK):
                own = None if texts is None else texts[part]
                yield shared, queries[rows[part]], targets[part], own, k

        from vlmexplain.ray_engine.partitions import rank_part

        found: dict[int, Ranking] = {}
        for number, ranking in self._in_window(rank_part, arguments()):
            found[number] = ranking
            progress(Progress("rank", min(len(found) * QUERIES_A_TASK, n), n, "queries"))
        return join_rankings([found[number] for number in sorted(found)])

    def score_failures(
        self,
        gallery: Gallery,
        texts: Sequence[str],
        found: Outcomes,
        options: MetricOptions,
        progress: ProgressCallback,
    ) -> tuple[PairScores, PairScores]:
        """As `failure_scores.score_failures`, so many failures a task."""
        failures = failures_of(found)
        n = len(failures)
        if n == 0:
            return score_failures(gallery, texts, found, options, progress)
        tables = scoring_tables(gallery)
        lengths = np.array(tables.path_lengths)  # in memory, not a map of a file
        progress(Progress("score failures", 0, n, "failures"))
        shared = self._put(ScoringTables(tables.concepts, tables.inventory, lengths))

        def arguments() -> Iterator[tuple[Any, ...]]:
            for rows in _parts(n, FAILURES_A_TASK):
                part = failures.part(rows)
                numbers, own = np.unique(part.text_index, return_inverse=True)
                own_failures = Failures(own.astype(np.int32), part.ground_truth, part.retrieved)
                yield shared, [texts[number] for number in numbers.tolist()], own_failures, options

        from vlmexplain.ray_engine.partitions import score_part

        scores: dict[int, tuple[PairScores, PairScores]] = {}
        for number, pair in self._in_window(score_part, arguments()):
            scores[number] = pair
            done = min(len(scores) * FAILURES_A_TASK, n)
            progress(Progress("score failures", done, n, "failures"))
        in_order = [scores[number] for number in sorted(scores)]
        return join_scores([one for one, _ in in_order]), join_scores([two for _, two in in_order])

    def score_pairs(
        self,
        folder: Path,
        known: KnownVectors,
        model: ModelIdentity,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> None:
        """As `lgip.pair_scores.score_pairs`, a block at a time."""
        sweep_partial(folder)
        reader = pq.ParquetFile(folder / PAIRS)
        blocks = enumerate(blocks_of(reader))
        rows = [
            _block_row(number, block, known)
            for number, block in blocks
            if not block_path(folder, number).is_file()
        ]
        if not rows:
            return
        progress(Progress(WAIT, 0, 1))
        vectors = self._put(known.image_vectors)
        with closing(self._stream(rows, (load, model.digest, vectors))) as answers:
            for done, answer in enumerate(answers, start=1):
                raise_error(answer)
                write_block(block_path(folder, answer["number"]), table_of(answer["data"]))
                progress(Progress("encode texts", done, len(rows), "blocks"))

    def _fill(
        self,
        jobs: dict[str, EmbeddingJob],
        reader: PictureReader,
        load: LoadEncoder,
        model: ModelIdentity,
        progress: ProgressCallback,
    ) -> None:
        """Make the missing shards of all jobs; call it while holding their locks."""
        rows: list[Row] = []
        for job in jobs.values():
            if self._store is not None and not job.store.folder.is_dir():
                self._store.fetch_parts("embeddings", job.store.key, job.store.unfinished)
            rows += job.rows()
        if rows:
            progress(Progress(WAIT, 0, 1))
            with closing(self._stream(rows, (load, model.digest), reader)) as answers:
                for answer in answers:
                    self._take(answer, jobs)
                    counts = zip(*(job.progress() for job in jobs.values()), strict=True)
                    done, total = map(sum, counts)
                    progress(Progress("embed", done, total, "texts and images"))
        for job in jobs.values():
            job.store.finish()

    def _take(self, answer: Row, jobs: dict[str, EmbeddingJob]) -> None:
        """Keep an answer, here and in the store."""
        raise_error(answer)
        job = jobs[answer["kind"]]
        shard = job.take(answer)
        if shard is not None and self._store is not None:
            key, files = job.store.key, job.store.files_of(shard)
            self._store.publish_part("embeddings", key, f"shard-{shard:05d}", files)

    def _connected(self) -> Capacity:
        if self._capacity is None:
            if self._store is not None:
                self._store.require_writable()
            self._capacity = self._connection.enter_context(connected(self._address))
        return self._capacity

    def _put(self, value: Any) -> Any:
        self._connected()
        import ray

        return ray.put(value)

    def _in_window(
        self, task: Any, arguments: Iterator[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        from vlmexplain.ray_engine.partitions import in_window

        return in_window(task, arguments, 2 * max(1, int(self._connected().n_cpus)))

    def _stream(
        self, rows: list[Row], arguments: tuple[Any, ...], reader: PictureReader | None = None
    ) -> Generator[Row]:
        capacity = self._connected()
        from vlmexplain.ray_engine.stream import staffing, stream

        has_pictures = any(row["kind"] == PICTURES for row in rows)
        staff = staffing(capacity, self._gpu)
        return stream(rows, staff, arguments, reader if has_pictures else None)


def _parts(n: int, size: int) -> Iterator[slice]:
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def _block_row(number: int, block: pa.Table, known: KnownVectors) -> Row:
    """A block with the vectors of those of its texts that are known."""
    texts = dict.fromkeys(block.column("text").to_pylist())
    have = [text for text in texts if text in known.row_of_text]
    rows = [known.row_of_text[text] for text in have]
    return block_row(number, block, have, known.text_vectors[rows])
