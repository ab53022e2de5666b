"""What a database complains of, as something the user can mend."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from vlmexplain.errors import StoreError

KEPT = "What was confirmed before is kept."

SQLITE_CAUSES = (  # (in the message, what was wrong, what to do)
    ("locked", "another process is holding the database.", f"{KEPT} Send it again in a moment."),
    ("disk is full", "there is no space left.", f"{KEPT} Free some space, then send it again."),
    ("disk i/o error", "cannot be written.", f"{KEPT} Check the free space, then send it again."),
    ("readonly", "cannot be written, it is read-only.", f"{KEPT} Check the permissions."),
    ("unable to open", "cannot be opened.", "Check the folder and its permissions."),
    ("not a database", "is no database.", "Move the file away, or put a backup in its place."),
    ("malformed", "is damaged.", "Put a backup in its place."),
)

POSTGRES_CAUSES = (  # (start of the SQLSTATE, what was wrong, what to do)
    ("53100", "the server has no space left.", f"{KEPT} Free some space, then send it again."),
    ("53300", "the server takes no more connections.", "Raise max_connections, or try again."),
    ("53", "the server is short of resources.", f"{KEPT} Try again in a moment."),
    ("28", "the server refuses the user or password.", "Check VLMEXPLAIN_DATABASE_URL."),
    ("3D000", "there is no such database.", "Create it, or check VLMEXPLAIN_DATABASE_URL."),
    ("42501", "the user may not do this.", "Grant it the rights on the schema."),
    ("25006", "the database is read-only.", "Point VLMEXPLAIN_DATABASE_URL at the primary."),
    ("57", "the server is stopping or starting.", f"{KEPT} Send it again in a moment."),
    ("55P03", "another process is holding the table.", f"{KEPT} Send it again in a moment."),
    ("40", "two changes were in each other's way.", f"{KEPT} Send it again."),
)

TRANSIENT = ("40001", "40P01", "23505")
"""Serialisation failure, deadlock, and two that added the same row at once."""


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn the database's errors into `StoreError`; ``where`` never holds the password.

    Raises:
        StoreError: says what was wrong and that confirmed answers are kept.
    """
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise store_error(error, where) from error
    except sqlite3.Error as error:  # past SQLAlchemy: pragmas and backups
        raise store_error(exc.OperationalError(None, None, error), where) from error


def locked_error(where: str) -> StoreError:
    """Somebody else is writing, for longer than one waits."""
    _, message, remedy = SQLITE_CAUSES[0]
    return StoreError(message, where=where, remedy=remedy)


def store_error(error: exc.SQLAlchemyError, where: str) -> StoreError:
    """The error in words; the cause is kept as ``__cause__`` by whoever raises it."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        text = str(cause).lower()
        for part, message, remedy in SQLITE_CAUSES:
            if part in text:
                return StoreError(message, where=where, remedy=remedy)
    state = sqlstate(error)
    for start, message, remedy in POSTGRES_CAUSES:
        if state and state.startswith(start):
            return StoreError(message, where=where, remedy=remedy)
    if isinstance(error, exc.OperationalError | exc.InterfaceError | exc.TimeoutError):
        return StoreError(
            "the database cannot be reached.",
            where=where,
            remedy=f"{KEPT} Check that it runs and that VLMEXPLAIN_DATABASE_URL is right.",
        )
    return StoreError(
        f"the database refused this ({type(cause or error).__name__}).",
        where=where,
        remedy=f"{KEPT} Please report it.",
    )


def sqlstate(error: exc.SQLAlchemyError) -> str | None:
    """PostgreSQL's five-sign code, if there is one."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state if isinstance(state, str) else None


def is_transient(error: exc.SQLAlchemyError) -> bool:
    """Whether the same transaction may well succeed when it is tried again."""
    lost = isinstance(error, exc.DBAPIError) and error.connection_invalidated
    return lost or sqlstate(error) in TRANSIENT
