"""Items handed out to raters: reserved, resumed at the same one, skipped, looked back at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from vlmexplain.ratings.organiser.sessions import locked_session, spec_of
from vlmexplain.ratings.plan.order import Held, Occurrence, is_flipped, next_occurrence
from vlmexplain.ratings.plan.refusals import SessionNotOpen, StateRefused
from vlmexplain.ratings.plan.spec import MOST, SessionSpec
from vlmexplain.ratings.rater.joining import rater_of
from vlmexplain.ratings.rater.shown import ShownItem, own_assignment, shown_item
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ASSIGNMENTS, DRAFTS, ITEMS, SESSIONS

__all__ = ["ShownItem", "Turn", "at_position", "current", "skip", "upcoming_images"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a rater does now.

    Attributes:
        item: what to answer; None when nothing is left for this rater at this moment.
        n_waiting: items that others hold and may yet give back; 0 when the rater is done.
    """

    item: ShownItem | None
    n_waiting: int


def current(store: RatingStore, ticket: str) -> Turn:
    """The item to answer: the one begun before, on whatever device, else the next one.

    The item is reserved for the rater for the session's ``reservation_s``; looking at it or
    saving a draft reserves it anew. A reservation that ran out gives the place to others, unless
    there is a draft.

    Raises:
        SessionNotOpen: the session takes no answers now.
        WrongCode: the ticket is unknown.
    """
    now = store.now()

    def look(connection: Connection) -> ShownItem | None:
        """The begun item when nothing has to be written."""
        who = rater_of(connection, ticket)
        session = connection.execute(select(SESSIONS).where(SESSIONS.c.id == who.session_id)).one()
        _refuse_unless_open(session)
        begun, spec = _begun(connection, who), spec_of(session)
        if begun is None or begun.reserved_until < now + spec.reservation_s / 2:
            return None
        return shown_item(connection, spec, begun)

    def take(connection: Connection) -> Turn:
        who = rater_of(connection, ticket)
        session = locked_session(connection, who.session_id)
        _refuse_unless_open(session)
        spec = spec_of(session)
        full = full_items(connection, spec, who, now)
        begun = _keep_or_release(connection, spec, who, full, now)
        if begun is None:
            held = _held(connection, who)
            wanted = next_occurrence(spec, session.n_items, who.rater, held, full)
            if wanted is None:
                return Turn(None, _waiting(connection, spec, who, full, held))
            begun = _reserve(connection, spec, who, wanted, now)
        return Turn(shown_item(connection, spec, begun), 0)

    item = store.database.read(look)
    if item is not None:
        return Turn(item, 0)
    return store.database.write(take)  # durable: an answer without it would be refused


def skip(store: RatingStore, ticket: str, item: int, occurrence: int = 0) -> None:
    """Leave an item; its place is given to others. Doing it twice is doing it once.

    A skipped item can still be answered: find it again by its position.

    Raises:
        SessionNotOpen: the session takes no answers now.
        StateRefused: the item has an answer.
        DataError: it was not handed to this rater.
    """

    def work(connection: Connection) -> None:
        who = rater_of(connection, ticket)
        _refuse_unless_open(locked_session(connection, who.session_id, share=True))
        own = own_assignment(connection, who, item, occurrence)
        if own.version:
            raise StateRefused("this item has an answer.", remedy="Edit the answer instead.")
        update_assignment(connection, own, status="skipped")

    store.database.write(work)


def at_position(store: RatingStore, ticket: str, position_1based: int) -> ShownItem | None:
    """What the rater saw at a position of their own; None where there is nothing.

    Works in a paused or closed session too: raters may always read what they answered.
    """

    def work(connection: Connection) -> ShownItem | None:
        who = rater_of(connection, ticket)
        query = _own(who).where(
            ASSIGNMENTS.c.position == position_1based, ASSIGNMENTS.c.status != "released"
        )
        row = connection.execute(query).first() if abs(position_1based) <= MOST else None
        session = connection.execute(select(SESSIONS).where(SESSIONS.c.id == who.session_id)).one()
        return None if row is None else shown_item(connection, spec_of(session), row)

    return store.database.read(work)


def upcoming_images(store: RatingStore, ticket: str) -> tuple[int, ...]:
    """Gallery indices of the pictures that most likely come next, to load them beforehand.

    Nothing is reserved. The ground truth's is among them only when it will be shown.
    """
    now = store.now()

    def work(connection: Connection) -> tuple[int, ...]:
        who = rater_of(connection, ticket)
        session = connection.execute(select(SESSIONS).where(SESSIONS.c.id == who.session_id)).one()
        spec = spec_of(session)
        full = full_items(connection, spec, who, now)
        held = _held(connection, who)
        wanted = next_occurrence(spec, session.n_items, who.rater, held, full)
        if wanted is None:
            return ()
        row = connection.execute(
            select(ITEMS).where(ITEMS.c.session_id == who.session_id, ITEMS.c.item == wanted[0])
        ).one()
        images = (row.retrieved_image, row.other_image)
        truth = row.ground_truth_image if spec.ground_truth == "shown" else None
        return tuple(image for image in (*images, truth) if image is not None)

    return store.database.read(work)


