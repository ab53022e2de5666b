"""Answers: once however often they are sent, with their history; nothing to see of others."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from rating_worlds import Clock, answer_next, next_item, open_session, ticket

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.organiser import sessions
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.refusals import EditConflict, SessionNotOpen, StateRefused
from vlmexplain.ratings.rater.answers import new_submission_id, own_history, save_draft, submit
from vlmexplain.ratings.rater.assignment import at_position, current, skip, upcoming_images
from vlmexplain.ratings.rater.joining import join, rater_session
from vlmexplain.ratings.rater.progress import progress_of
from vlmexplain.ratings.store.store import RatingStore

HOSTILE = [
    "<script>alert(1)</script>",
    "Robert'); DROP TABLE rating_raters;--",
    "=cmd|'/C calc'!A0",
    "../../etc/passwd",
    "%s %(name)s {0} ${jndi:x}",
    "مرحبا \u202e evil",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "\u00e0\u0301\u0302\u0303",
    "' OR '1'='1",
    "-",
    "NULL",
]


def n_answers(store: RatingStore, session: sessions.Session) -> int:
    return sessions.find_session(store, session.id).n_answers


def test_sending_twice_is_sending_once(store: RatingStore) -> None:
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    shown, sent = next_item(store, anna), new_submission_id()
    answer = Answer(rating=7, classes=("details", "action"), comment="hm")
    first = submit(store, anna, shown.item, 0, answer, sent)
    again = submit(store, anna, shown.item, 0, answer, sent)
    assert (first.repeated, again.repeated) == (False, True)
    assert dataclasses.replace(again, repeated=False) == first
    assert len(own_history(store, anna, shown.item)) == n_answers(store, session) == 1
    sessions.change_state(store, session.id, "closed")  # a retry that comes late
    assert submit(store, anna, shown.item, 0, answer, sent).repeated
    with pytest.raises(SessionNotOpen):
        submit(store, anna, shown.item, 0, answer, new_submission_id(), expected_version=1)
    with pytest.raises(DataError, match="another answer"):
        submit(store, anna, shown.item, 0, Answer(rating=8), sent)


def test_two_raters_may_use_the_same_submission_id(store: RatingStore) -> None:
    session = open_session(store)
    for name in ("Anna", "Ben"):
        who = ticket(store, session, name)
        shown = next_item(store, who)
        assert not submit(store, who, shown.item, 0, Answer(rating=3), "same").repeated
    assert n_answers(store, session) == 2


def test_two_tabs(store: RatingStore) -> None:
    session = open_session(store)
    one = ticket(store, session, "Anna")
    two = ticket(store, session, "anna")
    shown = next_item(store, one)
    assert next_item(store, two) == shown
    submit(store, one, shown.item, 0, Answer(rating=3), "tab 1")
    same = submit(store, two, shown.item, 0, Answer(rating=3), "tab 2")
    assert same.repeated and same.version == 1
    with pytest.raises(EditConflict) as conflict:
        submit(store, two, shown.item, 0, Answer(rating=9), "tab 2 again")
    assert (conflict.value.current.rating, conflict.value.version) == (3, 1)
    submit(store, two, shown.item, 0, Answer(rating=9), "tab 2 insists", expected_version=1)
    assert [past.answer.rating for past in own_history(store, one, shown.item)] == [3, 9]
    assert n_answers(store, session) == 1


def test_editing_keeps_the_history(store: RatingStore, clock: Clock) -> None:
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    first = answer_next(store, anna, 2, classes=("scene",), comment="first")
    answer_next(store, anna, 4)
    shown = at_position(store, anna, 1)
    assert shown is not None and shown.item == first.item and shown.version == 1
    assert shown.answer == Answer(2, None, ("scene",), "first")
    clock.forward(60)
    edit = submit(store, anna, shown.item, 0, Answer(rating=6), "edit", expected_version=1)
    assert edit.version == 2
    history = own_history(store, anna, shown.item)
    assert [(p.version, p.answer.rating, p.answer.comment) for p in history] == [
        (1, 2, "first"),
        (2, 6, ""),
    ]
    assert history[1].submitted_at - history[0].submitted_at == 60
    with pytest.raises(DataError, match="no answer to edit"):
        fresh = next_item(store, anna)
        submit(store, anna, fresh.item, 0, Answer(rating=6), "x", expected_version=3)


def test_resume_on_another_device_at_the_same_item_with_the_draft(store: RatingStore) -> None:
    session = open_session(store, n=20)
    phone = ticket(store, session, "Anna")
    for _ in range(3):
        answer_next(store, phone)
    shown = next_item(store, phone)
    draft = Answer(classes=("action",), comment="not sure")
    save_draft(store, phone, shown.item, 0, Answer(rating=1))
    save_draft(store, phone, shown.item, 0, draft)
    joined = join(store, session.code, "Anna", "another place")
    assert joined.returning and joined.n_answers == 3
    resumed = next_item(store, joined.ticket)
    assert (resumed.item, resumed.position_1based, resumed.draft) == (shown.item, 4, draft)
    submit(store, joined.ticket, shown.item, 0, Answer(rating=4), "x")
    seen = at_position(store, phone, 4)
    assert seen is not None and seen.draft is None and seen.answer == Answer(rating=4)


def test_skip_and_come_back(store: RatingStore) -> None:
    session = open_session(store, n=3)
    anna = ticket(store, session, "Anna")
    skipped = next_item(store, anna)
    skip(store, anna, skipped.item)
    skip(store, anna, skipped.item)
    assert next_item(store, anna).item != skipped.item
    answer_next(store, anna)
    answer_next(store, anna)
    assert current(store, anna).item is None
    progress = progress_of(store, anna)
    assert (progress.own_answered, progress.own_skipped, progress.own_total) == (2, 1, 3)
    back = at_position(store, anna, progress.skipped_positions[0])
    assert back is not None and back.skipped and back.item == skipped.item
    submit(store, anna, back.item, back.occurrence, Answer(rating=1), "late")
    assert progress_of(store, anna).own_skipped == 0
    with pytest.raises(StateRefused):
        skip(store, anna, back.item)


def test_answers_that_are_none(sqlite_store: RatingStore) -> None:
    session = open_session(sqlite_store, comment=False)
    anna = ticket(sqlite_store, session, "Anna")
    shown = next_item(sqlite_store, anna)
    for bad in (
        Answer(),
        Answer(rating=0),
        Answer(rating=11),
        Answer(rating=2.5),
        Answer(rating=True),
        Answer(preference="other"),
        Answer(rating=5, comment="?"),
    ):
        with pytest.raises(DataError):
            submit(sqlite_store, anna, shown.item, 0, bad, new_submission_id())
    with pytest.raises(UnknownName, match="Did you mean 'details'"):
        submit(sqlite_store, anna, shown.item, 0, Answer(5, None, ("detials",)), "x")
    other = (shown.item + 1) % 5
    with pytest.raises(DataError, match="not handed"):
        submit(sqlite_store, anna, other, 0, Answer(rating=5), "x")
    for bad_id in ("", "x" * 65, "a\0b", "a\udc80"):
        with pytest.raises(DataError):
            submit(sqlite_store, anna, shown.item, 0, Answer(rating=5), bad_id)
    assert n_answers(sqlite_store, session) == 0


def test_paused_and_closed_take_nothing_and_lose_nothing(store: RatingStore) -> None:
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    answer_next(store, anna, 8)
    shown = next_item(store, anna)
    save_draft(store, anna, shown.item, 0, Answer(rating=2))
    for state in ("paused", "closed"):
        sessions.change_state(store, session.id, state)
        for call in (
            lambda: current(store, anna),
            lambda: skip(store, anna, shown.item),
            lambda: save_draft(store, anna, shown.item, 0, Answer(rating=3)),
            lambda: submit(store, anna, shown.item, 0, Answer(rating=3), "x"),
        ):
            with pytest.raises(SessionNotOpen, match=state):
                call()
        seen = at_position(store, anna, 1)
        assert seen is not None and seen.answer == Answer(rating=8)
    kept = at_position(store, anna, 2)
    assert kept is not None and kept.draft == Answer(rating=2)


@pytest.mark.parametrize("when", ["shown", "hidden", "after"])
def test_the_ground_truth_is_seen_when_it_may_be(sqlite_store: RatingStore, when: str) -> None:
    session = open_session(sqlite_store, ground_truth=when)
    anna = ticket(sqlite_store, session, "Anna")
    shown = next_item(sqlite_store, anna)
    assert (shown.ground_truth_image is not None) == (when == "shown")
    assert len(upcoming_images(sqlite_store, anna)) == (2 if when == "shown" else 1)
    receipt = answer_next(sqlite_store, anna)
    assert receipt.ground_truth_image == (None if when == "hidden" else shown.item)
    seen = at_position(sqlite_store, anna, 1)
    assert seen is not None
    assert seen.ground_truth_image == (None if when == "hidden" else shown.item)


def test_raters_see_no_scores_and_nobody_else(sqlite_store: RatingStore) -> None:
    session = open_session(sqlite_store, n=1)
    anna, ben = (ticket(sqlite_store, session, name) for name in ("Anna", "Ben"))
    answer_next(sqlite_store, anna, 9, comment="a secret of Anna's")
    seen = repr((next_item(sqlite_store, ben), rater_session(sqlite_store, ben)))
    seen += repr((at_position(sqlite_store, ben, 1), own_history(sqlite_store, ben, 0)))
    for secret in ("Anna", "secret", "ca", "0.0", "rank"):
        assert f"'{secret}" not in seen and "a secret" not in seen
    assert progress_of(sqlite_store, ben).session_answers == 1


def test_a_choice_keeps_the_image_not_the_side(sqlite_store: RatingStore) -> None:
    session = open_session(sqlite_store, n=40, kind="choice", classes=())
    anna = ticket(sqlite_store, session, "Anna")
    left = []
    for _ in range(40):
        shown = next_item(sqlite_store, anna)
        by_image = dict(zip(shown.images, shown.preferences, strict=True))
        assert by_image == {1000 + shown.item: "retrieved", 2000 + shown.item: "other"}
        left.append(shown.preferences[0])
        choice = Answer(preference=by_image[2000 + shown.item])
        submit(sqlite_store, anna, shown.item, 0, choice, new_submission_id())
        seen = at_position(sqlite_store, anna, shown.position_1based)
        assert seen is not None and seen.images == shown.images
        assert seen.answer == Answer(preference="other")
    assert 8 < left.count("other") < 32  # sides are shuffled
    with pytest.raises(DataError):
        submit(sqlite_store, anna, shown.item, 0, Answer(rating=3), "x", expected_version=1)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_comments_are_only_text(store: RatingStore, text: str) -> None:
    session = open_session(store)
    who = ticket(store, session, text)
    assert rater_session(store, who).name == text
    comment = f"{text}\r\n\t\0\udc80"
    shown = next_item(store, who)
    submit(store, who, shown.item, 0, Answer(rating=5, comment=comment), "x" + text[:20])
    (past,) = own_history(store, who, shown.item)
    assert past.answer.comment == f"{text}\r\n\t\ufffd\ufffd"
    assert join(store, session.code, f"  {text.upper()} ", text).returning or text != text.lower()


@pytest.mark.parametrize("name", ["", "   ", "\u200b\u200d", "a\x07b", "x" * 81, "a\udc80"])
def test_names_that_are_none(sqlite_store: RatingStore, name: str) -> None:
    session = open_session(sqlite_store)
    with pytest.raises(DataError):
        join(sqlite_store, session.code, name, "here")
    assert sessions.find_session(sqlite_store, session.id).n_raters == 0


def test_time_per_item(store: RatingStore, clock: Clock) -> None:
    from vlmexplain.ratings.store.tables import SUBMISSIONS

    session = open_session(store)
    anna = ticket(store, session, "Anna")
    next_item(store, anna)
    clock.forward(12)
    answer_next(store, anna)  # nothing measured: since it was handed out
    next_item(store, anna)
    clock.forward(86_400)
    anna = ticket(store, session, "Anna")  # back the next day
    next_item(store, anna)
    clock.forward(7)
    answer_next(store, anna)
    shown = next_item(store, anna)
    clock.forward(100)
    submit(store, anna, shown.item, 0, Answer(rating=2), "measured", seconds=3.5)
    submit(store, anna, shown.item, 0, Answer(rating=3), "edit", expected_version=1)
    query = SUBMISSIONS.select().order_by(SUBMISSIONS.c.submitted_at, SUBMISSIONS.c.version)
    rows = store.database.read(lambda connection: connection.execute(query).all())
    assert [row.seconds for row in rows] == [12, 7, 3.5, None]


@pytest.mark.parametrize("kept", ["left", "", "\ud800", 5, ["retrieved"]])
def test_a_choice_that_there_is_not_is_refused(store: RatingStore, kept: Any) -> None:
    session = open_session(store, kind="choice")
    anna = ticket(store, session, "Anna")
    shown = next_item(store, anna)
    with pytest.raises(UnknownName, match="unknown choice"):
        save_draft(store, anna, shown.item, 0, Answer(preference=kept))
    with pytest.raises(UnknownName, match="unknown choice"):
        submit(store, anna, shown.item, 0, Answer(preference=kept), new_submission_id())
    assert n_answers(store, session) == 0 and next_item(store, anna).draft is None


def test_numbers_that_no_database_holds_name_no_item(store: RatingStore) -> None:
    anna = ticket(store, open_session(store), "Anna")
    shown = next_item(store, anna)
    for item, occurrence in ((2**70, 0), (2**40, 0), (shown.item, 2**70)):
        with pytest.raises(DataError, match="was not handed"):
            submit(store, anna, item, occurrence, Answer(rating=5), new_submission_id())
        with pytest.raises(DataError, match="was not handed"):
            skip(store, anna, item, occurrence)
        assert own_history(store, anna, item, occurrence) == ()
    assert at_position(store, anna, 2**70) is None


def test_another_comment_under_the_same_id_is_not_confirmed(store: RatingStore) -> None:
    anna = ticket(store, open_session(store), "Anna")
    shown, sent = next_item(store, anna), new_submission_id()
    submit(store, anna, shown.item, 0, Answer(rating=5, comment="a\x00b"), sent)
    assert submit(store, anna, shown.item, 0, Answer(rating=5, comment="a\x00b"), sent).repeated
    with pytest.raises(DataError, match="used for another answer"):
        submit(store, anna, shown.item, 0, Answer(rating=5, comment="other"), sent)
