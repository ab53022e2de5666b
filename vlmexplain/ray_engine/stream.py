"""Ray Data: rows stream past picture readers and model workers, wherever there is room."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import ray
import ray.data

from vlmexplain.ray_engine.cluster import Capacity
from vlmexplain.ray_engine.failures import worker_errors
from vlmexplain.ray_engine.model_worker import ModelWorker
from vlmexplain.ray_engine.picture_reader import PictureReader
from vlmexplain.ray_engine.rows import Row

MOST_BLOCKS = 4096
"""Rows are streamed one by one up to here, and a few at a time beyond."""

PARKED = "Prefetcher"
"""The name of a thread of Ray Data that outlives a stream left early, waiting and harmless."""

_CPUS_PER_MODEL = 4
_READER_CPUS = 0.9
_THREADS_END_S = 10.0
_PARKED_S = 0.5


@dataclass(frozen=True, slots=True)
class Staffing:
    """How many workers hold a model, and what each stage asks of its node.

    Attributes:
        n_models: workers that hold a model from beginning to end.
        model_cpus, model_gpus: of each.
        n_readers: how many pictures' batches are read at a time; None: what has room.
        reader_cpus: of each.
    """

    n_models: int
    model_cpus: float
    model_gpus: float
    n_readers: int | None
    reader_cpus: float


def staffing(capacity: Capacity, gpu: bool) -> Staffing:
    """One model for each GPU; without any, one for each eight CPUs but one a node at least.

    About half of the CPUs stay with those who read pictures. Where models hold CPUs, readers ask
    for none, or two commands whose models hold all of a cluster would wait for each other's end
    for ever. The stages never ask for the same: Ray Data would make one of them, and reading
    would stand still while the model computes.

    >>> staffing(Capacity(n_nodes=2, n_cpus=2, n_gpus=0), gpu=True)
    Staffing(n_models=2, model_cpus=0.5, model_gpus=0.0, n_readers=2, reader_cpus=0.0)
    """
    if gpu and capacity.n_gpus >= 1:
        return Staffing(int(capacity.n_gpus), 0.0, 1.0, None, _READER_CPUS)
    n_models = max(capacity.n_nodes, int(capacity.n_cpus // (2 * _CPUS_PER_MODEL)), 1)
    share = capacity.n_cpus / n_models / 2
    cpus = float(min(_CPUS_PER_MODEL, math.floor(share))) if share >= 1 else share
    n_readers = max(capacity.n_nodes, int(capacity.n_cpus - n_models * cpus))
    return Staffing(n_models, cpus, 0.0, n_readers, 0.0)


def stream(
    rows: Sequence[Row],
    staff: Staffing,
    worker_arguments: tuple[Any, ...],
    reader: PictureReader | None = None,
) -> Generator[Row]:
    """The answer to each row, in whatever order they are done.

    Close it when you leave it early, before you disconnect from the cluster. A worker that dies
    is replaced, and what it was at is done again by another; what it had done is kept.

    Args:
        rows: the pieces of work.
        staff: how many workers.
        worker_arguments: of `ModelWorker`.
        reader: where there are pictures among the rows.

    Raises:
        VlmexplainError: what a worker raised.
    """
    _be_quiet()
    data = ray.data.from_items(list(rows), override_num_blocks=min(len(rows), MOST_BLOCKS))
    if reader is not None:
        data = data.map(
            reader,
            compute=ray.data.TaskPoolStrategy(size=staff.n_readers),
            num_cpus=staff.reader_cpus,
        )
    data = data.map(
        ModelWorker,
        fn_constructor_args=worker_arguments,
        compute=ray.data.ActorPoolStrategy(
            size=min(staff.n_models, len(rows)), max_tasks_in_flight_per_actor=2
        ),
        num_cpus=staff.model_cpus,
        num_gpus=staff.model_gpus or None,
    )
    with _no_threads_left(), worker_errors():
        rows_done = cast(Generator[Row], iter(data.iter_rows()))
        try:
            yield from rows_done
        finally:
            rows_done.close()


@contextmanager
def _no_threads_left() -> Iterator[None]:
    """Wait at the end for the threads that Ray Data started in the block.

    They ask the cluster for what comes next; one that does so after the connection has ended
    takes the whole process down.
    """
    before = set(threading.enumerate())
    try:
        yield
    finally:
        deadline = time.monotonic() + _THREADS_END_S
        for thread in set(threading.enumerate()) - before:
            if _is_ray_datas(thread):
                left = max(0.0, deadline - time.monotonic())
                thread.join(min(left, _PARKED_S) if thread.name == PARKED else left)


def _is_ray_datas(thread: threading.Thread) -> bool:
    work = getattr(thread, "_target", None) or type(thread)
    return str(getattr(work, "__module__", "")).startswith("ray.data")


def _be_quiet() -> None:
    """No bars and no plans on the terminal: the program has a bar of its own."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for name in ("ray.data", "ray.tune"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are raised, and told once
