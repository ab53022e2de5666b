"""A rater's whole session by keyboard alone, and what the keys do and do not do."""

from __future__ import annotations

from typing import Any

import pytest
from rating_tabs import (
    checked,
    join,
    let_go,
    marked,
    query,
    visit,
    wait_for_item,
    wait_for_saved_draft,
    wait_for_text,
)

from vlmexplain.ratings.plan.classes import FailureClass

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "height"), [(1440, 1000), (390, 844)], ids=["desktop", "phone"])
def test_a_session_by_keyboard_alone(
    new_tab: Any, address: str, ratings: Any, width: int, height: int
) -> None:
    session = ratings.session(n=4, guidelines="Look at the **query** first.")
    tab = new_tab(width, height)
    join(tab, address, session, "Zoë O'Neill")
    keys = [["7", "d", "c"], ["0"], ["3", "n", "n", "a"], ["1", "w"]]
    expected = [(7, {"details", "object_colour"}), (10, set()), (3, {"action"})]
    expected.append((1, {"wrong_caption"}))
    items = []
    for position, pressed in enumerate(keys, start=1):
        items.append(wait_for_item(tab, position))
        if position == 1:  # a fold that was clicked does not swallow Enter
            tab.get_by_text("Guidelines").click()
        if position == 2:
            tab.keyboard.press("?")
            tab.get_by_role("dialog", name="Keys").wait_for()
            tab.keyboard.press("Escape")
            tab.get_by_role("dialog", name="Keys").wait_for(state="detached")
        for key in pressed:
            tab.keyboard.press(key)
        if position == 4:  # a comment is reached by Tab and left by Escape
            while tab.evaluate(FOCUSED) != "comment":
                tab.keyboard.press("Tab")
            tab.keyboard.type("the 2 dogs are cats")
            tab.keyboard.press("Escape")
        assert_fits(tab, width)
        tab.keyboard.press("Enter")
    wait_for_text(tab, "Done, thank you")
    assert_fits(tab, width)
    rows = ratings.rows(session)
    assert [(row.rating, set(row.classes)) for row in rows] == expected
    assert [row.item for row in rows] == items and sorted(items) == [0, 1, 2, 3]
    assert rows[3].comment == "the 2 dogs are cats" and {row.version for row in rows} == {1}
    assert {row.rater_name for row in rows} == {"Zoë O'Neill"}
    assert all(row.seconds is not None and 0 < row.seconds < 600 for row in rows)


PRESS = """(key) => document.body.dispatchEvent(
    new KeyboardEvent("keydown", { bubbles: true, composed: true, key }))"""
"""A key that this machine's keyboard does not have."""
FOCUSED = """() => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node?.dataset?.key ?? null;
}"""


def assert_fits(tab: Any, width: int) -> None:
    """No sideways scroll, both pictures in sight, nothing to press that is too small."""
    wide = "() => [document.documentElement, document.querySelector('[data-testid=stMain]')]"
    assert max(tab.evaluate(f"{wide}.map((e) => e.scrollWidth)")) <= width
    if width > 400 or not tab.locator(".stage").count():
        return
    places = "(nodes) => nodes.map((node) => node.getBoundingClientRect().toJSON())"
    boxes = tab.locator(".stage").evaluate_all(places)
    assert len(boxes) == 2 and all(b["left"] >= 0 and b["right"] <= width for b in boxes)
    assert abs(boxes[0]["top"] - boxes[1]["top"]) < 2, "the pictures are not side by side"
    buttons = tab.locator(".rate, .class, .end button").evaluate_all(places)
    assert len(buttons) > 20 and all(button["height"] >= 44 for button in buttons)


