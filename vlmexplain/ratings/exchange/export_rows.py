"""A session's answers as long-format rows; for the organiser, or revealed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, select

from vlmexplain.ratings.organiser.sessions import session_row, spec_of
from vlmexplain.ratings.plan.rows import RatingData, RatingRow
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ASSIGNMENTS, ITEMS, RATERS, SUBMISSIONS


def session_data(
    store: RatingStore, session_id: str, history: bool = False, anonymous: bool = False
) -> RatingData:
    """All rows of a session: answers, skipped items, and items no one rated.

    Args:
        history: with the versions that were edited away (``is_current`` False).
        anonymous: without the raters' names; their numbers stay. Comments are as written.

    Raises:
        UnknownName: there is no such session (the whole id is needed).
    """

    def work(connection: Connection) -> RatingData:
        session = session_row(connection, session_id)
        rows = _rows(connection, session_id, history, anonymous)
        return RatingData(session_id, spec_of(session), tuple(rows))

    return store.database.read(work)


def _rows(
    connection: Connection, session_id: str, history: bool, anonymous: bool
) -> list[RatingRow]:
    def of(table: Any) -> Any:
        return connection.execute(select(table).where(table.c.session_id == session_id))

    items = {row.item: _item_row(row) for row in of(ITEMS)}
    names = {row.rater: "" if anonymous else row.name for row in of(RATERS)}
    versions: dict[tuple[int, int, int], list[Row[Any]]] = {}
    for row in of(SUBMISSIONS):
        versions.setdefault((row.rater, row.item, row.occurrence), []).append(row)
    found, rated = [], set()
    for own in of(ASSIGNMENTS):
        base = replace(
            items[own.item],
            occurrence=own.occurrence,
            rater=own.rater,
            rater_name=names[own.rater],
            position=own.position,
            other_on_left=own.flipped,
            status="skipped" if own.status == "skipped" else "answered",
        )
        said = sorted(
            versions.get((own.rater, own.item, own.occurrence), ()), key=lambda one: one.version
        )
        if said:
            rated.add(own.item)
            found.extend(_answer_rows(base, said if history else said[-1:], said))
        elif own.status == "skipped":
            found.append(base)
    found.extend(replace(items[item], status="unrated") for item in items.keys() - rated)
    return sorted(found, key=_place)


def _answer_rows(base: RatingRow, wanted: list[Row[Any]], said: list[Row[Any]]) -> list[RatingRow]:
    return [
        replace(
            base,
            status="answered",
            version=row.version,
            is_current=row.version == said[-1].version,
            rating=row.rating,
            preference=row.preference,
            classes=tuple(row.classes),
            comment=row.comment,
            first_rating=said[0].rating,
            first_preference=said[0].preference,
            seconds=said[0].seconds,
            submitted_at=row.submitted_at,
        )
        for row in wanted
    ]


def _item_row(row: Row[Any]) -> RatingRow:
    return RatingRow(
        item=row.item,
        occurrence=0,
        caption_index=row.caption_index,
        query=row.query,
        ground_truth_image=row.ground_truth_image,
        retrieved_image=row.retrieved_image,
        other_image=row.other_image,
        metrics=row.metrics,
    )


def _place(row: RatingRow) -> tuple[int, int, int, int]:
    return (row.item, row.rater or 0, row.occurrence, row.version)
