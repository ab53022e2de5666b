"""A command that is told to end, with SIGTERM or SIGHUP, clears up as it does on Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """A signal came; ``exit_code`` is what a shell says of a program that it ended."""

    def __init__(self, number: int):
        super().__init__()
        self.exit_code = 128 + number


@contextmanager
def stops_cleanly() -> Iterator[None]:
    """Inside the block a stopping signal raises `Stopped`; a second one ends the process at once.

    A signal that somebody has a use for already, or ignores as ``nohup`` does, is left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is _stop:
                signal.signal(number, signal.SIG_DFL)


def _stop(number: int, _frame: object) -> NoReturn:
    for each in SIGNALS:
        if signal.getsignal(each) is _stop:
            signal.signal(each, signal.SIG_DFL)
    raise Stopped(number)
