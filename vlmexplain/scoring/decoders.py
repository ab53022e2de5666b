"""Who decodes pictures ahead of the model: threads of this process, or processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from vlmexplain.errors import DataError

T = TypeVar("T")
WORKERS = "VLMEXPLAIN_DECODE_WORKERS"
MOST_WORKERS = 256

_work: Callable[[int], object] | None = None


def decode_workers(asked: int | None = None) -> int:
    """How many processes decode: as asked, else ``VLMEXPLAIN_DECODE_WORKERS``, else 0 (threads).

    Raises:
        DataError: not a number from 0 to 256.
    """
    wanted = os.environ.get(WORKERS, "").strip() or "0" if asked is None else str(asked)
    if not wanted.isdecimal() or int(wanted) > MOST_WORKERS:
        raise DataError(
            f"{wanted!r} is no number of decoding processes.",
            where=WORKERS if asked is None else None,
            remedy=f"Expected 0 (threads) to {MOST_WORKERS}.",
        )
    return int(wanted)


@contextmanager
def decoders(work: Callable[[int], T], workers: int) -> Iterator[Callable[[int], Future[T]]]:
    """Gives what hands an item to whoever is free; none is left when the block ends.

    Args:
        work: what to do with an item; must be picklable for processes.
        workers: how many processes; 0 for threads, as many as there are processors (2 to 8).
    """
    pool = _threads() if workers == 0 else _processes(work, workers)
    try:
        if workers == 0:
            yield lambda item: pool.submit(work, item)
        else:
            resource_tracker.ensure_running()  # its start would unblock the signal
            yield lambda item: _submit(pool, item)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _threads() -> Executor:
    threads = min(8, max(2, os.cpu_count() or 1))
    return ThreadPoolExecutor(threads, thread_name_prefix="decode")


def _processes(work: Callable[[int], T], workers: int) -> Executor:
    # Not forked: this process has threads, and locks that they may hold.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(work,))


def _submit(pool: Executor, item: int) -> Future[Any]:
    """Hand an item in; a process that this starts is born deaf to Ctrl-C.

    Python takes a moment to start, longer on a busy machine, before `_begin` could ignore it.
    """
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # children inherit it
    try:
        return pool.submit(_do, item)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)


def _begin(work: Callable[[int], object]) -> None:
    """In a new process: take the work, and end with the process that asked for it."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that asked
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)  # it was killed: nobody takes what is made here


def _do(item: int) -> object:
    assert _work is not None
    return _work(item)
