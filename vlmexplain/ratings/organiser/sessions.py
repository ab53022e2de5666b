"""Sessions as the organiser sees them: make, open, pause, close, edit classes, reveal."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from vlmexplain.errors import UnknownName
from vlmexplain.ratings.access.codes import digest, new_code
from vlmexplain.ratings.organiser.state import State, check_move
from vlmexplain.ratings.plan.classes import FailureClass, check_classes
from vlmexplain.ratings.plan.document import from_document, to_document
from vlmexplain.ratings.plan.items import RatingItem, check_items
from vlmexplain.ratings.plan.names import clean_comment
from vlmexplain.ratings.plan.refusals import StateRefused
from vlmexplain.ratings.plan.spec import SessionSpec, check_spec
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import (
    ASSIGNMENTS,
    EVENTS,
    ITEMS,
    RATERS,
    SESSIONS,
    SUBMISSIONS,
)


@dataclass(frozen=True, slots=True)
class Session:
    """A session and how far it is; for the organiser only.

    Attributes:
        id: names it in commands and addresses.
        code: what raters join with.
        state: draft, open, paused or closed.
        spec: its questions.
        n_items, n_raters: how many there are.
        n_answers: current answers, repeated items included.
        n_first_answers: current answers without the repeated ones.
        revealed: raters may see the results.
        imported: it came from an export and takes no answers.
        created_at, opened_at, closed_at: seconds since 1970, UTC; opened_at of the first time.
    """

    id: str
    code: str
    state: State
    spec: SessionSpec
    n_items: int
    n_raters: int
    n_answers: int
    n_first_answers: int
    revealed: bool
    imported: bool
    created_at: float
    opened_at: float | None
    closed_at: float | None


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """Something the organiser did to a session, at ``at`` seconds since 1970."""

    at: float
    what: str
    detail: Any


def create_session(store: RatingStore, spec: SessionSpec, items: Sequence[RatingItem]) -> Session:
    """Keep a new session as a draft.

    Raises:
        DataError, UnknownName: the questions or items could not be held; see `check_spec`,
            `check_items`.
        StoreError: the database cannot be written.
    """
    check_spec(spec)
    check_items(items, spec.kind)
    session_id = secrets.token_hex(6)

    def work(connection: Connection) -> None:
        add_session(connection, session_id, spec, len(items), store.now())
        add_items(connection, session_id, items)
        note(connection, session_id, store.now(), "created")

    store.database.write(work)
    return find_session(store, session_id)


def change_questions(
    store: RatingStore, session_id: str, spec: SessionSpec, items: Sequence[RatingItem]
) -> Session:
    """Replace the questions and items of a draft.

    Raises:
        StateRefused: the session was opened before.
        DataError, UnknownName, StoreError: as `create_session`.
    """
    check_spec(spec)
    check_items(items, spec.kind)

    def work(connection: Connection) -> None:
        row = locked_session(connection, session_id)
        if row.state != "draft":
            raise StateRefused(
                f"the questions of {row.name!r} cannot change, it was opened before.",
                remedy="Make a new session; classes can be edited until the first answer.",
            )
        connection.execute(ITEMS.delete().where(ITEMS.c.session_id == session_id))
        add_items(connection, session_id, items)
        _update(connection, session_id, name=spec.name, spec=to_document(spec), n_items=len(items))
        note(connection, session_id, store.now(), "questions changed")

    store.database.write(work)
    return find_session(store, session_id)


def change_state(store: RatingStore, session_id: str, wanted: State) -> Session:
    """Open, pause or close a session.

    Raises:
        UnknownName: there is no such session.
        StateRefused: it cannot go there from where it is; see `state.MOVES`.
    """

    def work(connection: Connection) -> None:
        row = locked_session(connection, session_id)
        check_move(row.name, row.state, wanted)
        now = store.now()
        changes: dict[str, Any] = {"state": wanted}
        if wanted == "open" and row.opened_at is None:
            changes["opened_at"] = now
        if wanted == "closed":
            changes["closed_at"] = now
        _update(connection, session_id, **changes)
        note(connection, session_id, now, wanted, {"from": row.state})

    store.database.write(work)
    return find_session(store, session_id)


def edit_classes(store: RatingStore, session_id: str, classes: Sequence[FailureClass]) -> Session:
    """Replace the failure classes; possible until the first answer, even in an open session.

    Raises:
        StateRefused: there is an answer, or the session is closed.
        DataError: the classes could not be told apart.
    """
    check_classes(classes)

    def work(connection: Connection) -> None:
        row = locked_session(connection, session_id)
        answered = select(SUBMISSIONS.c.item).where(SUBMISSIONS.c.session_id == session_id)
        if row.state == "closed" or connection.execute(answered.limit(1)).first():
            raise StateRefused(
                f"the classes of {row.name!r} cannot change after the first answer.",
                remedy="Make a new session.",
            )
        spec = replace(spec_of(row), classes=tuple(classes))
        _update(connection, session_id, spec=to_document(spec))
        note(connection, session_id, store.now(), "classes changed", list(spec.class_keys()))

    store.database.write(work)
    return find_session(store, session_id)


def set_revealed(store: RatingStore, session_id: str, revealed: bool) -> Session:
    """Let raters see the results, or no longer."""

    def work(connection: Connection) -> None:
        locked_session(connection, session_id)
        _update(connection, session_id, revealed=revealed)
        note(connection, session_id, store.now(), "revealed" if revealed else "hidden")

    store.database.write(work)
    return find_session(store, session_id)


def find_session(store: RatingStore, session_id: str) -> Session:
    """A session by its id, or by the start of it when that is enough.

    Raises:
        UnknownName: there is none, or more than one.
    """
    sessions = list_sessions(store)
    found = [one for one in sessions if one.id == session_id] or [
        one for one in sessions if session_id and one.id.startswith(session_id)
    ]
    if len(found) != 1:
        raise UnknownName("rating session", session_id, [one.id for one in sessions])
    return found[0]


def list_sessions(store: RatingStore) -> tuple[Session, ...]:
    """All sessions, the newest first."""

    def work(connection: Connection) -> tuple[Session, ...]:
        raters = _counts(connection, select(RATERS.c.session_id, func.count()))
        answers = select(ASSIGNMENTS.c.session_id, func.count()).where(ASSIGNMENTS.c.version > 0)
        n_answers = _counts(connection, answers)
        n_first = _counts(connection, answers.where(ASSIGNMENTS.c.occurrence == 0))
        order = (SESSIONS.c.created_at.desc(), SESSIONS.c.id)
        return tuple(
            Session(
                id=row.id,
                code=row.code,
                state=row.state,
                spec=spec_of(row),
                n_items=row.n_items,
                n_raters=raters.get(row.id, 0),
                n_answers=n_answers.get(row.id, 0),
                n_first_answers=n_first.get(row.id, 0),
                revealed=row.revealed,
                imported=row.imported,
                created_at=row.created_at,
                opened_at=row.opened_at,
                closed_at=row.closed_at,
            )
            for row in connection.execute(select(SESSIONS).order_by(*order))
        )

    return store.database.read(work)


def items_of(store: RatingStore, session_id: str) -> tuple[RatingItem, ...]:
    """The items of a session with their metrics, in order; for the organiser only."""
    query = select(ITEMS).where(ITEMS.c.session_id == session_id).order_by(ITEMS.c.item)
    rows = store.database.read(lambda connection: connection.execute(query).all())
    return tuple(item_of(row) for row in rows)


def events_of(store: RatingStore, session_id: str) -> tuple[SessionEvent, ...]:
    """What was done to a session, in order."""
    query = select(EVENTS).where(EVENTS.c.session_id == session_id).order_by(EVENTS.c.id)
    rows = store.database.read(lambda connection: connection.execute(query).all())
    return tuple(SessionEvent(row.at, row.what, row.detail) for row in rows)


def delete_session(store: RatingStore, session_id: str) -> None:
    """Remove a session that has no answers.

    Raises:
        StateRefused: it has answers, which are never thrown away here.
        UnknownName: there is no such session.
    """

    def work(connection: Connection) -> None:
        row = locked_session(connection, session_id)
        answered = select(SUBMISSIONS.c.item).where(SUBMISSIONS.c.session_id == session_id)
        if connection.execute(answered.limit(1)).first() and not row.imported:
            raise StateRefused(
                f"{row.name!r} has answers and is not deleted.", remedy="Close it instead."
            )
        connection.execute(SESSIONS.delete().where(SESSIONS.c.id == session_id))

    store.database.write(work)


def session_row(connection: Connection, session_id: str) -> Row[Any]:
    """The session's row.

    Raises:
        UnknownName: there is no such session.
    """
    return _row(connection, session_id, select(SESSIONS))


def locked_session(connection: Connection, session_id: str, share: bool = False) -> Row[Any]:
    """The session's row, held until the transaction ends: against changes, or against all.

    Raises:
        UnknownName: there is no such session.
    """
    query = select(SESSIONS)
    return _row(
        connection,
        session_id,
        query.with_for_update(read=True) if share else query.with_for_update(key_share=True),
    )


def _row(connection: Connection, session_id: str, query: Select[Any]) -> Row[Any]:
    row = connection.execute(query.where(SESSIONS.c.id == session_id)).first()
    if row is None:
        known = connection.execute(select(SESSIONS.c.id)).scalars().all()
        raise UnknownName("rating session", session_id, known)
    return row


def spec_of(row: Row[Any]) -> SessionSpec:
    """The questions in a session's row."""
    return _spec(row.id, json.dumps(row.spec))


