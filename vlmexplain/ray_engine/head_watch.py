"""A look at the cluster's head now and then.

A minute after the head is gone, Ray ends the process without a word; this is earlier, and says it.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from vlmexplain.errors import VlmexplainError

GONE_AFTER_S = 25.0
LOOK_EVERY_S = 2.0
_ANSWER_S = 5.0


class ClusterError(VlmexplainError):
    """The Ray cluster cannot be reached, or cannot do the work."""


@contextmanager
def head_watched(address: str) -> Iterator[None]:
    """Raise in the block when nothing has answered at the head's address for a while.

    The main thread is interrupted as by Ctrl-C; in another thread, and where Ctrl-C does
    something else, nothing is watched.

    Args:
        address: ``HOST:PORT``.

    Raises:
        ClusterError: the head is gone.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    left, gone = threading.Event(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(address, left, gone), daemon=True)
    watcher.start()
    try:
        yield
    except KeyboardInterrupt as error:
        if not gone.is_set():
            raise
        raise ClusterError(
            f"the head of the cluster has not answered for {GONE_AFTER_S:.0f} seconds.",
            where=address,
            remedy="What was finished is kept: start the cluster again, and the same command "
            "goes on from there.",
        ) from error
    finally:
        left.set()


def _watch(address: str, left: threading.Event, gone: threading.Event) -> None:
    seen_s = time.monotonic()
    while not left.wait(LOOK_EVERY_S):
        if _answers(address):
            seen_s = time.monotonic()
        elif time.monotonic() - seen_s >= GONE_AFTER_S:
            gone.set()
            main = threading.main_thread().ident
            if main is not None and not left.is_set():
                signal.pthread_kill(main, signal.SIGINT)  # it wakes from whatever it waits for
            return


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_S).close()
    except OSError:
        return False
    return True
