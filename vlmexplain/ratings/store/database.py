"""The database under the rating store: SQLite in a file, or PostgreSQL by its address."""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import URL, make_url

from vlmexplain.errors import MissingPackage, StoreError
from vlmexplain.ratings.store.database_errors import is_transient, locked_error, translated
from vlmexplain.storage import home, refuse_read_only

URL_VARIABLE = "VLMEXPLAIN_DATABASE_URL"
FILE_NAME = "ratings.db"
BUSY_TIMEOUT_S = 10.0
TRIES = 3

T = TypeVar("T")

_turns: dict[str, threading.Lock] = {}
_turns_lock = threading.Lock()


class Database:
    """Runs pieces of work as transactions; safe to use from many threads.

    A written transaction is on disk when `write` returns: SQLite with ``synchronous=FULL``,
    PostgreSQL with ``synchronous_commit=on``.
    """

    def __init__(self, url: URL, busy_timeout_s: float = BUSY_TIMEOUT_S):
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.where = str(url.database) if self.is_sqlite else url.render_as_string()
        self.engine = _engine(url, busy_timeout_s)
        self._reading = self.engine.execution_options(reading=True)
        # SQLite's own waiting is unfair; threads of one process take turns instead.
        self._turn = _turn_of(self.where) if self.is_sqlite else None
        self._busy_timeout_s = busy_timeout_s

    @property
    def file(self) -> Path | None:
        """SQLite's file; None for a server."""
        return Path(str(self.url.database)) if self.is_sqlite else None

    def read(self, work: Callable[[Connection], T]) -> T:
        """What ``work`` finds, in one transaction (on SQLite: one snapshot).

        Raises:
            StoreError: the database cannot be read.
        """
        return self._attempt(self._reading, work)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` whole or not at all; when this returns it is durable.

        A lost connection or a deadlock is tried again, so ``work`` must come to the same when it
        had succeeded unnoticed.

        Raises:
            StoreError: the database cannot be written; nothing of ``work`` was done, or, if the
                connection was lost in the last moment, all of it.
            ReadOnly: in read-only mode, for a file under the program's folder; a database named
                by ``VLMEXPLAIN_DATABASE_URL`` elsewhere goes on taking answers.
        """
        if self.file is not None:
            refuse_read_only(self.file)
        with self._own_turn():
            return self._attempt(self.engine, work)

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        """One writing thread at a time, on SQLite."""
        if self._turn is None:
            yield
            return
        # A queue on a slow disk is no failure: longer than one holder waits for a process.
        if not self._turn.acquire(timeout=3 * self._busy_timeout_s):
            raise locked_error(self.where)
        try:
            yield
        finally:
            self._turn.release()

    def _attempt(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        with translated(self.where):
            for left in reversed(range(TRIES)):
                try:
                    with engine.begin() as connection:
                        return work(connection)
                except exc.DBAPIError as error:
                    if not left or not is_transient(error):
                        raise
                    time.sleep(0.05)
        raise AssertionError


def database_url(given: str | None = None) -> URL:
    """Where the ratings are: ``given``, else ``VLMEXPLAIN_DATABASE_URL``, else a SQLite file.

    Raises:
        StoreError: an address that is malformed or of another kind of database.
        MissingPackage: PostgreSQL, without its driver.
    """
    text = given or os.environ.get(URL_VARIABLE)
    if not text:
        return URL.create("sqlite", database=str(home() / FILE_NAME))
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError) as error:
        raise StoreError(
            "the address of the database is malformed.",
            where=URL_VARIABLE,
            remedy="Expected postgresql://user:password@host:5432/name or sqlite:////path/file.",
        ) from error
    if url.get_backend_name() in ("postgresql", "postgres"):
        _require_psycopg()
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
        return url.set(drivername="sqlite", database=str(Path(str(url.database)).absolute()))
    raise StoreError(
        f"the database {url.drivername!r} cannot be used.",
        where=URL_VARIABLE,
        remedy="Use postgresql://user:password@host:5432/name or sqlite:////path/file.",
    )


def _require_psycopg() -> None:
    if importlib.util.find_spec("psycopg") is None:
        raise MissingPackage(
            "a PostgreSQL database needs the package psycopg, which is not installed.",
            remedy="Install it with: pip install 'vlmexplain[postgres]'",
        )


def _engine(url: URL, busy_timeout_s: float) -> Engine:
    if url.get_backend_name() != "sqlite":
        return create_engine(
            url,
            pool_size=10,
            max_overflow=40,
            pool_pre_ping=True,
            connect_args={"connect_timeout": 10, "application_name": "vlmexplain"},
        )
    engine = create_engine(
        url,
        pool_size=10,
        max_overflow=40,
        connect_args={"timeout": busy_timeout_s, "check_same_thread": False},
    )

    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_on_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")


def _begin_on_sqlite(connection: Connection) -> None:
    if connection.get_execution_options().get("reading"):
        connection.exec_driver_sql("BEGIN")
        return
    # A writer asks for the lock at once: one that reads first could not be let wait.
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _turn_of(where: str) -> threading.Lock:
    with _turns_lock:
        return _turns.setdefault(where, threading.Lock())
