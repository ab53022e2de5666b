"""An item on a phone: in one view from the query to Submit, and nothing moves or is covered."""

from __future__ import annotations

from typing import Any

import pytest
from rating_tabs import ITEM, join, let_go, marked, wait_for_item, wait_for_text

pytestmark = pytest.mark.browser

PHONE, SMALL_PHONE = (390, 844), (360, 640)
PLACES = """() => {
    const root = document.querySelector("[data-testid=stMain]");
    const inside = [...root.querySelectorAll("*")].find((n) => n.shadowRoot)?.shadowRoot ?? root;
    const box = (node) => node?.getBoundingClientRect().toJSON();
    const found = (selector) => box(inside.querySelector(selector));
    const shown = [...inside.querySelectorAll("button")].filter((n) => n.offsetParent);
    return {
        ask: found(".ask"), pictures: found(".pictures"),
        stages: [...inside.querySelectorAll(".stage")].map(box),
        answer: found(".rate:last-child") ?? found(".choose:nth-child(2)"),
        foot: found(".end"), notice: found(".end .notice"), ends: found(".end .foot"),
        buttons: shown.map((n) => ({ name: n.textContent, ...box(n) })),
    };
}"""
SCROLL = "() => document.querySelector('[data-testid=stMain]').scrollTo(0, 1e6)"
APP_BAR = 56
"""Streamlit's own bar lies over the top of the page."""


def places(tab: Any) -> dict[str, Any]:
    found: dict[str, Any] = tab.evaluate(PLACES)
    return found


@pytest.mark.parametrize(
    ("kind", "size"), [("rating", PHONE), ("rating", SMALL_PHONE), ("choice", SMALL_PHONE)]
)
def test_the_next_item_is_seen_from_its_query_to_submit(
    new_tab: Any, address: str, ratings: Any, kind: str, size: tuple[int, int]
) -> None:
    truth = "hidden" if kind == "rating" else "shown"
    session = ratings.session(n=6, kind=kind, ground_truth=truth, guidelines="Look twice. " * 30)
    tab = new_tab(*size, has_touch=True)
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    for position in range(1, 6):
        tab.keyboard.press("1")
        tab.evaluate(SCROLL)
        before = places(tab)
        tab.get_by_role("button", name="Submit").tap()
        wait_for_item(tab, position + 1)
        wait_for_text(tab, f"Answer {position} saved.")
        let_go(tab)
        after = places(tab)
        assert after["foot"]["height"] == before["foot"]["height"]
        assert after["foot"]["bottom"] <= size[1]
        assert after["ask"]["top"] >= APP_BAR
        assert after["answer"]["bottom"] <= after["foot"]["top"], position
        assert all(stage["width"] > 60 and stage["height"] > 60 for stage in after["stages"])
        assert after["foot"]["top"] <= after["notice"]["top"] < after["ends"]["top"]
        assert after["notice"]["bottom"] <= after["ends"]["top"]
        small = [b for b in after["buttons"] if b["height"] < 44 or b["width"] < 44]
        assert not small, small
        tab.keyboard.press("2")  # takes the notice away
        assert len(marked(tab)) == 1
        still = places(tab)
        assert still["answer"] == after["answer"] and still["foot"] == after["foot"]


def test_the_ground_truth_afterwards_is_seen_with_its_button(
    new_tab: Any, address: str, ratings: Any
) -> None:
    session = ratings.session(n=3, ground_truth="after")
    tab = new_tab(*SMALL_PHONE, has_touch=True)
    join(tab, address, session, "Anna")
    tab.keyboard.press("5")
    tab.evaluate(SCROLL)
    tab.get_by_role("button", name="Submit").tap()
    wait_for_text(tab, "You answered: 5")
    seen = places(tab)
    assert seen["ask"]["top"] >= APP_BAR and len(seen["stages"]) == 2
    assert seen["pictures"]["bottom"] <= seen["foot"]["top"]
    let_go(tab)
    tab.get_by_role("button", name="Next").tap()
    tab.wait_for_selector(f"{ITEM}:text-is('Item 2')")


def test_long_names_stay_on_one_line(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=1)
    tab = new_tab(*SMALL_PHONE)
    join(tab, address, session, "A rather long name of somebody " * 2)
    header = tab.locator("header .who").bounding_box()
    leave = tab.get_by_role("button", name="Leave").bounding_box()
    assert header["height"] <= 50 and leave["x"] + leave["width"] <= SMALL_PHONE[0]
    assert leave["height"] >= 44
