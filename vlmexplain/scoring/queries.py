"""The queries of a run as a table that is filtered, sorted and turned over page by page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.cache_sizes import size_of
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.metrics.undefined import TEXT_OF_CODE
from vlmexplain.scoring.query_columns import METRIC_COLUMNS, REASON_OF, UNRANKED
from vlmexplain.scoring.query_filter import (
    ALL_QUERIES,
    GALLERY_ORDER,
    NumberRange,
    QueryFilter,
    QuerySort,
    as_sql,
)
from vlmexplain.scoring.run_store import RUNS, Run

__all__ = [
    "ALL_QUERIES",
    "GALLERY_ORDER",
    "Neighbours",
    "NumberRange",
    "QueryFilter",
    "QueryPage",
    "QueryRow",
    "QuerySort",
    "QueryTable",
]

ORDERS_KEPT = 24
DAMAGED = (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException)
"""What DuckDB raises when a Parquet file is missing or is not what it should be."""

_connection: Any = None
_connection_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One query of a run and how it came out.

    Attributes:
        caption_index: its place in the gallery, which names it.
        image_index: the caption's own image, the ground truth of the metrics.
        text_index: the number of its text; the same text is the same number.
        text, n_words: the caption.
        rank_1based: place of the best-ranked ground truth; None with ``unranked_because``.
        n_tied: other images that score within 1e-6 of that ground truth.
        n_ranked: how many images have a score for the query.
        n_ground_truths: how many images carry this very caption.
        ground_truth_index, score_ground_truth: the best-ranked ground truth.
        own_rank_1based, own_score: place and score of ``image_index``.
        retrieved_image_index, score_retrieved: the first image.
        margin: score_retrieved - score_ground_truth, 0 or more.
        failure: the first image is no ground truth.
        unranked_because: why there is no rank, else None.
        metrics: value by key (``ca`` ... ``sd_raw``, ``q_ca`` ... query-informed); None where
            undefined, and for a query that is no failure.
        undefined: reason by key for each metric of a failure that has no value.
    """

    caption_index: int
    image_index: int
    text_index: int
    text: str
    n_words: int
    rank_1based: int | None
    reciprocal_rank: float | None
    n_tied: int | None
    n_ranked: int
    n_ground_truths: int
    ground_truth_index: int | None
    score_ground_truth: float | None
    own_rank_1based: int | None
    own_score: float | None
    retrieved_image_index: int | None
    score_retrieved: float | None
    margin: float | None
    failure: bool
    unranked_because: str | None
    metrics: dict[str, float | None]
    undefined: dict[str, str]


