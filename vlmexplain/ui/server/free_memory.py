"""Memory that is free is given back to the system.

The C library keeps what large arrays leave behind: a hundred MiB and more after a job over half a
million queries, which the next job may or may not fit into.
"""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

_lock = threading.Lock()
_last_s = -math.inf


def give_back(at_most_every_s: float = 0.0) -> bool:
    """Give it back, unless that was done less than so many seconds ago; whether it was done.

    Nothing is done where the C library cannot (it is glibc that can).
    """
    global _last_s
    trim = _trim()
    with _lock:
        if trim is None or time.monotonic() < _last_s + at_most_every_s:
            return False
        _last_s = time.monotonic()
    trim(0)
    return True


@cache
def _trim() -> Callable[[int], Any] | None:
    try:
        found: Callable[[int], Any] = ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):
        return None
    return found
