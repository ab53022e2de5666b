"""Marks that an image fits a caption too, in the ratings' database: who, and when."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, select

from vlmexplain.ratings.store.audit_marks import marks_database
from vlmexplain.ratings.store.database import FILE_NAME
from vlmexplain.ratings.store.migrate import migrate
from vlmexplain.ratings.store.tables import FIT_MARKS
from vlmexplain.storage import home, refuse_read_only

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class FitMark:
    """A person's word on one image and one caption, both places in the gallery.

    Attributes:
        fits: it is a right answer too; False: it was looked at and is none.
        marked_by: the name that was given; "" for none.
        marked_at: seconds since 1970, UTC.
    """

    caption_index: int
    image_index: int
    fits: bool
    marked_by: str
    marked_at: float


def read_fit_marks(gallery_id: str) -> tuple[FitMark, ...]:
    """The marks of a gallery, by caption and image; reading makes no database.

    Raises:
        StoreError: there is a database and it cannot be read.
    """
    database = marks_database()
    if database.file is not None and not database.file.exists():
        return ()

    def read(connection: Connection) -> tuple[FitMark, ...]:
        # a database of an earlier version, on a server that changes nothing, has no such table
        if not inspect(connection).has_table(FIT_MARKS.name):
            return ()
        columns = [FIT_MARKS.c[name] for name in FitMark.__slots__]
        query = select(*columns).where(FIT_MARKS.c.gallery_id == gallery_id)
        rows = connection.execute(query.order_by(*columns[:2]))
        return tuple(FitMark(*row) for row in rows)

    return database.read(read)


def write_fit_mark(
    gallery_id: str,
    caption_index: int,
    image_index: int,
    fits: bool | None,
    marked_by: str = "",
    now: float | None = None,
) -> None:
    """Keep a mark, or take it away with None; durable when this returns.

    Raises:
        StoreError: the database cannot be written; ReadOnly in read-only mode.
    """
    assert caption_index >= 0 and image_index >= 0
    refuse_read_only(home() / FILE_NAME)
    database = marks_database()
    migrate(database)
    name = " ".join(marked_by.split())[:LONGEST_NAME]

    def work(connection: Connection) -> None:
        here = (
            FIT_MARKS.c.gallery_id == gallery_id,
            FIT_MARKS.c.caption_index == caption_index,
            FIT_MARKS.c.image_index == image_index,
        )
        connection.execute(FIT_MARKS.delete().where(*here))
        if fits is not None:
            connection.execute(
                FIT_MARKS.insert().values(
                    gallery_id=gallery_id,
                    caption_index=caption_index,
                    image_index=image_index,
                    fits=fits,
                    marked_by=name,
                    marked_at=time.time() if now is None else now,
                )
            )

    database.write(work)
