"""Answers: submitted once however often they are sent, edited with their history, drafted."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from vlmexplain.errors import DataError
from vlmexplain.ratings.organiser.sessions import locked_session, spec_of
from vlmexplain.ratings.plan.answer import Answer, checked_answer, checked_draft
from vlmexplain.ratings.plan.names import clean_comment
from vlmexplain.ratings.plan.refusals import EditConflict, SessionNotOpen
from vlmexplain.ratings.plan.spec import MOST
from vlmexplain.ratings.rater.assignment import update_assignment
from vlmexplain.ratings.rater.joining import rater_of
from vlmexplain.ratings.rater.shown import answer_of, current_answer, own_assignment, same_place
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import DRAFTS, ITEMS, SUBMISSIONS

LONGEST_SUBMISSION_ID = 64
LONGEST_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Receipt:
    """An answer is durably written; only now may the page say so.

    Attributes:
        item, occurrence: what was answered.
        version: 1 for the first answer, one more for each edit.
        submitted_at: seconds since 1970, UTC.
        repeated: it had been written before; nothing was written now.
        ground_truth_image: gallery index, when it may be seen now.
    """

    item: int
    occurrence: int
    version: int
    submitted_at: float
    repeated: bool
    ground_truth_image: int | None


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """One version of an answer."""

    version: int
    answer: Answer
    submitted_at: float


def new_submission_id() -> str:
    """An id for one press of Submit: made when the form is shown, sent again with every retry."""
    return uuid.uuid4().hex


def submit(
    store: RatingStore,
    ticket: str,
    item: int,
    occurrence: int,
    answer: Answer,
    submission_id: str,
    expected_version: int = 0,
    seconds: float | None = None,
) -> Receipt:
    """Write an answer, or an edit of one; durable when this returns.

    Sending the same submission again (double click, retry, lost connection) writes nothing and
    gives the same receipt, even after the session was closed. So does the same answer from
    another tab. Whatever raised `StoreError` can be sent again as it is.

    Args:
        item, occurrence: from the `ShownItem`.
        submission_id: from `new_submission_id`, 1 to 64 characters.
        expected_version: the `ShownItem`'s version; 0 for a first answer.
        seconds: for how long the item was looked at, as the page measured; None: since it was
            handed out or the rater came back.

    Raises:
        EditConflict: another tab wrote something else meanwhile; carries that answer.
        SessionNotOpen: the session takes no answers now.
        DataError, UnknownName: not an answer to this session's questions.
        WrongCode: the ticket is unknown.
        StoreError: not written, or not known to be.
    """
    storable = clean_comment(submission_id) == submission_id
    if not (1 <= len(submission_id) <= LONGEST_SUBMISSION_ID and storable):
        raise DataError("the submission id is not 1 to 64 characters of text.")
    if seconds is not None and not 0 <= seconds <= LONGEST_SECONDS:
        seconds = None  # a clock that jumped is no measurement

    def work(connection: Connection) -> Receipt:
        who = rater_of(connection, ticket)
        session = locked_session(connection, who.session_id, share=True)
        own = own_assignment(connection, who, item, occurrence)
        spec = spec_of(session)
        earlier = _earlier(connection, who, submission_id)
        if earlier is not None:
            _refuse_other_content(earlier, own, answer)
            return _receipt(connection, spec.ground_truth, earlier, repeated=True)
        if session.state != "open":
            raise SessionNotOpen(session.name, session.state)
        given = checked_answer(answer, spec)
        if own.version != expected_version:
            in_force = current_answer(connection, own)
            if in_force is None:
                raise DataError("there is no answer to edit.", remedy="Reload the page.")
            if in_force != given:
                raise EditConflict(in_force, own.version)
            return _receipt(connection, spec.ground_truth, _newest(connection, own), repeated=True)
        row = _write(connection, own, given, submission_id, store.now(), seconds)
        return _receipt(connection, spec.ground_truth, row, repeated=False)

    return store.database.write(work)


def save_draft(store: RatingStore, ticket: str, item: int, occurrence: int, draft: Answer) -> float:
    """Keep what was begun, in place of an earlier draft; returns when it was kept.

    An item with a draft stays reserved for its rater.

    Raises:
        SessionNotOpen, DataError, UnknownName, WrongCode, StoreError: as `submit`.
    """

    def work(connection: Connection) -> float:
        who = rater_of(connection, ticket)
        session = locked_session(connection, who.session_id, share=True)
        if session.state != "open":
            raise SessionNotOpen(session.name, session.state)
        own = own_assignment(connection, who, item, occurrence)
        spec, now = spec_of(session), store.now()
        values = _values(checked_draft(draft, spec))
        connection.execute(DRAFTS.delete().where(*same_place(DRAFTS, own)))
        connection.execute(DRAFTS.insert().values(**_place(own), **values, saved_at=now))
        update_assignment(connection, own, reserved_until=now + spec.reservation_s)
        return now

    return store.database.write(work)


def own_history(
    store: RatingStore, ticket: str, item: int, occurrence: int = 0
) -> tuple[PastAnswer, ...]:
    """All versions of the rater's own answer, the first first."""

    def work(connection: Connection) -> tuple[PastAnswer, ...]:
        who = rater_of(connection, ticket)
        if max(abs(item), abs(occurrence)) > MOST:
            return ()
        query = (
            select(SUBMISSIONS)
            .where(
                SUBMISSIONS.c.session_id == who.session_id,
                SUBMISSIONS.c.rater == who.rater,
                SUBMISSIONS.c.item == item,
                SUBMISSIONS.c.occurrence == occurrence,
            )
            .order_by(SUBMISSIONS.c.version)
        )
        return tuple(
            PastAnswer(row.version, answer_of(row), row.submitted_at)
            for row in connection.execute(query)
        )

    return store.database.read(work)


