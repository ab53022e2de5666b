"""How far a rater is, and how far the session; numbers only."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from vlmexplain.ratings.organiser.sessions import spec_of
from vlmexplain.ratings.rater.assignment import full_items
from vlmexplain.ratings.rater.joining import rater_of
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import ASSIGNMENTS, RATERS, SESSIONS


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts for a progress bar.

    Attributes:
        own_answered, own_skipped: the rater's own, repeated items included.
        own_total: what there is for this rater: own items, those still free, repeats to come.
        last_position_1based: the rater's newest position; 0 before the first item.
        skipped_positions: where the skipped items are, to go back to them.
        session_answers: answers of all raters, repeated items left out.
        session_wanted: how many are wanted; with no number of raters per item: of those who
            joined.
    """

    own_answered: int
    own_skipped: int
    own_total: int
    last_position_1based: int
    skipped_positions: tuple[int, ...]
    session_answers: int
    session_wanted: int


def progress_of(store: RatingStore, ticket: str) -> Progress:
    """How far the rater and the session are.

    Raises:
        WrongCode: the ticket is unknown.
    """
    now = store.now()

    def work(connection: Connection) -> Progress:
        who = rater_of(connection, ticket)
        session = connection.execute(select(SESSIONS).where(SESSIONS.c.id == who.session_id)).one()
        spec = spec_of(session)
        here = ASSIGNMENTS.c.session_id == who.session_id
        kept = ASSIGNMENTS.c.status != "released"
        own = connection.execute(
            select(ASSIGNMENTS)
            .where(here, kept, ASSIGNMENTS.c.rater == who.rater)
            .order_by(ASSIGNMENTS.c.position)
        ).all()
        full = full_items(connection, spec, who, now)
        first = {row.item for row in own if row.occurrence == 0}
        n_repeats = len(own) - len(first)
        n_free = session.n_items - len(first | full)
        repeats = max(n_repeats, min(spec.repeats, len(first) + n_free))
        all_answers = select(func.count()).where(
            here, ASSIGNMENTS.c.occurrence == 0, ASSIGNMENTS.c.version > 0
        )
        raters = select(func.count()).where(RATERS.c.session_id == who.session_id)
        each = spec.raters_per_item or connection.execute(raters).scalar_one()
        skipped = [row.position for row in own if row.status == "skipped"]
        return Progress(
            own_answered=sum(row.version > 0 for row in own),
            own_skipped=len(skipped),
            own_total=len(first) + n_free + repeats,
            last_position_1based=max((row.position for row in own), default=0),
            skipped_positions=tuple(skipped),
            session_answers=connection.execute(all_answers).scalar_one(),
            session_wanted=session.n_items * each,
        )

    return store.database.read(work)
