"""What a rater does in a tab."""

from __future__ import annotations

import re
from typing import Any

from vlmexplain.ratings.organiser.sessions import Session

ITEM = ".asked .place h2"


def visit(tab: Any, address: str, session: Session, name: str) -> None:
    """Open the link and join by keyboard."""
    tab.goto(f"{address}/rate?code={session.code}")
    field = tab.get_by_label("Name")
    field.wait_for()
    tab.wait_for_function(
        "([label, code]) => document.querySelector(`input[aria-label=${label}]`)?.value === code",
        arg=["Code", session.code],
    )
    field.fill(name)
    field.press("Enter")


def join(tab: Any, address: str, session: Session, name: str) -> None:
    """Join and wait for the first item."""
    visit(tab, address, session, name)
    tab.wait_for_selector(ITEM)


def wait_for_item(tab: Any, position: int) -> int:
    """Wait until the rater's item at a position stands; gives its number in the session."""
    tab.wait_for_selector(f"{ITEM}:text-is('Item {position}')")
    found = re.search(r"(\d+)$", query(tab))
    return int(found.group(1)) if found else -1


def query(tab: Any) -> str:
    text: str = tab.inner_text("blockquote")
    return text


def wait_for_text(tab: Any, text: str) -> None:
    tab.get_by_text(text).first.wait_for()


def checked(tab: Any, key: str) -> bool:
    """Whether a rating, class or choice is marked."""
    return bool(tab.get_attribute(f"[data-key='{key}']", "aria-checked") == "true")


def marked(tab: Any) -> list[str]:
    """The keys of everything that is marked."""
    found: list[str] = tab.locator("[aria-checked=true]").evaluate_all(
        "(nodes) => nodes.map((node) => node.dataset.key)"
    )
    return found


def wait_for_saved_draft(tab: Any) -> None:
    wait_for_text(tab, "Draft saved.")


def let_go(tab: Any) -> None:
    """Wait out the half second in which Enter may still be meant for the item before."""
    tab.wait_for_timeout(600)


def settle(tab: Any) -> None:
    """Wait until the server has answered."""
    tab.wait_for_timeout(100)
    tab.wait_for_function(
        "() => document.querySelector('.stApp')?.dataset.testScriptState !== 'running'"
    )


def press_on(tab: Any, name: str) -> None:
    """Go to a button by Tab and press it by Enter."""
    button = tab.get_by_role("button", name=name)
    button.wait_for()
    for _ in range(60):
        if button.evaluate("(node) => node.getRootNode().activeElement === node"):
            tab.keyboard.press("Enter")
            return
        tab.keyboard.press("Tab")
    raise AssertionError(f"{name} is not reached by Tab")
