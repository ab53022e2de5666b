"""Ranking and scoring in parts: Ray tasks, of which only a window is under way at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ray

from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.ray_engine.failures import worker_errors
from vlmexplain.records import MetricOptions, no_progress
from vlmexplain.scoring.failure_scores import Failures, ScoringTables, score_block
from vlmexplain.scoring.image_index import FloatMatrix, ImageIndex, IntVector
from vlmexplain.scoring.ranking import Ranking, rank

MOST_RETRIES = 5
"""How often a task is done again when its worker dies."""


def rank_part(
    index: ImageIndex, queries: FloatMatrix, targets: IntVector, texts: IntVector | None, k: int
) -> Ranking:
    """`ranking.rank` of some queries."""
    return rank(queries, index, targets, texts=texts, k=k)


def score_part(
    tables: ScoringTables, texts: list[str], failures: Failures, options: MetricOptions
) -> tuple[PairScores, PairScores]:
    """`failure_scores.score_block` of some failures."""
    return score_block(tables, texts, failures, options, no_progress)


def in_window(
    task: Callable[..., Any], arguments: Iterator[tuple[Any, ...]], window: int
) -> Iterator[tuple[int, Any]]:
    """The number and the result of each task, in whatever order they are done.

    Args:
        task: a function of a module, run once for each arguments.
        arguments: of each task; asked for only when there is room for it.
        window: how many tasks are under way at a time.
    """
    remote = ray.remote(num_cpus=1, max_retries=MOST_RETRIES)(task)
    number_of: dict[Any, int] = {}
    for number, values in enumerate(arguments):
        if len(number_of) >= window:
            yield _next_done(number_of)
        number_of[remote.remote(*values)] = number
    while number_of:
        yield _next_done(number_of)


def _next_done(number_of: dict[Any, int]) -> tuple[int, Any]:
    with worker_errors():
        (reference,), _ = ray.wait(list(number_of), num_returns=1)
        return number_of.pop(reference), ray.get(reference)
