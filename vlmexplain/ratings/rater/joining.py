"""Raters join by a session's code and a name, and come back by the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from vlmexplain.ratings.access.attempts import check_attempts, note_failure
from vlmexplain.ratings.access.codes import digest, new_token, plain_code, same_secret
from vlmexplain.ratings.organiser.sessions import locked_session, spec_of
from vlmexplain.ratings.organiser.state import State
from vlmexplain.ratings.plan.names import name_key, rater_name
from vlmexplain.ratings.plan.refusals import SessionNotOpen, WrongCode
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ASSIGNMENTS, RATERS, SESSIONS, TICKETS


@dataclass(frozen=True, slots=True)
class Joined:
    """A rater who is let in.

    Attributes:
        ticket: unguessable; every other call needs it. Each device has its own.
        name: as the rater first typed it.
        returning: the name has been here before; the page asks "is that you?" and says how many
            answers there are, so that two people do not share one name by accident.
        n_answers: current answers of this rater.
    """

    ticket: str
    name: str
    returning: bool
    n_answers: int


@dataclass(frozen=True, slots=True)
class Invitation:
    """What whoever holds a code may know before joining, and would see right after it.

    Attributes:
        name: the session's.
        state: draft, open, paused or closed.
    """

    name: str
    state: State


@dataclass(frozen=True, slots=True)
class RaterSession:
    """What a rater may know of a session: its questions, never its items, scores or answers.

    Attributes:
        spec: the questions and guidelines.
        state: draft, open, paused or closed.
        n_items: how many items there are.
        revealed: the results may be seen, see `results.results_for_rater`.
        rater: the rater's number in the session, from 1.
        name: the rater's name.
    """

    spec: SessionSpec
    state: State
    n_items: int
    revealed: bool
    rater: int
    name: str


def join(store: RatingStore, code: str, name: str, source: str) -> Joined:
    """Let a rater in; the same name in the same session is the same rater.

    Args:
        code: as typed; capitals, dashes and spaces do not matter.
        name: any characters; see `names.rater_name`.
        source: where the try comes from (an address); wrong codes from there are slowed.

    Raises:
        WrongCode: no session has the code.
        TooManyAttempts: too many wrong codes from this source.
        SessionNotOpen: a draft; or closed, to new raters.
        DataError: the name is empty or too long.
    """
    check_attempts(store, f"join {source}")
    shown, key, token = rater_name(name), name_key(name), new_token()
    found = _session_by_code(store, code, source)

    def work(connection: Connection) -> Joined:
        session = locked_session(connection, found.id)
        known = connection.execute(
            select(RATERS).where(RATERS.c.session_id == session.id, RATERS.c.name_key == key)
        ).first()
        if session.state == "draft" or (session.state == "closed" and known is None):
            raise SessionNotOpen(session.name, session.state)
        now = store.now()
        rater = known.rater if known else _add_rater(connection, session.id, shown, key, now)
        connection.execute(
            TICKETS.insert().values(
                token_digest=digest(token), session_id=session.id, rater=rater, issued_at=now
            )
        )
        mine = (ASSIGNMENTS.c.session_id == session.id, ASSIGNMENTS.c.rater == rater)
        # Time per item does not run while nobody is there.
        connection.execute(
            ASSIGNMENTS.update().where(*mine, ASSIGNMENTS.c.status == "open").values(shown_at=now)
        )
        answered = select(func.count()).where(*mine, ASSIGNMENTS.c.version > 0)
        n_answers = connection.execute(answered).scalar_one()
        return Joined(token, known.name if known else shown, known is not None, n_answers)

    return store.database.write(work)


def invitation(store: RatingStore, code: str, source: str) -> Invitation:
    """Which session a code leads to, before anybody joins; a wrong one counts as a wrong try.

    Raises:
        WrongCode: no session has the code.
        TooManyAttempts: too many wrong codes from this source.
    """
    check_attempts(store, f"join {source}")
    found = _session_by_code(store, code, source)
    return Invitation(found.name, found.state)


def _session_by_code(store: RatingStore, code: str, source: str) -> Any:
    """The row (id, code, name, state); whoever asks has checked for earlier tries."""
    plain = plain_code(code)
    columns = (SESSIONS.c.id, SESSIONS.c.code, SESSIONS.c.name, SESSIONS.c.state)
    by_code = select(*columns).where(SESSIONS.c.code_digest == digest(plain))
    found = store.database.read(lambda connection: connection.execute(by_code).first())
    if found is None or not same_secret(plain, plain_code(found.code)):
        note_failure(store, f"join {source}")
        raise WrongCode(
            "no rating session has this code.", remedy="Check it; it has 16 letters and digits."
        )
    return found


def rater_session(store: RatingStore, ticket: str) -> RaterSession:
    """The session a ticket belongs to.

    Raises:
        WrongCode: the ticket is unknown.
    """

    def work(connection: Connection) -> RaterSession:
        who = rater_of(connection, ticket)
        query = select(SESSIONS).where(SESSIONS.c.id == who.session_id)
        row = connection.execute(query).one()
        return RaterSession(spec_of(row), row.state, row.n_items, row.revealed, who.rater, who.name)

    return store.database.read(work)


def rater_of(connection: Connection, ticket: str) -> Row[Any]:
    """The rater's row (session_id, rater, name) a ticket stands for.

    Raises:
        WrongCode: the ticket is unknown.
    """
    query = (
        select(RATERS)
        .join(
            TICKETS,
            (TICKETS.c.session_id == RATERS.c.session_id) & (TICKETS.c.rater == RATERS.c.rater),
        )
        .where(TICKETS.c.token_digest == digest(ticket))
    )
    row = connection.execute(query).first()
    if row is None:
        raise WrongCode("this ticket is not known.", remedy="Join again by code and name.")
    return row


def _add_rater(connection: Connection, session_id: str, name: str, key: str, now: float) -> int:
    newest = select(func.max(RATERS.c.rater)).where(RATERS.c.session_id == session_id)
    rater = (connection.execute(newest).scalar() or 0) + 1
    connection.execute(
        RATERS.insert().values(
            session_id=session_id, rater=rater, name=name, name_key=key, joined_at=now
        )
    )
    return int(rater)
