"""Progress for the organiser, against counts made from the rows one by one."""

from __future__ import annotations

import random

from rating_worlds import Clock, answer_next, next_item, open_session, ticket

from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import change_state, set_revealed
from vlmexplain.ratings.organiser.watch import revision, watch_session
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.rater.answers import new_submission_id, submit
from vlmexplain.ratings.rater.assignment import current, skip
from vlmexplain.ratings.store.store import RatingStore


def test_counts_by_rater_and_item(store: RatingStore, clock: Clock) -> None:
    session = open_session(store, n=7, repeats=2, repeat_gap=1)
    rng = random.Random(4)
    names = ["Anna", "<b>Bò</b>", "Anna 2"]
    who = {name: ticket(store, session, name) for name in names}
    for _ in range(30):
        name = rng.choice(names)
        clock.forward(10)
        turn = current(store, who[name])
        if turn.item is None:
            continue
        if rng.random() < 0.2:
            skip(store, who[name], turn.item.item, turn.item.occurrence)
        else:
            answer_next(store, who[name], rating=rng.randint(1, 10))
    rows = session_data(store, session.id).rows
    found = watch_session(store, session.id)
    assert [one.name for one in found.raters] == names
    for one in found.raters:
        mine = [row for row in rows if row.rater == one.rater]
        answered = [row for row in mine if row.status == "answered"]
        assert one.n_answers == sum(row.occurrence == 0 for row in answered)
        assert one.n_repeated == sum(row.occurrence == 1 for row in answered)
        assert one.n_skipped == sum(row.status == "skipped" for row in mine)
        assert one.last_at == max((row.submitted_at for row in answered), default=None)
    assert sum(one.n_repeated for one in found.raters) > 0
    for item in found.items:
        here = [row for row in rows if row.item == item.item and row.occurrence == 0]
        assert item.query == f"query {item.item}"
        assert item.n_answers == sum(row.status == "answered" for row in here)
        assert item.n_skipped == sum(row.status == "skipped" for row in here)
    assert found.n_answers == sum(one.n_answers for one in found.raters)
    assert found.wanted_per_item == len(names)
    assert found.n_items_done == sum(item.n_answers >= len(names) for item in found.items)


def test_an_item_before_a_rater_counts_until_its_time_is_over(
    store: RatingStore, clock: Clock
) -> None:
    session = open_session(store, n=3, raters_per_item=2, reservation_s=60)
    assert watch_session(store, session.id).n_items_done == 0
    anna = ticket(store, session, "Anna")
    shown = next_item(store, anna)
    assert sum(item.n_reserved for item in watch_session(store, session.id).items) == 1
    clock.forward(61)
    assert sum(item.n_reserved for item in watch_session(store, session.id).items) == 0
    answer_next(store, anna)
    assert watch_session(store, session.id).items[shown.item].n_reserved == 0
    assert watch_session(store, session.id).wanted_per_item == 2


def test_a_revision_changes_with_all_that_an_analysis_rests_on(store: RatingStore) -> None:
    session = open_session(store, n=3)
    seen = {revision(store, session.id)}
    anna = ticket(store, session, "Anna")
    shown = next_item(store, anna)
    assert revision(store, session.id) in seen, "nothing was answered yet"

    def changed() -> bool:
        before = len(seen)
        seen.add(revision(store, session.id))
        return len(seen) > before

    answer_next(store, anna, rating=3)
    assert changed()
    submit(store, anna, shown.item, 0, Answer(rating=9), new_submission_id(), expected_version=1)
    assert changed()
    other = next_item(store, anna)
    skip(store, anna, other.item, 0)
    assert changed()
    set_revealed(store, session.id, True)
    assert changed()
    change_state(store, session.id, "paused")
    assert changed()
