"""How far a session is, rater by rater and item by item; for the organiser only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from vlmexplain.ratings.organiser.sessions import session_row, spec_of
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ASSIGNMENTS, EVENTS, ITEMS, RATERS, SUBMISSIONS


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """One rater.

    Attributes:
        n_answers: items answered; n_repeated: answered a second time; n_skipped: left.
        last_at: of the newest answer or edit, seconds since 1970; None before the first.
    """

    rater: int
    name: str
    joined_at: float
    n_answers: int
    n_repeated: int
    n_skipped: int
    last_at: float | None


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """One item: how many raters answered it, skipped it, have it before them now."""

    item: int
    caption_index: int
    query: str
    n_answers: int
    n_skipped: int
    n_reserved: int


@dataclass(frozen=True, slots=True)
class SessionProgress:
    """A session at one moment.

    Attributes:
        raters, items: in the order they joined, in the order of the session.
        n_answers: repeated ones left out.
        wanted_per_item: raters wanted for each item; with no such number, those who joined.
        n_items_done: items with as many answers as wanted.
    """

    raters: tuple[RaterProgress, ...]
    items: tuple[ItemProgress, ...]
    n_answers: int
    wanted_per_item: int
    n_items_done: int


def watch_session(store: RatingStore, session_id: str) -> SessionProgress:
    """How far each rater and each item is.

    Raises:
        UnknownName: there is no such session.
    """

    def work(connection: Connection) -> SessionProgress:
        spec = spec_of(session_row(connection, session_id))
        raters = _raters(connection, session_id)
        items = _items(connection, session_id, store.now())
        wanted = spec.raters_per_item or len(raters)
        return SessionProgress(
            raters=raters,
            items=items,
            n_answers=sum(one.n_answers for one in items),
            wanted_per_item=wanted,
            n_items_done=sum(one.n_answers >= wanted > 0 for one in items),
        )

    return store.database.read(work)


def revision(store: RatingStore, session_id: str) -> tuple[int, int, int]:
    """Three counts that change whenever an analysis of the session would."""

    def work(connection: Connection) -> tuple[int, int, int]:
        def count(table: Any, *conditions: ColumnElement[bool]) -> int:
            query = select(func.count()).select_from(table)
            found = query.where(table.c.session_id == session_id, *conditions)
            return int(connection.execute(found).scalar_one())

        skipped = ASSIGNMENTS.c.status == "skipped"
        return count(SUBMISSIONS), count(ASSIGNMENTS, skipped), count(EVENTS)

    return store.database.read(work)


def _raters(connection: Connection, session_id: str) -> tuple[RaterProgress, ...]:
    counted = _assignments(
        connection,
        session_id,
        ASSIGNMENTS.c.rater,
        n_answers=(ASSIGNMENTS.c.version > 0) & (ASSIGNMENTS.c.occurrence == 0),
        n_repeated=(ASSIGNMENTS.c.version > 0) & (ASSIGNMENTS.c.occurrence == 1),
        n_skipped=ASSIGNMENTS.c.status == "skipped",
    )
    newest = select(SUBMISSIONS.c.rater, func.max(SUBMISSIONS.c.submitted_at)).where(
        SUBMISSIONS.c.session_id == session_id
    )
    last = {row[0]: row[1] for row in connection.execute(newest.group_by(SUBMISSIONS.c.rater))}
    query = select(RATERS).where(RATERS.c.session_id == session_id).order_by(RATERS.c.rater)
    return tuple(
        RaterProgress(
            row.rater, row.name, row.joined_at, **counted(row.rater), last_at=last.get(row.rater)
        )
        for row in connection.execute(query)
    )


def _items(connection: Connection, session_id: str, now: float) -> tuple[ItemProgress, ...]:
    first = ASSIGNMENTS.c.occurrence == 0
    waiting = (ASSIGNMENTS.c.status == "open") & (ASSIGNMENTS.c.reserved_until > now)
    counted = _assignments(
        connection,
        session_id,
        ASSIGNMENTS.c.item,
        n_answers=first & (ASSIGNMENTS.c.version > 0),
        n_skipped=first & (ASSIGNMENTS.c.status == "skipped"),
        n_reserved=first & (ASSIGNMENTS.c.version == 0) & waiting,
    )
    columns = select(ITEMS.c.item, ITEMS.c.caption_index, ITEMS.c.query)
    query = columns.where(ITEMS.c.session_id == session_id).order_by(ITEMS.c.item)
    return tuple(
        ItemProgress(row.item, row.caption_index, row.query, **counted(row.item))
        for row in connection.execute(query)
    )


def _assignments(
    connection: Connection, session_id: str, by: Any, **conditions: ColumnElement[bool]
) -> Callable[[int], dict[str, int]]:
    """How many assignments meet each condition, by rater or by item; 0 where there are none."""
    sums = [
        func.sum(case((condition, 1), else_=0)).label(name)
        for name, condition in conditions.items()
    ]
    here = ASSIGNMENTS.c.session_id == session_id
    rows: dict[int, Row[Any]] = {
        row.place: row
        for row in connection.execute(select(by.label("place"), *sums).where(here).group_by(by))
    }

    def counted(place: int) -> dict[str, int]:
        return {
            name: int(getattr(rows[place], name)) if place in rows else 0 for name in conditions
        }

    return counted
