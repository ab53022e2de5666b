"""Who gets which item: the wanted number of raters, reservations, order, repeats."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rating_worlds import Clock, answer_next, items, next_item, open_session, ticket

from vlmexplain.errors import UnknownName
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.order import Held, next_occurrence, preference_order
from vlmexplain.ratings.plan.sampling import sample_items
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.rater.answers import new_submission_id, save_draft, submit
from vlmexplain.ratings.rater.assignment import current, skip
from vlmexplain.ratings.rater.progress import progress_of
from vlmexplain.ratings.store.store import RatingStore, open_store
from vlmexplain.ratings.store.tables import ASSIGNMENTS


def raters_by_item(store: RatingStore) -> dict[int, int]:
    query = ASSIGNMENTS.select().where(ASSIGNMENTS.c.version > 0, ASSIGNMENTS.c.occurrence == 0)
    rows = store.database.read(lambda connection: connection.execute(query).all())
    return dict(Counter(row.item for row in rows))


def test_no_item_gets_more_raters_than_wanted(store: RatingStore) -> None:
    session = open_session(store, n=4, raters_per_item=2)
    tickets = [ticket(store, session, f"rater {n}") for n in range(4)]
    for _ in range(4):
        for who in tickets:
            if current(store, who).item is not None:
                answer_next(store, who)
    assert raters_by_item(store) == {0: 2, 1: 2, 2: 2, 3: 2}
    late = ticket(store, session, "late")
    turn = current(store, late)
    assert (turn.item, turn.n_waiting) == (None, 0)
    assert progress_of(store, late).own_total == 0
    assert progress_of(store, late).session_answers == progress_of(store, late).session_wanted == 8


def test_a_reserved_item_is_waited_for_then_given_away(store: RatingStore, clock: Clock) -> None:
    session = open_session(store, n=1, raters_per_item=1, reservation_s=600.0)
    anna, ben = (ticket(store, session, name) for name in ("Anna", "Ben"))
    held = next_item(store, anna)
    assert (current(store, ben).item, current(store, ben).n_waiting) == (None, 1)
    clock.forward(601)
    assert next_item(store, ben).item == held.item
    # Anna's page is still open: her answer is not thrown away.
    assert not submit(store, anna, held.item, 0, Answer(rating=4), "late").repeated
    submit(store, ben, held.item, 0, Answer(rating=5), "in time")
    assert raters_by_item(store) == {0: 2}


def test_an_expired_item_is_given_back_when_others_took_it(
    store: RatingStore, clock: Clock
) -> None:
    session = open_session(store, n=2, raters_per_item=1, reservation_s=600.0)
    anna, ben = (ticket(store, session, name) for name in ("Anna", "Ben"))
    held = next_item(store, anna)
    clock.forward(601)
    for _ in range(2):
        if current(store, ben).item is not None:
            answer_next(store, ben)
    turn = current(store, anna)
    assert turn.item is None and turn.n_waiting == 0
    assert raters_by_item(store) == {0: 1, 1: 1}
    assert submit(store, anna, held.item, 0, Answer(rating=4), "from an old page").version == 1


def test_a_draft_keeps_the_item(store: RatingStore, clock: Clock) -> None:
    session = open_session(store, n=1, raters_per_item=1, reservation_s=600.0)
    anna, ben = (ticket(store, session, name) for name in ("Anna", "Ben"))
    held = next_item(store, anna)
    save_draft(store, anna, held.item, 0, Answer(comment="half a thought"))
    clock.forward(601)
    answer_next(store, ben)
    resumed = next_item(store, anna)
    assert resumed.item == held.item and resumed.draft == Answer(comment="half a thought")


def test_a_skipped_item_goes_to_others(store: RatingStore) -> None:
    session = open_session(store, n=1, raters_per_item=1)
    anna, ben = (ticket(store, session, name) for name in ("Anna", "Ben"))
    skip(store, anna, next_item(store, anna).item)
    assert next_item(store, ben).item == 0
    assert current(store, anna).item is None


def test_looking_keeps_the_reservation(sqlite_store: RatingStore, clock: Clock) -> None:
    session = open_session(sqlite_store, n=1, raters_per_item=1, reservation_s=600.0)
    anna, ben = (ticket(sqlite_store, session, name) for name in ("Anna", "Ben"))
    for _ in range(6):
        next_item(sqlite_store, anna)
        clock.forward(400)
        assert current(sqlite_store, ben).item is None


@pytest.mark.parametrize("wanted", [1, 2])
def test_two_raters_within_50_ms(database_url: str, wanted: int) -> None:
    """Two processes' worth of stores ask and answer at the same moment, many times over."""
    stores = [open_store(database_url), open_store(database_url)]
    session = open_session(stores[0], n=8, raters_per_item=wanted)
    tickets = [ticket(stores[0], session, name) for name in ("Anna", "Ben")]
    together, starts = threading.Barrier(2), defaultdict(list)

    def rate(n: int) -> None:
        for turn in range(8):
            together.wait(timeout=60)
            starts[turn].append(time.perf_counter())
            shown = current(stores[n], tickets[n]).item
            together.wait(timeout=60)  # both hold an item before either answers
            if shown is not None:
                answer = Answer(rating=1 + n)
                submit(stores[n], tickets[n], shown.item, 0, answer, new_submission_id())

    threads = [threading.Thread(target=rate, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert min(abs(a - b) for a, b in starts.values()) < 0.05
    assert raters_by_item(stores[0]) == dict.fromkeys(range(8), wanted)
    for store in stores:
        store.close()


def test_one_rater_in_two_tabs_gets_one_item(database_url: str) -> None:
    stores = [open_store(database_url), open_store(database_url)]
    session = open_session(stores[0], n=30)
    tabs = [ticket(stores[0], session, "Anna") for _ in range(2)]
    together, seen = threading.Barrier(2), defaultdict(set)

    def look(n: int) -> None:
        for turn in range(5):
            together.wait(timeout=60)
            shown = next_item(stores[n], tabs[n])
            seen[turn].add(shown.item)
            together.wait(timeout=60)
            submit(stores[n], tabs[n], shown.item, 0, Answer(rating=5), new_submission_id())

    threads = [threading.Thread(target=look, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert [len(seen[turn]) for turn in range(5)] == [1] * 5
    assert progress_of(stores[0], tabs[0]).own_answered == 5
    for store in stores:
        store.close()


def test_repeats_come_later_and_only_of_own_answers(sqlite_store: RatingStore) -> None:
    session = open_session(sqlite_store, n=20, repeats=4, repeat_gap=5)
    anna = ticket(sqlite_store, session, "Anna")
    assert progress_of(sqlite_store, anna).own_total == 24
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    while (shown := current(sqlite_store, anna).item) is not None:
        places = second if shown.occurrence else first
        assert shown.item not in places
        places[shown.item] = shown.position_1based
        assert shown.answer is None
        answer_next(sqlite_store, anna)
    assert len(first) == 20 and len(second) == 4
    assert all(second[item] - first[item] > 5 for item in second)
    assert progress_of(sqlite_store, anna).own_answered == 24


def simulate(spec: SessionSpec, n: int, rater: int, full: set[int]) -> list[tuple[int, int]]:
    held: dict[tuple[int, int], Held] = {}
    while (given := next_occurrence(spec, n, rater, held, full)) is not None:
        assert given not in held
        held[given] = Held(len(held) + 1, True)
    return list(held)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 25),
    repeats=st.integers(0, 30),
    gap=st.integers(1, 8),
    seed=st.integers(-5, 5),
    full=st.sets(st.integers(0, 24)),
)
def test_order_gives_each_free_item_once(
    n: int, repeats: int, gap: int, seed: int, full: set[int]
) -> None:
    spec = SessionSpec("x", repeats=repeats, repeat_gap=gap, seed=seed)
    given_out = simulate(spec, n, 3, full)
    free = [item for item in preference_order(seed, 3, n) if item not in full]
    assert [item for item, occurrence in given_out if occurrence == 0] == free
    again = [item for item, occurrence in given_out if occurrence == 1]
    assert len(again) == len(set(again)) <= min(repeats, n)
    for item in again:
        assert given_out.index((item, 1)) - given_out.index((item, 0)) > gap
    if len(free) >= repeats + gap:
        assert len(again) == min(repeats, n)
    assert given_out == simulate(spec, n, 3, full)


def test_order_differs_between_raters_and_seeds() -> None:
    orders = {preference_order(seed, rater, 30) for seed in range(3) for rater in range(5)}
    assert len(orders) == 15


def test_sample_is_seeded_and_in_proportion() -> None:
    pool = items(90)
    drawn = sample_items(pool, 20, seed=3)
    assert len({one.caption_index for one in drawn}) == 20
    assert drawn == sample_items(pool, 20, seed=3) != sample_items(pool, 20, seed=4)
    assert sample_items(pool, 500, seed=3) == tuple(pool)
    by_ca = sample_items(pool, 20, seed=3, stratify_by="ca", n_strata=4)
    quarters = Counter(min(int(4 * (one.metrics["ca"] or 0)), 3) for one in by_ca)
    assert set(quarters.values()) == {5}
    # A third of the items have no NCS: they are a stratum of their own.
    by_ncs = sample_items(pool, 30, seed=3, stratify_by="ncs")
    assert sum(one.metrics["ncs"] is None for one in by_ncs) == 10
    with pytest.raises(UnknownName, match="Did you mean 'ncs'"):
        sample_items(pool, 5, seed=3, stratify_by="nsc")


def test_sample_of_a_constant_metric_is_one_stratum() -> None:
    pool = [RatingItem(i, "q", i, i + 1, metrics={"ce": 1.0}) for i in range(10)]
    assert len(sample_items(pool, 4, seed=0, stratify_by="ce")) == 4
