"""Messages from a browser, and the visit they make."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from streamlit.testing.v1 import AppTest

from vlmexplain.errors import StoreError
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import change_state, create_session
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.rater.joining import join
from vlmexplain.ratings.store.store import RatingStore, open_store
from vlmexplain.ratings.store.tables import RATERS
from vlmexplain.ui.pages.rating.message import Message, read_message
from vlmexplain.ui.pages.rating.view import view_of
from vlmexplain.ui.pages.rating.visit import Visit, take


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RatingStore]:
    opened = open_store(f"sqlite:///{tmp_path / 'ratings.db'}")
    yield opened
    opened.close()


def begun(store: RatingStore, **questions: Any) -> tuple[str, str]:
    """An open session of three items without pictures, and a ticket."""
    items = [RatingItem(i, f"query {i}", i, i + 1) for i in range(3)]
    session = create_session(store, SessionSpec(name="test", **questions), items)
    change_state(store, session.id, "open")
    return session.id, join(store, session.code, "Anna", "here").ticket


def submit_message(view: dict[str, Any], ticket: str, rating: int, identity: str) -> Message:
    item = view["item"]
    return Message(
        id=identity,
        kind="submit",
        ticket=ticket,
        position=item["position"],
        item=item["item"],
        answer=Answer(rating=rating),
        submission_id=f"press {identity}",
        version=item["version"],
        seconds=2.5,
    )


def test_a_message_is_read_with_care() -> None:
    noise: list[object] = [None, True, -1, 2**80, 1.5, float("nan"), "x" * 300_000, [], {}, [[1]]]
    names = ["ticket", "code", "position", "item", "occurrence", "answer", "submission_id",
             "version", "seconds", "id", "kind"]  # fmt: skip
    chance = random.Random(0)
    for _ in range(2_000):
        raw = {name: chance.choice(noise) for name in names if chance.random() < 0.7}
        raw |= {"id": "m", "kind": "submit"}
        if chance.random() < 0.5:
            parts = ("rating", "preference", "classes", "comment")
            raw["answer"] = {name: chance.choice(noise) for name in parts}
        message = read_message(raw)
        assert message is not None
        assert isinstance(message.item, int) and abs(message.item) < 2**31
        assert len(message.answer.comment) <= 100_000 and len(message.ticket) <= 200
        assert message.seconds is None or message.seconds == message.seconds
        hash(message.answer)
    assert read_message({"id": "m", "kind": "submit", "answer": {"preference": "left"}}) == Message(
        "m", "submit"
    )


def test_the_same_message_twice_is_done_once(store: RatingStore) -> None:
    session, ticket = begun(store)
    visit = Visit(ticket, asked=True)
    view = view_of(visit, lambda: store)
    message = submit_message(view, ticket, 7, "m1")
    after = take(visit, message, lambda: store)
    assert take(after, message, lambda: store) is after
    # a server that was started anew knows nothing of the first time
    anew = take(Visit(), message, lambda: store)
    assert anew.reply == after.reply and anew.ticket == ticket
    rows = [row for row in session_data(store, session, history=True).rows if row.rater]
    assert [(row.rating, row.seconds) for row in rows] == [(7, 2.5)]
    assert view_of(anew, lambda: store)["item"]["position"] == 2


def test_a_store_that_fails_keeps_the_rater_where_he_is(store: RatingStore) -> None:
    _, ticket = begun(store)
    visit = Visit(ticket, asked=True)
    message = submit_message(view_of(visit, lambda: store), ticket, 7, "m1")

    def broken() -> RatingStore:
        raise StoreError("the disk is full.", remedy="Make room.")

    after = take(visit, message, broken)
    assert after.reply is not None and after.position == 1
    assert after.reply["refused"] == "store" and after.reply["text"] == "The disk is full."
    assert view_of(after, broken)["phase"] == "trouble"
    again = take(after, submit_message(view_of(visit, lambda: store), ticket, 7, "m2"),
                 lambda: store)  # fmt: skip
    assert again.reply is not None and again.reply["done"] == "submit"


def test_unknown_tickets_lead_to_the_form(store: RatingStore) -> None:
    begun(store)
    message = Message("m1", "resume", ticket="made up")
    after = take(Visit(), message, lambda: store)
    assert after.ticket == "" and view_of(after, lambda: store)["phase"] == "join"
    # as when the database was put back to before the visit
    lost = view_of(Visit("made up", asked=True), lambda: store)
    assert lost["phase"] == "join" and lost["reply"]["refused"] == "ticket"


def test_stepping_passes_over_gaps_and_stops_at_the_ends(store: RatingStore) -> None:
    _, ticket = begun(store)
    visit = Visit(ticket, asked=True)
    for number in range(3):
        view = view_of(visit, lambda: store)
        visit = take(visit, submit_message(view, ticket, 5, f"m{number}"), lambda: store)
    assert view_of(visit, lambda: store)["phase"] == "done"
    back = take(visit, Message("b1", "back", ticket=ticket), lambda: store)
    assert back.position == 3
    back = take(back, Message("b2", "back", ticket=ticket, position=3), lambda: store)
    first = take(back, Message("b3", "back", ticket=ticket, position=1), lambda: store)
    assert back.position == 2 and first.position == 1
    assert first.reply is not None and first.reply["nowhere"]
    on = take(first, Message("o1", "on", ticket=ticket, position=3), lambda: store)
    assert on.position is None


def test_going_back_passes_over_what_a_closed_session_no_longer_asks(store: RatingStore) -> None:
    session, ticket = begun(store)
    visit = Visit(ticket, asked=True)
    first = view_of(visit, lambda: store)
    visit = take(visit, submit_message(first, ticket, 5, "m1"), lambda: store)
    assert view_of(visit, lambda: store)["item"]["position"] == 2
    change_state(store, session, "closed")
    assert view_of(visit, lambda: store)["phase"] == "stopped"
    back = take(visit, Message("b1", "back", ticket=ticket), lambda: store)
    assert back.position == 1 and view_of(back, lambda: store)["state"] == "closed"


def test_read_only_answers_go_to_a_database_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    inside = open_store(f"sqlite:///{home / 'ratings.db'}")
    outside = open_store(f"sqlite:///{tmp_path / 'elsewhere.db'}")
    _, ticket_inside = begun(inside)
    _, ticket_outside = begun(outside)
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    for opened, ticket, done in ((inside, ticket_inside, False), (outside, ticket_outside, True)):
        visit = Visit(ticket, asked=True)
        view = {"item": {"position": 1, "item": 0, "version": 0}}
        if done:
            view = view_of(visit, lambda opened=opened: opened)  # type: ignore[misc]
        after = take(visit, submit_message(view, ticket, 7, "m"), lambda opened=opened: opened)  # type: ignore[misc]
        assert after.reply is not None and ("done" in after.reply) is done
        opened.close()


def test_a_server_for_raters_alone(
    ratings: Any, monkeypatch: pytest.MonkeyPatch, fresh_attempts: None
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(ratings.home))
    monkeypatch.setenv("VLMEXPLAIN_RATERS_ONLY", "1")
    session = ratings.session(n=1)
    app = AppTest.from_file(str(Path(__file__).parents[2] / "app.py"), default_timeout=60)
    app.session_state["rating-visit"] = Visit(asked=True)
    app.query_params["code"] = session.code
    app.run()
    assert not app.exception and not app.selectbox  # neither data sets nor models
    assert [field.label for field in app.text_input] == ["Code", "Name"]
    assert app.text_input[0].value == session.code
    app.text_input[1].set_value("   ")
    app.button[0].click().run()
    assert "The name is empty" in html_of(app) and app.text_input[1].value == "   "
    app.text_input[1].set_value("Anna")
    app.button[0].click().run()
    assert not app.exception and app.session_state["rating-visit"].ticket
    assert ratings.store.database.read(lambda c: c.execute(select(RATERS.c.name)).scalars().all())


def html_of(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html") if element.proto.body)
