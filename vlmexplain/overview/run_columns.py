"""The columns of a stored run that whole-model figures are made of, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.scoring.run_store import ROWS_FILE, RUNS, Run


@dataclass(frozen=True, slots=True)
class RunColumns:
    """All arrays [n_queries] in caption order; the counts are 0 where the query did not fail.

    Attributes:
        image_index, retrieved_image_index: int32; -1 when no image has a score.
        n_words: int32, words of the caption.
        rank_1based: int32, 0 without a rank.
        margin: float32, score of the first image minus that of the ground truth; NaN for none.
        failure: bool.
        ca, ncs, ce, sd, sd_raw: float64, NaN where undefined or no failure.
        q_ca, q_ncs, q_ce, q_sd: the same, query-informed.
        n_common ... n_different_multiplicity, sum_ps: as `metrics.pair_scores.PairScores`.
    """

    image_index: NDArray[np.int32]
    retrieved_image_index: NDArray[np.int32]
    n_words: NDArray[np.int32]
    rank_1based: NDArray[np.int32]
    margin: NDArray[np.float32]
    failure: NDArray[np.bool_]
    ca: NDArray[np.float64]
    ncs: NDArray[np.float64]
    ce: NDArray[np.float64]
    sd: NDArray[np.float64]
    sd_raw: NDArray[np.float64]
    q_ca: NDArray[np.float64]
    q_ncs: NDArray[np.float64]
    q_ce: NDArray[np.float64]
    q_sd: NDArray[np.float64]
    n_common: NDArray[np.int32]
    n_only_ground_truth: NDArray[np.int32]
    n_only_retrieved: NDArray[np.int32]
    n_ncs_pairs: NDArray[np.int32]
    sum_ps: NDArray[np.float64]
    n_equal_multiplicity: NDArray[np.int32]
    n_different_multiplicity: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.image_index)

    def column(self, name: str) -> NDArray[Any]:
        """A column by name."""
        values: NDArray[Any] = getattr(self, name)
        return values


NAMES = tuple(field.name for field in fields(RunColumns))
_EMPTY = {"retrieved_image_index": -1}


def read_columns(run: Run) -> RunColumns:
    """Read the columns of a run.

    Raises:
        StoreError: the run's file is missing or damaged.
    """
    with RUNS.reading(run.folder / ROWS_FILE):
        # the memory-mapped twin of the Parquet file: nothing needs to be unpacked
        return RunColumns(**{name: _numbers(run.rows_table, name) for name in NAMES})


def _numbers(table: pa.Table, name: str) -> NDArray[Any]:
    column = table.column(name).combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_floating(column.type):
        empty = False if pa.types.is_boolean(column.type) else _EMPTY.get(name, 0)
        column = column.fill_null(empty)
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return np.nan_to_num(values) if name == "sum_ps" else values