def update_assignment(connection: Connection, own: Row[Any], **changes: Any) -> None:
    """Change an assignment's row."""
    key = ASSIGNMENTS.primary_key.columns
    same = [column == getattr(own, column.name) for column in key]
    connection.execute(ASSIGNMENTS.update().where(*same).values(**changes))


def _refuse_unless_open(session: Row[Any]) -> None:
    if session.state != "open":
        raise SessionNotOpen(session.name, session.state)


def _own(who: Row[Any]) -> Any:
    return select(ASSIGNMENTS).where(
        ASSIGNMENTS.c.session_id == who.session_id, ASSIGNMENTS.c.rater == who.rater
    )


def _begun(connection: Connection, who: Row[Any]) -> Row[Any] | None:
    query = _own(who).where(ASSIGNMENTS.c.status == "open").order_by(ASSIGNMENTS.c.position)
    return connection.execute(query).first()


def _held(connection: Connection, who: Row[Any]) -> dict[Occurrence, Held]:
    rows = connection.execute(_own(who).where(ASSIGNMENTS.c.status != "released"))
    return {(row.item, row.occurrence): Held(row.position, row.version > 0) for row in rows}


def full_items(
    connection: Connection, spec: SessionSpec, who: Row[Any], now: float
) -> frozenset[int]:
    """Items that have, or will have, the wanted number of other raters."""
    if spec.raters_per_item is None:
        return frozenset()
    taken = (ASSIGNMENTS.c.status == "answered") | (
        (ASSIGNMENTS.c.status == "open") & (ASSIGNMENTS.c.reserved_until > now)
    )
    query = (
        select(ASSIGNMENTS.c.item)
        .where(
            ASSIGNMENTS.c.session_id == who.session_id,
            ASSIGNMENTS.c.occurrence == 0,
            ASSIGNMENTS.c.rater != who.rater,
            taken,
        )
        .group_by(ASSIGNMENTS.c.item)
        .having(func.count() >= spec.raters_per_item)
    )
    return frozenset(connection.execute(query).scalars())


def _keep_or_release(
    connection: Connection, spec: SessionSpec, who: Row[Any], full: frozenset[int], now: float
) -> Row[Any] | None:
    """The begun item with its reservation renewed; given back when others took its place."""
    while (begun := _begun(connection, who)) is not None:
        lost = begun.reserved_until <= now and begun.occurrence == 0 and begun.item in full
        if not lost or _has_draft(connection, begun):
            changes: dict[str, Any] = {"reserved_until": now + spec.reservation_s}
            if begun.reserved_until <= now:
                changes["shown_at"] = now
            update_assignment(connection, begun, **changes)
            return begun
        update_assignment(connection, begun, status="released")
    return None


def _has_draft(connection: Connection, own: Row[Any]) -> bool:
    same = [column == getattr(own, column.name) for column in DRAFTS.primary_key.columns]
    return connection.execute(select(DRAFTS.c.item).where(*same)).first() is not None


def _reserve(
    connection: Connection, spec: SessionSpec, who: Row[Any], wanted: Occurrence, now: float
) -> Row[Any]:
    item, occurrence = wanted
    mine = (ASSIGNMENTS.c.session_id == who.session_id, ASSIGNMENTS.c.rater == who.rater)
    place = (ASSIGNMENTS.c.item == item, ASSIGNMENTS.c.occurrence == occurrence)
    # What was given back before is taken up anew, at a new position.
    connection.execute(
        ASSIGNMENTS.delete().where(*mine, *place, ASSIGNMENTS.c.status == "released")
    )
    newest = connection.execute(select(func.max(ASSIGNMENTS.c.position)).where(*mine)).scalar()
    connection.execute(
        ASSIGNMENTS.insert().values(
            session_id=who.session_id,
            rater=who.rater,
            item=item,
            occurrence=occurrence,
            position=(newest or 0) + 1,
            status="open",
            flipped=spec.kind == "choice" and is_flipped(spec.seed, who.rater, item, occurrence),
            version=0,
            reserved_until=now + spec.reservation_s,
            shown_at=now,
        )
    )
    return connection.execute(_own(who).where(*place)).one()


def _waiting(
    connection: Connection,
    spec: SessionSpec,
    who: Row[Any],
    full: frozenset[int],
    held: dict[Occurrence, Held],
) -> int:
    """Full items, not the rater's own, of which some places are reserved and not yet answered."""
    answered = (
        select(ASSIGNMENTS.c.item)
        .where(
            ASSIGNMENTS.c.session_id == who.session_id,
            ASSIGNMENTS.c.occurrence == 0,
            ASSIGNMENTS.c.status == "answered",
        )
        .group_by(ASSIGNMENTS.c.item)
        .having(func.count() >= (spec.raters_per_item or 0))
    )
    done = set(connection.execute(answered).scalars()) if full else set()
    return sum(item not in done and (item, 0) not in held for item in full)
