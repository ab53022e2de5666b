"""The rating store: the database, opened, checked and up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from vlmexplain.ratings.store.database import BUSY_TIMEOUT_S, Database, database_url
from vlmexplain.ratings.store.migrate import migrate

Clock = Callable[[], float]
"""Seconds since 1970, UTC."""


@dataclass(frozen=True, slots=True)
class RatingStore:
    """What every function of the rating sessions works on; one a process is enough.

    Attributes:
        database: see `database.Database`.
        now: the clock.
    """

    database: Database
    now: Clock = time.time

    def close(self) -> None:
        """Close the connections."""
        self.database.close()


def open_store(
    url: str | None = None, now: Clock = time.time, busy_timeout_s: float = BUSY_TIMEOUT_S
) -> RatingStore:
    """Open the store and upgrade its tables where needed.

    Args:
        url: the database's address; None: ``VLMEXPLAIN_DATABASE_URL``, else ``ratings.db`` under
            the program's folder.
        now: the clock.
        busy_timeout_s: how long to wait for another process that is writing to SQLite's file.

    Raises:
        StoreError: the database is locked, full, unreachable, damaged, or from a newer version.
    """
    database = Database(database_url(url), busy_timeout_s)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return RatingStore(database, now)
