"""A copy of the SQLite store while it is in use, checked before it counts."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from vlmexplain.errors import StoreError
from vlmexplain.ratings.store.database_errors import translated
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.storage import scratch_beside


def backup(store: RatingStore, target: Path) -> Path:
    """Copy the database to a file that is whole or not there; raters go on meanwhile.

    To restore, stop the program, put the file in the place of ``ratings.db`` and remove
    ``ratings.db-wal`` and ``ratings.db-shm`` beside it; see ``docs/ratings.md``.

    Raises:
        StoreError: the store is PostgreSQL's (use ``pg_dump``), the target is there already, or
            it cannot be written.
    """
    if store.database.file is None:
        raise StoreError(
            "the ratings are in PostgreSQL.",
            where=store.database.where,
            remedy="Back it up with pg_dump; docs/ratings.md says how.",
        )
    if target.exists():
        raise StoreError("is there already.", where=str(target), remedy="Choose another name.")
    try:
        with scratch_beside(target) as scratch:
            with translated(str(target)):
                _copy(store.database.file, scratch)
            os.link(scratch, target)  # unlike a rename, never over an existing file
    except OSError as error:
        raise StoreError(
            f"cannot be written ({error.strerror}).",
            where=str(target),
            remedy="Check the free space and the permissions.",
        ) from error
    return target


def _copy(source: Path, scratch: Path) -> None:
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(scratch)) as copy:
        live.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        found = copy.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise StoreError(f"the copy is damaged ({found}).", where=str(scratch))
    with scratch.open("rb") as file:
        os.fsync(file.fileno())
