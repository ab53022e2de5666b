"""What a code says before joining: the session's name and state, and no more tries than joining."""

from __future__ import annotations

import pytest
from rating_worlds import Clock, open_session
from sqlalchemy import func, select

from vlmexplain.ratings.access.codes import new_code
from vlmexplain.ratings.organiser.sessions import change_state
from vlmexplain.ratings.plan.refusals import TooManyAttempts, WrongCode
from vlmexplain.ratings.rater.joining import Invitation, invitation, join
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ratings.store.tables import RATERS, TICKETS


def test_a_code_says_name_and_state_and_leaves_no_trace(store: RatingStore) -> None:
    session = open_session(store)
    typed = session.code.lower().replace("-", " ")
    assert invitation(store, typed, "here") == Invitation(session.spec.name, "open")
    change_state(store, session.id, "closed")
    assert invitation(store, session.code, "here").state == "closed"
    for table in (RATERS, TICKETS):
        count = select(func.count()).select_from(table)
        assert store.database.read(lambda c, count=count: c.execute(count).scalar_one()) == 0


def test_wrong_codes_count_together_with_those_of_joining(store: RatingStore, clock: Clock) -> None:
    session = open_session(store)
    for n in range(5):
        with pytest.raises(WrongCode):
            if n % 2:
                join(store, new_code(), "Eve", "there")
            else:
                invitation(store, new_code(), "there")
    with pytest.raises(TooManyAttempts):
        invitation(store, session.code, "there")
    with pytest.raises(TooManyAttempts):
        join(store, session.code, "Eve", "there")
    assert invitation(store, session.code, "elsewhere").name == session.spec.name
    clock.forward(1.5)
    assert invitation(store, session.code, "there").name == session.spec.name