@dataclass(frozen=True, slots=True)
class QueryPage:
    """Some rows of a filtered and sorted table, and how many it has in all."""

    rows: tuple[QueryRow, ...]
    total: int
    offset: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a query is in a filtered and sorted table.

    Attributes:
        previous, next: the queries beside it; None at the ends. For a query that the filter
            leaves out, ``next`` is the first of the table.
        position_1based: its place; None when the filter leaves it out.
        total: how many queries there are.
    """

    previous: int | None
    next: int | None
    position_1based: int | None
    total: int


class QueryTable:
    """Reads a run's Parquet file with DuckDB; safe to use from many threads.

    The order of a filter and sort is kept (4 bytes a query), so that turning pages and going
    to the next query cost nothing.
    """

    def __init__(self, run: Run, gallery: Gallery):
        assert run.gallery_id == gallery.id
        self._run, self._gallery = run, gallery
        self._concepts = image_concepts(gallery)
        self._orders: OrderedDict[tuple[QueryFilter, QuerySort], NDArray[np.int32]] = OrderedDict()
        self._lock = threading.Lock()

    def page(
        self,
        chosen: QueryFilter = ALL_QUERIES,
        sort: QuerySort = GALLERY_ORDER,
        offset: int = 0,
        limit: int = 50,
    ) -> QueryPage:
        """The rows from ``offset`` on, at most ``limit``.

        Raises:
            UnknownName, DataError: as `query_filter.as_sql`.
            StoreError: the run's file is missing or damaged.
        """
        order = self.order(chosen, sort)
        offset = max(offset, 0)
        return QueryPage(self._rows(order[offset : offset + max(limit, 0)]), len(order), offset)

    def neighbours(self, chosen: QueryFilter, sort: QuerySort, caption_index: int) -> Neighbours:
        """The queries before and after one; raises as `page`."""
        order = self.order(chosen, sort)
        found = np.flatnonzero(order == caption_index)
        if not len(found):
            return Neighbours(None, int(order[0]) if len(order) else None, None, len(order))
        place = int(found[0])
        before = int(order[place - 1]) if place else None
        after = int(order[place + 1]) if place + 1 < len(order) else None
        return Neighbours(before, after, place + 1, len(order))

    def row(self, caption_index: int) -> QueryRow:
        """One query.

        Raises:
            GalleryError: there is no such caption.
            StoreError: the run's file is missing or damaged.
        """
        self._gallery.caption(caption_index)
        return self._rows(np.array([caption_index], dtype=np.int32))[0]

    def same_text(self, text_index: int) -> tuple[QueryRow, ...]:
        """All queries with the same text, in caption order; their images are ground truths."""
        found = self._ask(
            "SELECT caption_index FROM queries WHERE text_index = ? ORDER BY caption_index",
            [text_index],
        )
        return self._rows(found)

    def order(self, chosen: QueryFilter, sort: QuerySort) -> NDArray[np.int32]:
        """The caption indices in order, int32 [total]; not to be changed."""
        key = (chosen, sort)
        with self._lock:
            known = self._orders.get(key)
            if known is not None:
                self._orders.move_to_end(key)
                return known
        clauses, values = as_sql(chosen, sort, self._gallery.concepts)
        order = self._ask(f"SELECT caption_index FROM queries {clauses}", values)  # noqa: S608
        with self._lock:
            self._orders[key] = order
            while len(self._orders) > ORDERS_KEPT:
                self._orders.popitem(last=False)
        return order

    def _rows(self, caption_indices: NDArray[np.int32]) -> tuple[QueryRow, ...]:
        if not len(caption_indices):
            return ()
        found = self._run.rows_table.take(pa.array(caption_indices))
        return tuple(_query_row(row) for row in found.to_pylist())

    def _ask(self, sql: str, values: list[Any]) -> NDArray[np.int32]:
        """The column caption_index of the answer."""
        path = self._run.queries_path
        with RUNS.reading(path, *DAMAGED), closing(_connect().cursor()) as cursor:
            cursor.register("image_concepts", self._concepts)
            source = "read_parquet(?)"
            text = f"WITH queries AS (SELECT * FROM {source}) {sql}"  # noqa: S608
            found = cursor.execute(text, [str(path), *values]).fetchnumpy()
            captions: NDArray[np.int32] = found["caption_index"].astype(np.int32, copy=False)
            return captions


def image_concepts(gallery: Gallery) -> pa.Table:
    """One row for each concept of each image: image_index, concept_index, count."""
    concept = np.asarray(gallery.concept_index, dtype=np.int64)
    image = np.repeat(np.arange(gallery.n_images), np.diff(gallery.instance_offsets))
    known = concept >= 0
    n_concepts = max(len(gallery.concepts), 1)
    keys, counts = np.unique(image[known] * n_concepts + concept[known], return_counts=True)
    return pa.table(
        {
            "image_index": (keys // n_concepts).astype(np.int32),
            "concept_index": (keys % n_concepts).astype(np.int32),
            "count": counts.astype(np.int32),
        }
    )


def duckdb_bytes() -> int:
    """How much memory the process's DuckDB holds now; 0 as long as nobody asked it anything."""
    if _connection is None:
        return 0
    cursor = _connection.cursor()
    try:
        found = cursor.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchone()
        return int(found[0] or 0)
    finally:
        cursor.close()


def _connect() -> Any:
    """The process's connection: in memory, bounded, and it cannot be talked into anything else."""
    global _connection
    with _connection_lock:
        if _connection is None:
            _connection = duckdb.connect(
                ":memory:",
                config={
                    "memory_limit": f"{size_of('duckdb')}MiB",
                    **({"threads": threads} if (threads := size_of("duckdb_threads")) else {}),
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                    "allow_community_extensions": "false",
                },
            )
        return _connection


def _query_row(row: dict[str, Any]) -> QueryRow:
    keys = [prefix + name for prefix in ("", "q_") for name in METRIC_COLUMNS]
    reasons = {key: row[_reason_column(key)] for key in keys}
    named = {name: row[name] for name in QueryRow.__slots__ if name in row}
    if named["unranked_because"] is not None:
        named["unranked_because"] = UNRANKED[named["unranked_because"]]
    return QueryRow(
        **named,
        metrics={key: row[key] for key in keys},
        undefined={key: TEXT_OF_CODE[code] for key, code in reasons.items() if code},
    )


def _reason_column(key: str) -> str:
    prefix = "q_" if key.startswith("q_") else ""
    return f"{prefix}{REASON_OF[key.removeprefix('q_')]}_undefined"
