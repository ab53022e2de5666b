"""The states of a session, what can be changed when, and who is let in."""

from __future__ import annotations

import itertools

import pytest
from rating_worlds import Clock, answer_next, items, open_session, ticket

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.access.codes import ALPHABET, new_code
from vlmexplain.ratings.access.organiser import (
    configured_secret,
    organiser_access,
    secret_is_right,
)
from vlmexplain.ratings.organiser import sessions
from vlmexplain.ratings.organiser.state import MOVES
from vlmexplain.ratings.plan.classes import DEFAULT_CLASSES, FailureClass
from vlmexplain.ratings.plan.refusals import (
    SessionNotOpen,
    StateRefused,
    TooManyAttempts,
    WrongCode,
)
from vlmexplain.ratings.plan.spec import Scale, SessionSpec
from vlmexplain.ratings.rater.joining import join, rater_session
from vlmexplain.ratings.store.store import RatingStore

STATES = tuple(MOVES)
PATHS = {"draft": (), "open": ("open",), "paused": ("open", "paused"), "closed": ("open", "closed")}


@pytest.mark.parametrize(("now", "wanted"), list(itertools.product(STATES, STATES)))
def test_moves_between_states(sqlite_store: RatingStore, now: str, wanted: str) -> None:
    session = sessions.create_session(sqlite_store, SessionSpec("moves"), items(2))
    for step in PATHS[now]:
        sessions.change_state(sqlite_store, session.id, step)
    allowed = {("draft", "open"), ("open", "paused"), ("paused", "open")} | {
        ("open", "closed"),
        ("paused", "closed"),
    }
    if (now, wanted) in allowed:
        assert sessions.change_state(sqlite_store, session.id, wanted).state == wanted
        assert sessions.events_of(sqlite_store, session.id)[-1].what == wanted
    else:
        with pytest.raises(StateRefused, match=now):
            sessions.change_state(sqlite_store, session.id, wanted)
        assert sessions.find_session(sqlite_store, session.id).state == now


def test_a_session_comes_back_as_it_was_made(store: RatingStore) -> None:
    spec = SessionSpec(
        "Résumé “quotes” 你好 👩‍👩‍👧 🦓",
        scale=Scale(1, 5, "no", "yes"),
        classes=(FailureClass("details", "Détails", "é"),),
        guidelines="# Read me\n* <b>bold?</b>",
        raters_per_item=3,
        seed=-(2**63),
    )
    made = sessions.create_session(store, spec, items(4))
    assert made.spec == spec
    assert sessions.items_of(store, made.id) == tuple(items(4))
    assert sessions.find_session(store, made.id[:5]) == made
    with pytest.raises(UnknownName):
        sessions.find_session(store, "nonsense")


def test_questions_change_in_a_draft_only(store: RatingStore) -> None:
    session = sessions.create_session(store, SessionSpec("before"), items(3))
    changed = sessions.change_questions(store, session.id, SessionSpec("after"), items(2))
    assert (changed.spec.name, changed.n_items) == ("after", 2)
    for state in ("open", "paused", "closed"):
        sessions.change_state(store, session.id, state)
        with pytest.raises(StateRefused, match="cannot change"):
            sessions.change_questions(store, session.id, SessionSpec("late"), items(1))
    assert sessions.find_session(store, session.id).spec.name == "after"