@lru_cache(maxsize=64)
def _spec(session_id: str, document: str) -> SessionSpec:
    # each call of a rater reads the questions several times, and checking them takes a while
    found: Mapping[str, Any] = json.loads(document)
    return from_document(SessionSpec, found, f"rating session {session_id}")


def item_of(row: Row[Any]) -> RatingItem:
    """The item in an item's row."""
    return RatingItem(
        row.caption_index,
        row.query,
        row.ground_truth_image,
        row.retrieved_image,
        row.other_image,
        row.metrics,
    )


def add_session(
    connection: Connection, session_id: str, spec: SessionSpec, n_items: int, now: float
) -> None:
    """Write a draft's row under a new code."""
    code = new_code()
    connection.execute(
        SESSIONS.insert().values(
            id=session_id,
            code=code,
            code_digest=digest(code.replace("-", "")),
            name=spec.name,
            state="draft",
            spec=to_document(spec),
            n_items=n_items,
            revealed=False,
            imported=False,
            created_at=now,
        )
    )


def add_items(connection: Connection, session_id: str, items: Sequence[RatingItem]) -> None:
    """Write the items' rows."""
    connection.execute(
        ITEMS.insert(),
        [
            {"session_id": session_id, "item": n}
            | to_document(item)
            | {"query": clean_comment(item.query)}
            for n, item in enumerate(items)
        ],
    )


def note(connection: Connection, session_id: str, at: float, what: str, detail: Any = None) -> None:
    """Write down what was done to a session."""
    connection.execute(
        EVENTS.insert().values(session_id=session_id, at=at, what=what, detail=detail)
    )


def _update(connection: Connection, session_id: str, **changes: Any) -> None:
    connection.execute(SESSIONS.update().where(SESSIONS.c.id == session_id).values(**changes))


def _counts(connection: Connection, query: Any) -> dict[str, int]:
    rows = connection.execute(query.group_by(query.selected_columns.session_id))
    return {row[0]: row[1] for row in rows}
