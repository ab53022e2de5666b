"""Nothing is lost: reloads, other devices, two tabs, double presses, a server that is killed."""

from __future__ import annotations

from typing import Any

import pytest
from rating_tabs import (
    checked,
    join,
    marked,
    query,
    visit,
    wait_for_item,
    wait_for_saved_draft,
    wait_for_text,
)

from vlmexplain.ratings.organiser.sessions import change_state

pytestmark = pytest.mark.browser


def test_reload_and_another_device(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=4)
    tab = new_tab()
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    tab.keyboard.press("4")
    tab.keyboard.press("Enter")
    second = wait_for_item(tab, 2)
    tab.keyboard.press("6")
    tab.keyboard.press("e")
    tab.reload()  # at once: the server has not seen it
    assert wait_for_item(tab, 2) == second
    assert marked(tab) == ["rating-6", "class-scene"]
    comment = tab.get_by_label("Comment")
    comment.fill("half a th")
    wait_for_saved_draft(tab)
    ticket = tab.evaluate("() => JSON.stringify(localStorage)")
    assert "ticket" in ticket and tab.url.endswith(f"/rate?code={session.code}")

    phone = new_tab(390, 844)
    visit(phone, address, session, "anna")
    phone.get_by_text("Is that you?").wait_for()
    phone.get_by_text("is in this session, with 1 answer.").wait_for()
    phone.get_by_role("button", name="Yes, go on").click()
    assert wait_for_item(phone, 2) == second
    assert marked(phone) == ["rating-6", "class-scene"]
    assert phone.get_by_label("Comment").input_value() == "half a th"
    phone.wait_for_timeout(600)  # a press sooner than a person could read is left aside
    phone.get_by_role("button", name="Submit").click()
    wait_for_item(phone, 3)
    assert [(row.position, row.rating, row.comment) for row in ratings.rows(session)] == [
        (1, 4, ""),
        (2, 6, "half a th"),
    ]


def test_two_tabs_on_one_item(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=3)
    first = new_tab()
    join(first, address, session, "Anna")
    item = wait_for_item(first, 1)
    second = first.context.new_page()
    second.set_default_timeout(150_000)
    second.goto(first.url)  # the same browser: no code, no name
    assert wait_for_item(second, 1) == item
    first.keyboard.press("3")
    first.keyboard.press("Enter")
    wait_for_item(first, 2)
    second.keyboard.press("8")
    second.keyboard.press("Enter")
    second.get_by_text("Answered meanwhile in another tab").wait_for()
    assert second.locator(".conflict").inner_text().split("\n")[0].endswith("device: 3")
    assert marked(second) == ["rating-8"]
    assert [(row.version, row.rating) for row in ratings.rows(session)] == [(1, 3)]
    second.get_by_role("button", name="Replace it with mine").click()
    wait_for_text(second, "Answer 1 changed (version 2).")
    rows = ratings.rows(session, history=True)
    assert [(row.version, row.rating, row.is_current) for row in rows] == [
        (1, 3, False),
        (2, 8, True),
    ]


def test_the_other_tabs_answer_is_kept(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=2)
    first = new_tab()
    join(first, address, session, "Anna")
    wait_for_item(first, 1)
    second = first.context.new_page()
    second.set_default_timeout(150_000)
    second.goto(first.url)
    wait_for_item(second, 1)
    second.keyboard.press("8")
    second.keyboard.press("d")
    first.keyboard.press("3")
    first.keyboard.press("Enter")
    wait_for_item(first, 2)
    second.keyboard.press("Enter")  # unless its draft has told it before
    second.get_by_role("button", name="Keep that answer").click()
    wait_for_item(second, 2)
    second.keyboard.press("Backspace")
    wait_for_item(second, 1)
    assert marked(second) == ["rating-3"]
    assert [(row.version, row.rating) for row in ratings.rows(session, history=True)] == [(1, 3)]


def test_pressing_twice_is_pressing_once(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=4)
    tab = new_tab()
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    tab.keyboard.press("5")
    tab.evaluate(
        """() => {
            for (let i = 0; i < 3; i += 1) document.body.dispatchEvent(new KeyboardEvent(
                "keydown", { bubbles: true, composed: true, key: "Enter", code: "Enter" }));
        }"""
    )
    wait_for_item(tab, 2)
    tab.keyboard.press("6")
    tab.get_by_role("button", name="Submit").dblclick()
    wait_for_item(tab, 3)
    rows = ratings.rows(session, history=True)
    assert [(row.position, row.version, row.rating) for row in rows] == [(1, 1, 5), (2, 1, 6)]


