"""Puts an export into the store as a closed session, to be analysed there."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from vlmexplain.errors import DataError
from vlmexplain.ratings.organiser.sessions import (
    Session,
    add_items,
    add_session,
    find_session,
    note,
)
from vlmexplain.ratings.plan.items import RatingItem, check_items
from vlmexplain.ratings.plan.names import LONGEST_RATER_NAME, clean_comment
from vlmexplain.ratings.plan.refusals import StateRefused
from vlmexplain.ratings.plan.rows import RatingData, RatingRow
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ASSIGNMENTS, RATERS, SESSIONS, SUBMISSIONS

SESSION_ID = re.compile(r"[0-9a-f]{6,32}")


def import_data(store: RatingStore, data: RatingData) -> Session:
    """Keep the rows of an export under the session's own id; it is closed and takes no answers.

    An export without the history keeps each answer with its version, and so its first rating
    only where the answer was never edited.

    Raises:
        StateRefused: the session is in the store already.
        DataError: the rows contradict each other.
        StoreError: the database cannot be written.
    """
    session_id = data.session_id or secrets.token_hex(6)
    if not SESSION_ID.fullmatch(session_id):
        raise DataError(f"the session id {session_id[:40]!r} is none.")
    items = _items(data)

    def work(connection: Connection) -> None:
        if connection.execute(select(SESSIONS.c.id).where(SESSIONS.c.id == session_id)).first():
            raise StateRefused(
                f"the session {session_id} is here already.",
                remedy="Analyse it as it is, or import into another database.",
            )
        now = store.now()
        add_session(connection, session_id, data.spec, len(items), now)
        closed = {"state": "closed", "imported": True, "closed_at": now}
        connection.execute(SESSIONS.update().where(SESSIONS.c.id == session_id).values(**closed))
        add_items(connection, session_id, items)
        for table, rows in (
            (RATERS, _raters(data, session_id, now)),
            (ASSIGNMENTS, _assignments(data, session_id)),
            (SUBMISSIONS, _submissions(data, session_id, now)),
        ):
            if rows:
                connection.execute(table.insert(), rows)
        note(connection, session_id, now, "imported")

    store.database.write(work)
    return find_session(store, session_id)


def _items(data: RatingData) -> list[RatingItem]:
    found: dict[int, RatingItem] = {}
    for row in data.rows:
        item = RatingItem(
            row.caption_index,
            row.query,
            row.ground_truth_image,
            row.retrieved_image,
            row.other_image,
            row.metrics,
        )
        if found.setdefault(row.item, item) != item:
            raise DataError(f"item {row.item} is described in two ways.")
    if sorted(found) != list(range(len(found))):
        raise DataError("the items are not numbered from 0 without gaps.")
    items = [found[n] for n in range(len(found))]
    check_items(items, data.spec.kind)
    return items


def _raters(data: RatingData, session_id: str, now: float) -> list[dict[str, Any]]:
    names = {row.rater: row.rater_name for row in data.rows if row.rater is not None}
    return [
        {
            "session_id": session_id,
            "rater": rater,
            "name": clean_comment(name)[:LONGEST_RATER_NAME],
            "name_key": f"imported {rater}",
            "joined_at": now,
        }
        for rater, name in sorted(names.items())
    ]


def _current(data: RatingData) -> Iterable[RatingRow]:
    return (row for row in data.rows if row.rater is not None and row.is_current)


def _assignments(data: RatingData, session_id: str) -> list[dict[str, Any]]:
    found, positions = [], set()
    for row in _current(data):
        if row.position is None or (row.rater, row.position) in positions:
            raise DataError(f"item {row.item}, rater {row.rater}: position missing or repeated.")
        positions.add((row.rater, row.position))
        found.append(
            {
                "session_id": session_id,
                "rater": row.rater,
                "item": row.item,
                "occurrence": row.occurrence,
                "position": row.position,
                "status": row.status,
                "flipped": row.other_on_left,
                "version": row.version,
                "reserved_until": 0.0,
                "shown_at": row.submitted_at or 0.0,
            }
        )
    return found


def _submissions(data: RatingData, session_id: str, now: float) -> list[dict[str, Any]]:
    first_seen: set[tuple[Any, ...]] = set()
    found = []
    for row in sorted(data.rows, key=lambda row: row.version):
        if row.status != "answered":
            continue
        place = (row.rater, row.item, row.occurrence)
        found.append(
            {
                "session_id": session_id,
                "rater": row.rater,
                "submission_id": f"imported {row.item} {row.occurrence} {row.version}",
                "item": row.item,
                "occurrence": row.occurrence,
                "version": row.version,
                "rating": row.rating,
                "preference": row.preference,
                "classes": list(row.classes),
                "comment": clean_comment(row.comment),
                "seconds": None if place in first_seen else row.seconds,
                "submitted_at": now if row.submitted_at is None else row.submitted_at,
            }
        )
        first_seen.add(place)
    return found