def test_classes_change_until_the_first_answer(store: RatingStore) -> None:
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    own = (FailureClass("mine", "Mine", "m"),)
    assert sessions.edit_classes(store, session.id, own).spec.classes == own
    answer_next(store, anna, classes=("mine",))
    with pytest.raises(StateRefused, match="first answer"):
        sessions.edit_classes(store, session.id, DEFAULT_CLASSES)
    assert sessions.find_session(store, session.id).spec.classes == own


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ((FailureClass("Bad Key", "x"),), "Bad Key"),
        ((FailureClass("a", "one"), FailureClass("a", "two")), "same key"),
        ((FailureClass("a", "one"), FailureClass("b", "ONE")), "same label"),
        ((FailureClass("a", "one", "x"), FailureClass("b", "two", "X")), "same shortcut"),
        ((FailureClass("a", "one", "1"),), "shortcut"),
        ((FailureClass("a", " "),), "label"),
    ],
)
def test_classes_that_cannot_be_told_apart(
    sqlite_store: RatingStore, classes: tuple[FailureClass, ...], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        sessions.create_session(sqlite_store, SessionSpec("x", classes=classes), items(1))


@pytest.mark.parametrize(
    "questions",
    [
        {"name": " "},
        {"name": "two\nlines"},
        {"scale": Scale(5, 5)},
        {"scale": Scale(-1, 5)},
        {"raters_per_item": 0},
        {"repeats": -1},
        {"repeat_gap": 0},
        {"reservation_s": 1.0},
        {"seed": 2**63},
    ],
)
def test_questions_that_cannot_be_asked(
    sqlite_store: RatingStore, questions: dict[str, object]
) -> None:
    with pytest.raises(DataError):
        sessions.create_session(sqlite_store, SessionSpec(**{"name": "x", **questions}), items(1))
    assert sessions.list_sessions(sqlite_store) == ()


def test_items_that_cannot_be_asked(sqlite_store: RatingStore) -> None:
    for bad in ([], [*items(1), *items(1)], items(1, choice=True)):
        with pytest.raises(DataError):
            sessions.create_session(sqlite_store, SessionSpec("x"), bad)
    with pytest.raises(DataError, match="two different images"):
        sessions.create_session(sqlite_store, SessionSpec("x", kind="choice"), items(1))


def test_codes() -> None:
    codes = {new_code() for _ in range(500)}
    assert len(codes) == 500
    assert all(set(code) <= set(ALPHABET) | {"-"} and len(code) == 19 for code in codes)
    assert len(ALPHABET) ** 16 > 2**78


def test_joining_takes_the_right_code_only(store: RatingStore) -> None:
    session = open_session(store)
    first = join(store, session.code.lower().replace("-", " "), "Zoë", "here")
    again = join(store, session.code, " zoe\u0308 ", "elsewhere")
    assert (first.returning, again.returning, again.name) == (False, True, "Zoë")
    assert first.ticket != again.ticket
    assert rater_session(store, first.ticket).rater == rater_session(store, again.ticket).rater
    assert sessions.find_session(store, session.id).n_raters == 1
    with pytest.raises(WrongCode):
        join(store, new_code(), "Zoë", "here")
    with pytest.raises(WrongCode):
        rater_session(store, "no ticket")


def test_who_joins_when(sqlite_store: RatingStore) -> None:
    draft = sessions.create_session(sqlite_store, SessionSpec("draft"), items(1))
    with pytest.raises(SessionNotOpen, match="draft"):
        join(sqlite_store, draft.code, "Anna", "here")
    session = open_session(sqlite_store)
    join(sqlite_store, session.code, "Anna", "here")
    sessions.change_state(sqlite_store, session.id, "paused")
    join(sqlite_store, session.code, "Ben", "here")
    sessions.change_state(sqlite_store, session.id, "closed")
    assert join(sqlite_store, session.code, "Anna", "here").returning
    with pytest.raises(SessionNotOpen, match="closed"):
        join(sqlite_store, session.code, "Cleo", "here")


def test_guessing_is_slowed(store: RatingStore, clock: Clock) -> None:
    session = open_session(store)
    for _ in range(5):
        with pytest.raises(WrongCode):
            join(store, new_code(), "Eve", "198.51.100.1")
    with pytest.raises(TooManyAttempts):
        join(store, session.code, "Eve", "198.51.100.1")
    assert not join(store, session.code, "Anna", "198.51.100.2").returning
    clock.forward(1.5)
    with pytest.raises(WrongCode):
        join(store, new_code(), "Eve", "198.51.100.1")
    clock.forward(1.5)
    with pytest.raises(TooManyAttempts) as refused:
        join(store, new_code(), "Eve", "198.51.100.1")
    assert refused.value.retry_after_s == pytest.approx(0.5)
    clock.forward(1)
    join(store, session.code, "Eve", "198.51.100.1")
    with pytest.raises(WrongCode):  # a right code in between does not wipe the count
        join(store, new_code(), "Eve", "198.51.100.1")
    with pytest.raises(TooManyAttempts):
        join(store, session.code, "Eve", "198.51.100.1")
    clock.forward(4000)
    for _ in range(4):
        with pytest.raises(WrongCode):
            join(store, new_code(), "Eve", "198.51.100.1")


def test_organiser_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLMEXPLAIN_ORGANISER_SECRET", raising=False)
    assert configured_secret() is None
    monkeypatch.setenv("VLMEXPLAIN_ORGANISER_SECRET", "from the environment")
    assert configured_secret() == "from the environment"
    assert configured_secret("given") == "given"
    assert secret_is_right("ключ", "ключ") and not secret_is_right("ключ ", "ключ")
    assert not secret_is_right("", "")
    assert organiser_access("s", "S", is_local=True) == "secret-needed"


def test_a_session_with_answers_is_not_deleted(sqlite_store: RatingStore) -> None:
    session = open_session(sqlite_store)
    answer_next(sqlite_store, ticket(sqlite_store, session, "Anna"))
    with pytest.raises(StateRefused):
        sessions.delete_session(sqlite_store, session.id)
    empty = open_session(sqlite_store)
    sessions.delete_session(sqlite_store, empty.id)
    assert [one.id for one in sessions.list_sessions(sqlite_store)] == [session.id]
