"""Results for raters, once the organiser has revealed them."""

from __future__ import annotations

from vlmexplain.ratings.analysis.analyse import Analysis, analyse
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.plan.refusals import NotRevealed
from vlmexplain.ratings.rater.joining import rater_of, rater_session
from vlmexplain.ratings.store.store import RatingStore


def results_for_rater(store: RatingStore, ticket: str) -> Analysis:
    """The analysis, without names and comments.

    Raises:
        NotRevealed: the organiser has not revealed the results.
        WrongCode: the ticket is unknown.
    """
    session = rater_session(store, ticket)
    if not session.revealed:
        raise NotRevealed(session.spec.name)
    who = store.database.read(lambda connection: rater_of(connection, ticket))
    return analyse(session_data(store, who.session_id, anonymous=True))
