"""What the server does beside drawing pages: start, stop, tell how it is, and log errors."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from vlmexplain import __version__
from vlmexplain.cache_sizes import check_sizes
from vlmexplain.errors import VlmexplainError
from vlmexplain.health import check_health, health_document
from vlmexplain.storage import read_only
from vlmexplain.ui.server import logs
from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.server.reading_ahead import read_ahead
from vlmexplain.ui.server.stopping import Stop, stop_seconds
from vlmexplain.ui.shared.messages import unexpected

HEALTH_PATH = "/health"
LOOK_AGAIN_S = 2.0
ANSWER_S = 5.0
REFUSED = 1
"""The exit code when a setting is wrong."""

_started_s = time.monotonic()
_look = threading.Lock()
_seen: tuple[float, dict[str, Any]] | None = None


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """From the first moment of the server to its last."""
    stop_s = read_settings()
    logs.log("server.start", version=__version__, read_only=read_only())
    stop = Stop(job_registry(), stop_s)
    stop.on_signal()
    read_ahead()
    try:
        yield
    finally:
        await asyncio.to_thread(stop.finish)


def read_settings(end: Callable[[int], object] = os._exit) -> float:
    """Read the environment's settings; a wrong one ends the process, with one line that names it.

    Args:
        end: how; an error here would come out of the web server as pages of its own code.

    Returns:
        How long a stop may take, in seconds.
    """
    try:
        logs.set_up()
        check_sizes()
        return stop_seconds()
    except VlmexplainError as error:
        logs.log("server.refused", logging.ERROR, message=str(error))
        end(REFUSED)
        raise


async def health(_: Request) -> JSONResponse:
    """How the server is: 200 and ``"status": "ok"``, or 503 and what fails."""
    try:
        document = await asyncio.wait_for(asyncio.to_thread(_health), ANSWER_S)
    except TimeoutError:
        document = {"status": "failing", "version": __version__, "because": "no answer in time"}
    return JSONResponse(
        document,
        status_code=200 if document["status"] == "ok" else 503,
        headers={"Cache-Control": "no-store"},
    )


def on_script_error(error: Exception) -> bool:
    """Show an unexpected error as a box with its id instead of the code's insides."""
    unexpected(error)
    return True


ROUTES = [Route(HEALTH_PATH, health)]


def _health() -> dict[str, Any]:
    """What was found at most two seconds ago, so that asking often costs nothing."""
    global _seen
    with _look:
        now = time.monotonic()
        if _seen is None or now - _seen[0] > LOOK_AGAIN_S:
            _seen = (time.monotonic(), health_document(check_health()))
        document = _seen[1]
    return {
        **document,
        "uptime_s": round(now - _started_s, 1),
        "jobs_running": job_registry().count_running(),
    }