def test_keys_do_nothing_while_typing(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=3)
    tab = new_tab()
    visit(tab, address, session, "7d? 0")  # every sign of the name is a key
    wait_for_item(tab, 1)
    assert marked(tab) == []
    comment = tab.get_by_label("Comment")
    comment.click()
    tab.keyboard.type("7d0?")
    tab.keyboard.press("Enter")
    tab.keyboard.type("c")
    tab.keyboard.press("Backspace")
    assert comment.input_value() == "7d0?\n"
    assert marked(tab) == [] and not tab.locator(".help").count()
    tab.keyboard.press("Escape")
    for pressed in ("Control+d", "Alt+d", "Meta+d", "Control+7"):
        tab.keyboard.press(pressed)
    assert marked(tab) == []
    tab.evaluate(
        """() => {
            const press = (more) => document.body.dispatchEvent(
                new KeyboardEvent("keydown", { bubbles: true, composed: true, ...more }));
            press({ key: "7", code: "Digit7", repeat: true });
            press({ key: "d", code: "KeyD", isComposing: true });
            press({ key: "Process", keyCode: 229, code: "KeyD" });
        }"""
    )
    assert marked(tab) == []
    tab.keyboard.press("7")
    assert marked(tab) == ["rating-7"]
    # a Russian keyboard: the key that carries d
    tab.evaluate(
        """() => document.body.dispatchEvent(new KeyboardEvent(
            "keydown", { bubbles: true, composed: true, key: "в", code: "KeyD" }))"""
    )
    assert marked(tab) == ["rating-7", "class-details"]
    wait_for_saved_draft(tab)
    assert ratings.rows(session) == []


def test_backspace_changes_an_earlier_answer(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=3)
    tab = new_tab()
    join(tab, address, session, "Anna")
    first = wait_for_item(tab, 1)
    for key in ("2", "d", "Enter"):
        tab.keyboard.press(key)
    second = wait_for_item(tab, 2)
    tab.keyboard.press("5")
    tab.keyboard.press("Backspace")
    assert wait_for_item(tab, 1) == first
    assert checked(tab, "rating-2") and checked(tab, "class-details")
    tab.keyboard.press("Backspace")
    wait_for_text(tab, "This is your first item.")
    for key in ("9", "d", "Enter"):
        tab.keyboard.press(key)
    assert wait_for_item(tab, 2) == second
    wait_for_text(tab, "Answer 1 changed (version 2).")
    assert checked(tab, "rating-5"), "what was begun is still there"
    tab.keyboard.press("Backspace")
    wait_for_item(tab, 1)
    tab.get_by_text("Your answer, version 2").click()
    assert [text.split("\n")[0] for text in tab.locator(".history li span").all_inner_texts()] == [
        "2 · Details",
        "9",
    ]
    let_go(tab)
    tab.keyboard.press("Enter")  # unchanged: nothing is written
    assert wait_for_item(tab, 2) == second
    rows = ratings.rows(session, history=True)
    assert [(row.version, row.rating, row.is_current) for row in rows] == [
        (1, 2, False),
        (2, 9, True),
    ]


def test_arrows_zero_and_own_letters(new_tab: Any, address: str, ratings: Any) -> None:
    from vlmexplain.ratings.plan.spec import Scale

    classes = (FailureClass("colour", "Farbe", "ß"), FailureClass("other", "Anderes"))
    session = ratings.session(n=2, scale=Scale(0, 4), classes=classes, comment=False)
    tab = new_tab()
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    tab.keyboard.press("5")
    assert marked(tab) == [], "5 is not on the scale"
    tab.keyboard.press("0")
    assert marked(tab) == ["rating-0"]
    tab.keyboard.press("ArrowRight")
    tab.evaluate(PRESS, "ß")
    assert marked(tab) == ["rating-1", "class-colour"]
    tab.keyboard.press("Enter")
    wait_for_item(tab, 2)
    let_go(tab)
    tab.keyboard.press("Enter")
    wait_for_text(tab, "Choose a rating first.")
    row = ratings.rows(session)
    assert [(one.rating, one.classes) for one in row] == [(1, ("colour",))]
    assert query(tab).startswith("query number")


def test_two_images_by_keyboard(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=3, kind="choice", ground_truth="hidden")
    tab = new_tab(390, 844)
    join(tab, address, session, "Anna")
    for position, key in enumerate(["1", "2", "0"], start=1):
        wait_for_item(tab, position)
        assert tab.locator(".stage").count() == 2, "the ground truth is hidden"
        tab.keyboard.press(key)
        assert marked(tab) == [f"choose-{(int(key) - 1) % 3}"]
        tab.keyboard.press("Enter")
    wait_for_text(tab, "Done, thank you")
    rows = ratings.rows(session)
    left, right = [("other", "retrieved") if row.other_on_left else ("retrieved", "other")
                   for row in rows[:2]]  # fmt: skip
    assert [row.preference for row in rows] == [left[0], right[1], "equal"]
    assert {row.rating for row in rows} == {None}
