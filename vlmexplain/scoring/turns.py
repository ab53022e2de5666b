"""Taking turns: work that two processes ask for is done by one, and the other waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import filelock

from vlmexplain.errors import StoreError
from vlmexplain.records import Progress, ProgressCallback
from vlmexplain.storage import locked, read_only

_LOOK_EVERY_S = 0.5


@contextmanager
def take_turn(target: Path, what: str, progress: ProgressCallback) -> Iterator[None]:
    """Hold the lock of ``target``; while another holds it, say so and stay cancellable.

    Args:
        target: the folder that the work makes.
        what: what the other is doing, such as ``embed images``.
        progress: called twice a second while waiting; may raise `Cancelled`.

    Raises:
        StoreError: the folder cannot be written.
    """
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(locked(target, timeout_s=_LOOK_EVERY_S))
                break
            except StoreError as error:
                if not isinstance(error.__cause__, filelock.Timeout):
                    raise
            progress(Progress(f"wait for another process: {what}", 0, 1))
        yield


def is_busy(target: Path) -> bool:
    """Whether someone holds the lock of ``target`` now; in read-only mode nobody works."""
    if read_only():
        return False
    try:
        with locked(target, timeout_s=0):
            return False
    except StoreError as error:
        if isinstance(error.__cause__, filelock.Timeout):
            return True
        raise
