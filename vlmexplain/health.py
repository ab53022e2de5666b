"""Whether a server can do its work: the store can be read, the ratings can be reached."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from vlmexplain import __version__
from vlmexplain.datasets.gallery import list_galleries
from vlmexplain.errors import VlmexplainError
from vlmexplain.ratings.store.database import Database, database_url
from vlmexplain.ratings.store.migrate import schema_version
from vlmexplain.scoring.run_store import list_runs
from vlmexplain.storage import home, read_only

DATABASE_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must work.

    Attributes:
        ok: whether it does.
        ms: how long looking took, milliseconds.
        because: why not, in words that name no path and no address; "" when it works.
        found: what was there, by name.
    """

    ok: bool
    ms: float
    because: str
    found: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Health:
    """How a server is.

    Attributes:
        version: of the program.
        read_only: whether it changes nothing.
        store: galleries and runs under the home folder.
        ratings: the rating database.
    """

    version: str
    read_only: bool
    store: Check
    ratings: Check

    @property
    def ok(self) -> bool:
        """Whether everything works."""
        return self.store.ok and self.ratings.ok


def check_health() -> Health:
    """Look at the store and the rating database; changes nothing, opens no session."""
    return Health(__version__, read_only(), _check(_store), _check(_ratings))


def health_document(health: Health) -> dict[str, Any]:
    """What `check_health` found, as a JSON value."""
    return {
        "status": "ok" if health.ok else "failing",
        "version": health.version,
        "read_only": health.read_only,
        **{
            name: {key: value for key, value in asdict(check).items() if value not in ("", {})}
            for name, check in (("store", health.store), ("ratings", health.ratings))
        },
    }


def _check(look: Callable[[], dict[str, Any]]) -> Check:
    start = time.perf_counter()
    found: dict[str, Any] = {}
    because = ""
    try:
        found = look()
    except VlmexplainError as error:
        because = error.message
    except OSError as error:
        because = f"the folder cannot be read ({error.strerror or type(error).__name__})."
    return Check(not because, round(1000 * (time.perf_counter() - start), 1), because, found)


def _store() -> dict[str, Any]:
    folder = home()
    if folder.exists() and not os.access(folder, os.R_OK | os.X_OK):
        raise PermissionError(13, "permission denied")
    galleries = list_galleries()
    return {
        "galleries": len(galleries),
        "demo": any(gallery.drawn for gallery in galleries),
        "runs": len(list_runs()),
    }


def _ratings() -> dict[str, Any]:
    url = database_url()
    kind = url.get_backend_name()
    if kind == "sqlite" and not os.path.exists(str(url.database)):  # noqa: PTH110
        # the first rating session makes it; looking must not
        return {"database": kind, "there": False}
    database = Database(url, DATABASE_WAIT_S)
    try:
        there = schema_version(database) is not None
    finally:
        database.close()
    return {"database": kind, "there": there}