def test_skip_and_come_back(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=2)
    tab = new_tab()
    join(tab, address, session, "Anna")
    skipped = wait_for_item(tab, 1)
    tab.get_by_role("button", name="Skip").click()
    wait_for_text(tab, "Item 1 skipped")
    wait_for_item(tab, 2)
    tab.keyboard.press("9")
    tab.keyboard.press("Enter")
    wait_for_text(tab, "Done, thank you")
    tab.get_by_role("button", name="Go to skipped item 1").click()
    assert wait_for_item(tab, 1) == skipped
    tab.keyboard.press("2")
    tab.keyboard.press("Enter")
    wait_for_text(tab, "You gave 2 answers.")
    first = ratings.rows(session)[0]
    assert (first.item, first.rating) == (skipped, 2)


def test_the_server_is_killed(new_tab: Any, killable_app: Any, ratings: Any) -> None:
    session = ratings.session(n=4)
    tab = new_tab()
    join(tab, killable_app.address, session, "Anna")
    wait_for_item(tab, 1)
    tab.keyboard.press("4")
    tab.keyboard.press("Enter")
    second = wait_for_item(tab, 2)
    killable_app.kill()
    tab.keyboard.press("7")
    tab.keyboard.press("a")
    tab.get_by_label("Comment").fill("typed without a server")
    tab.get_by_role("button", name="Submit").click()
    wait_for_text(tab, "No answer from the server yet.")
    assert checked(tab, "rating-7")
    assert [row.rating for row in ratings.rows(session)] == [4]
    killable_app.start()
    wait_for_item(tab, 3)
    rows = ratings.rows(session, history=True)
    assert [(row.version, row.rating, row.comment) for row in rows] == [
        (1, 4, ""),
        (1, 7, "typed without a server"),
    ]
    assert rows[1].item == second and rows[1].classes == ("action",)
    tab.keyboard.press("3")
    tab.keyboard.press("Enter")
    wait_for_item(tab, 4)


def test_closed_with_an_unsent_answer(new_tab: Any, killable_app: Any, ratings: Any) -> None:
    """The browser is closed before the server is back: the next visit sends the answer."""
    session = ratings.session(n=3)
    tab = new_tab()
    join(tab, killable_app.address, session, "Anna")
    wait_for_item(tab, 1)
    killable_app.kill()
    tab.keyboard.press("8")
    tab.keyboard.press("Enter")
    wait_for_text(tab, "No answer from the server yet.")
    context, link = tab.context, tab.url
    tab.close()
    killable_app.start()
    again = context.new_page()
    again.set_default_timeout(150_000)
    again.goto(link)
    wait_for_text(again, "Answer 1 saved.")
    wait_for_item(again, 2)
    assert [row.rating for row in ratings.rows(session)] == [8]


def test_paused_and_closed(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=3)
    tab = new_tab()
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    tab.keyboard.press("4")
    tab.keyboard.press("Enter")
    wait_for_item(tab, 2)
    change_state(ratings.store, session.id, "paused")
    tab.keyboard.press("7")
    tab.keyboard.press("Enter")
    wait_for_text(tab, "The session is paused")
    assert marked(tab) == ["rating-7"] and query(tab)
    other = new_tab()
    visit(other, address, session, "Bob")
    wait_for_text(other, "is paused.")
    change_state(ratings.store, session.id, "open")
    other.wait_for_selector(".asked")  # by itself
    tab.wait_for_selector(".controls:not([disabled])")
    tab.keyboard.press("Enter")
    wait_for_item(tab, 3)
    change_state(ratings.store, session.id, "closed")
    tab.reload()
    wait_for_text(tab, "is closed.")
    tab.keyboard.press("Backspace")
    wait_for_text(tab, "The session is closed")
    wait_for_item(tab, 2)
    tab.keyboard.press("Backspace")
    wait_for_item(tab, 1)
    assert marked(tab) == ["rating-4"]
    assert [row.rating for row in ratings.rows(session)] == [4, 7]


def test_a_database_that_fails(new_tab: Any, address: str, ratings: Any) -> None:
    from sqlalchemy import text

    session = ratings.session(n=2)
    tab = new_tab()
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)

    def rename(old: str, new: str) -> None:
        statement = text(f"ALTER TABLE {old} RENAME TO {new}")
        ratings.store.database.write(lambda connection: connection.execute(statement))

    rename("rating_submissions", "rating_submissions_away")
    try:
        tab.keyboard.press("6")
        tab.keyboard.press("Enter")
        wait_for_text(tab, "Not saved yet. Your answer is kept in this browser")
        assert marked(tab) == ["rating-6"]
    finally:
        rename("rating_submissions_away", "rating_submissions")
    again = tab.get_by_role("button", name="Send again now")
    if again.count():
        again.click(force=True)
    wait_for_item(tab, 2)
    assert [row.rating for row in ratings.rows(session)] == [6]
