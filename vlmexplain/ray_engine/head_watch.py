"""A look at the cluster's head, and at this machine's own node, now and then.

Ray ends the process without a word some time after one of them is gone; this is earlier.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from vlmexplain.errors import VlmexplainError

GONE_AFTER_S = 25.0
LOOK_EVERY_S = 2.0
_ANSWER_S = 5.0


class ClusterError(VlmexplainError):
    """The Ray cluster cannot be reached, or cannot do the work."""


@contextmanager
def head_watched(address: str, node_socket: str | None = None) -> Iterator[None]:
    """Raise in the block when the head has not answered for a while, or this node is gone.

    The main thread is interrupted as by Ctrl-C, also where Ctrl-C itself is ignored, as in a
    job that a shell runs in the background; in another thread, and where Ctrl-C does something
    else, nothing is watched.

    Args:
        address: ``HOST:PORT`` of the head.
        node_socket: the path of the socket of this machine's node.

    Raises:
        ClusterError: one of them is gone.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before not in (signal.default_int_handler, signal.SIG_IGN):
        yield
        return
    left, lost = threading.Event(), list[str]()
    if before is signal.SIG_IGN:

        def only_when_lost(number: int, frame: FrameType | None) -> None:
            if lost:
                signal.default_int_handler(number, frame)

        signal.signal(signal.SIGINT, only_when_lost)
    arguments = (address, node_socket, left, lost)
    threading.Thread(target=_watch, args=arguments, daemon=True).start()
    try:
        yield
    except KeyboardInterrupt as error:
        if not lost:
            raise
        raise ClusterError(
            lost[0],
            where=address,
            remedy="What was finished is kept: start the cluster again, and the same command "
            "goes on from there.",
        ) from error
    finally:
        left.set()
        signal.signal(signal.SIGINT, before)


def _watch(address: str, node_socket: str | None, left: threading.Event, lost: list[str]) -> None:
    seen_s = time.monotonic()
    while not left.wait(LOOK_EVERY_S):
        if _answers(address):
            seen_s = time.monotonic()
        if time.monotonic() - seen_s >= GONE_AFTER_S:
            lost.append(f"the head of the cluster has not answered for {GONE_AFTER_S:.0f} seconds.")
        elif node_socket is not None and not _listens(node_socket):
            lost.append("the cluster's node on this machine is gone.")
        main = threading.main_thread().ident
        if lost and main is not None and not left.is_set():
            signal.pthread_kill(main, signal.SIGINT)  # it wakes from whatever it waits for
            return


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:  # such as a full queue: it is there
            return True
    return True


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_S).close()
    except OSError:
        return False
    return True
