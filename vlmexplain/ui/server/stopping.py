"""The end of a server: what is written is finished, jobs stop where they can be taken up again."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from vlmexplain.errors import StoreError
from vlmexplain.ui.server.jobs import JobRegistry
from vlmexplain.ui.server.logs import log
from vlmexplain.ui.server.streamlit_insides import ask_draws_to_end, drawing_threads

STOP_S = 20.0
MOST_S = 86_400.0
UNFINISHED = 1
"""The exit code when something was still at work at the end of that time."""


def stop_seconds() -> float:
    """How long a stop may take: ``VLMEXPLAIN_STOP_S``, else 20 seconds.

    Raises:
        StoreError: the environment's value is no number of seconds.
    """
    text = os.environ.get("VLMEXPLAIN_STOP_S", "").strip()
    try:
        seconds = float(text or STOP_S)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MOST_S:  # of "nan" neither is true
        raise StoreError(
            f"{text!r} is no time to stop in.",
            where="VLMEXPLAIN_STOP_S",
            remedy=f"Expected a number of seconds, 0 to {MOST_S:.0f}.",
        )
    return seconds


class Stop:
    """A stop in progress; `begin` may come from a signal, and more than once.

    Args:
        jobs: the work that is to stop.
        timeout_s: after so long the process ends, whatever is still at work.
        end: how; a thread that does not listen cannot be ended in any other way.
    """

    def __init__(
        self, jobs: JobRegistry, timeout_s: float, end: Callable[[int], object] = os._exit
    ):
        self._jobs, self._timeout_s, self._end = jobs, timeout_s, end
        self._begun, self._over = threading.Event(), threading.Event()
        self._left: tuple[str, ...] = ()
        self._told = False

    def on_signal(self) -> None:
        """Begin as soon as the process is told to end, before its server closes connections."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            before = signal.getsignal(number)

            def heard(number: int, frame: FrameType | None, before: object = before) -> None:
                self._told = True
                self.begin()
                if callable(before):
                    before(number, frame)

            signal.signal(number, heard)

    def begin(self) -> None:
        """Start stopping; returns at once."""
        if not self._begun.is_set():
            self._begun.set()
            threading.Thread(target=self._stop, daemon=True, name="stop").start()

    def finish(self) -> bool:
        """Wait for the end of the stop; whether everything came to an end in time."""
        self.begin()
        self._over.wait()
        return not self._left

    def _stop(self) -> None:
        start = time.monotonic()
        log("server.stopping", within_s=self._timeout_s)
        ask_draws_to_end()
        jobs = self._jobs.close(self._timeout_s)
        draws = _wait_for_draws(start + self._timeout_s)
        self._left = (*jobs, *draws)
        level = logging.WARNING if self._left else logging.INFO
        ms = round(1000 * (time.monotonic() - start))
        log("server.stop", level, ms=ms, unfinished=list(self._left) or None)
        if self._left:
            self._end(UNFINISHED)
        self._over.set()
        if self._told:  # a visitor who takes a file in slowly must not hold the process
            time.sleep(max(0.0, start + self._timeout_s - time.monotonic()))
            self._end(UNFINISHED)


def _wait_for_draws(deadline: float) -> tuple[str, ...]:
    """The pages still being drawn at the deadline."""
    drawing = drawing_threads()
    for thread in drawing:
        thread.join(max(0.0, deadline - time.monotonic()))
    return tuple("page" for thread in drawing if thread.is_alive())
