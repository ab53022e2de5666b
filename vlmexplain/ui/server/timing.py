"""How long the server takes: for each page drawn, and for parts of one."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from vlmexplain.ui.server.logs import log, on_page

bare = logging.getLogger("vlmexplain.timing")


def enabled() -> bool:
    """Whether ``VLMEXPLAIN_TIMING=1``: times are written as bare lines too, for benchmarks."""
    return os.environ.get("VLMEXPLAIN_TIMING") == "1"


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Log the milliseconds that a part of a page took, on level debug."""
    start = time.perf_counter()
    try:
        yield
    finally:
        _tell("part", what, start, logging.DEBUG)


@contextmanager
def drawing(title: str) -> Iterator[None]:
    """Log the milliseconds that the drawing of a page took; events inside carry the page."""
    start = time.perf_counter()
    with on_page(title):
        try:
            yield
        finally:
            _tell("draw", f"page {title}", start, logging.INFO)


def _tell(event: str, what: str, start: float, level: int) -> None:
    ms = round(1000 * (time.perf_counter() - start), 1)
    log(event, level, ms=ms, part=what if event == "part" else None)
    if enabled():
        _bare_line(f"{what} {ms:.1f}")


def _bare_line(line: str) -> None:
    if not bare.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("TIMING %(message)s"))
        bare.addHandler(handler)
        bare.setLevel(logging.INFO)
        bare.propagate = False
    bare.info(line)
