"""How long the server takes for a page: logged when ``VLMEXPLAIN_TIMING=1``."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger("vlmexplain.timing")


def enabled() -> bool:
    """Whether times are logged."""
    return os.environ.get("VLMEXPLAIN_TIMING") == "1"


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Log ``what`` with the milliseconds the block took, one line to standard error."""
    if not enabled():
        yield
        return
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("TIMING %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    start = time.perf_counter()
    try:
        yield
    finally:
        logger.info("%s %.1f", what, 1000 * (time.perf_counter() - start))