def _write(
    connection: Connection,
    own: Row[Any],
    answer: Answer,
    submission_id: str,
    now: float,
    seconds: float | None,
) -> Row[Any]:
    if seconds is None and not own.version and now >= own.shown_at:
        seconds = now - own.shown_at
    version = own.version + 1
    connection.execute(
        SUBMISSIONS.insert().values(
            **_place(own),
            **_values(answer),
            submission_id=submission_id,
            version=version,
            seconds=seconds,
            submitted_at=now,
        )
    )
    update_assignment(connection, own, status="answered", version=version)
    connection.execute(DRAFTS.delete().where(*same_place(DRAFTS, own)))
    query = select(SUBMISSIONS).where(
        *same_place(SUBMISSIONS, own), SUBMISSIONS.c.version == version
    )
    return connection.execute(query).one()


def _earlier(connection: Connection, who: Row[Any], submission_id: str) -> Row[Any] | None:
    query = select(SUBMISSIONS).where(
        SUBMISSIONS.c.session_id == who.session_id,
        SUBMISSIONS.c.rater == who.rater,
        SUBMISSIONS.c.submission_id == submission_id,
    )
    return connection.execute(query).first()


def _newest(connection: Connection, own: Row[Any]) -> Row[Any]:
    query = select(SUBMISSIONS).where(
        *same_place(SUBMISSIONS, own), SUBMISSIONS.c.version == own.version
    )
    return connection.execute(query).one()


def _refuse_other_content(earlier: Row[Any], own: Row[Any], answer: Answer) -> None:
    same_item = (earlier.item, earlier.occurrence) == (own.item, own.occurrence)
    kept = answer_of(earlier)
    same = kept.rating == answer.rating and kept.preference == answer.preference
    same = same and kept.comment == clean_comment(answer.comment)
    if not (same_item and same and set(kept.classes) == set(answer.classes)):
        raise DataError(
            "this submission id was used for another answer.",
            remedy="Make a new id for each answer.",
        )


def _receipt(connection: Connection, ground_truth: str, row: Row[Any], repeated: bool) -> Receipt:
    image = None
    if ground_truth != "hidden":
        image = connection.execute(
            select(ITEMS.c.ground_truth_image).where(
                ITEMS.c.session_id == row.session_id, ITEMS.c.item == row.item
            )
        ).scalar_one()
    return Receipt(row.item, row.occurrence, row.version, row.submitted_at, repeated, image)


def _place(own: Row[Any]) -> dict[str, Any]:
    return {name: getattr(own, name) for name in ("session_id", "rater", "item", "occurrence")}


def _values(answer: Answer) -> dict[str, Any]:
    return {
        "rating": answer.rating,
        "preference": answer.preference,
        "classes": list(answer.classes),
        "comment": answer.comment,
    }
