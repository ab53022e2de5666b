"""Marks of an audit in the ratings' database; what they mean is `overview.marks`' business."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Connection, inspect, select

from vlmexplain.ratings.store.database import FILE_NAME, Database, database_url
from vlmexplain.ratings.store.migrate import migrate
from vlmexplain.ratings.store.tables import AUDIT_MARKS
from vlmexplain.storage import home, refuse_read_only

TAKEN_IN = -1
"""In place of a caption: the marks of the earlier file are in the database from here on."""


@dataclass(frozen=True, slots=True)
class KeptMarks:
    """A gallery's marks in the database.

    Attributes:
        verdicts: by the caption's place in the gallery.
        file_taken_in: an earlier file of marks counts no longer.
    """

    verdicts: Mapping[int, str]
    file_taken_in: bool


NOTHING = KeptMarks({}, False)


def read_audit_marks(gallery_id: str) -> KeptMarks:
    """The marks of a gallery; reading makes no database and changes none.

    Raises:
        StoreError: there is a database and it cannot be read.
    """
    database = marks_database()
    if database.file is not None and not database.file.exists():
        return NOTHING
    return database.read(lambda connection: _read(connection, gallery_id))


def write_audit_mark(
    gallery_id: str, caption_index: int, verdict: str | None, earlier: Mapping[int, str]
) -> None:
    """Keep a mark, or take it away with None; durable when this returns.

    Args:
        earlier: the marks of the file from before there was a database; taken in once.

    Raises:
        StoreError: the database cannot be written; ReadOnly in read-only mode.
    """
    assert caption_index >= 0
    # raters may go on where the database is elsewhere; marks are the server's own
    refuse_read_only(home() / FILE_NAME)
    database = marks_database()
    migrate(database)

    def work(connection: Connection) -> None:
        kept = _read(connection, gallery_id)
        if not kept.file_taken_in:
            taken = {n: one for n, one in earlier.items() if n not in kept.verdicts}
            for place, one in (*taken.items(), (TAKEN_IN, "taken in")):
                _put(connection, gallery_id, place, one)
        here = (
            AUDIT_MARKS.c.gallery_id == gallery_id,
            AUDIT_MARKS.c.caption_index == caption_index,
        )
        connection.execute(AUDIT_MARKS.delete().where(*here))
        if verdict is not None:
            _put(connection, gallery_id, caption_index, verdict)

    database.write(work)


def _read(connection: Connection, gallery_id: str) -> KeptMarks:
    # a database of an earlier version, on a server that changes nothing, has no such table
    if not inspect(connection).has_table(AUDIT_MARKS.name):
        return NOTHING
    query = select(AUDIT_MARKS.c.caption_index, AUDIT_MARKS.c.verdict)
    rows = connection.execute(query.where(AUDIT_MARKS.c.gallery_id == gallery_id))
    found = {row.caption_index: row.verdict for row in rows}
    taken_in = found.pop(TAKEN_IN, None) is not None
    return KeptMarks(found, taken_in)


def _put(connection: Connection, gallery_id: str, caption_index: int, verdict: str) -> None:
    connection.execute(
        AUDIT_MARKS.insert().values(
            gallery_id=gallery_id,
            caption_index=caption_index,
            verdict=verdict,
            marked_at=time.time(),
        )
    )


def marks_database() -> Database:
    """The database that marks are kept in."""
    return _database(database_url().render_as_string(hide_password=False))


@lru_cache(maxsize=4)
def _database(address: str) -> Database:
    """One a process and address: a page reads marks at every draw."""
    return Database(database_url(address))
