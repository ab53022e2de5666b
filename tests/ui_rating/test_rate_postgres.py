"""A rater's session on PostgreSQL, while first the app and then the database is killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from rating_tabs import (
    join,
    marked,
    press_on,
    visit,
    wait_for_item,
    wait_for_saved_draft,
    wait_for_text,
)
from sqlalchemy import exc, text

pytestmark = pytest.mark.browser

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
STORED = "SELECT count(*) FROM rating_submissions WHERE session_id = :session AND item = :item"


def count(ratings: Any, query: str, **values: Any) -> int:
    found: int = ratings.store.database.read(lambda c: c.execute(text(query), values).scalar_one())
    return found


@contextmanager
def held_up(ratings: Any) -> Iterator[None]:
    """No submission gets on until the block ends, or the server does."""
    with suppress(exc.DBAPIError), ratings.store.database.engine.connect() as connection:
        connection.execute(text("LOCK TABLE rating_submissions IN EXCLUSIVE MODE"))
        yield


def test_killed_in_the_middle_by_keyboard_alone(
    new_tab: Any, app_on_postgres: Any, ratings_on_postgres: Any, postgres: Any
) -> None:
    ratings, app = ratings_on_postgres, app_on_postgres
    session = ratings.session(n=5)
    tab = new_tab()
    join(tab, app.address, session, "Anna")
    items = [wait_for_item(tab, 1)]
    for key in ("7", "d", "Enter"):
        tab.keyboard.press(key)
    items.append(wait_for_item(tab, 2))
    tab.keyboard.press("4")
    tab.keyboard.press("e")
    wait_for_saved_draft(tab)
    app.kill()
    app.start()

    device = new_tab(390, 844)
    visit(device, app.address, session, "anna")
    device.get_by_text("is in this session, with 1 answer.").wait_for()
    press_on(device, "Yes, go on")
    assert wait_for_item(device, 2) == items[1]
    assert marked(device) == ["rating-4", "class-scene"]
    device.keyboard.press("d")
    device.keyboard.press("Enter")
    items.append(wait_for_item(device, 3))
    device.keyboard.press("Backspace")
    assert wait_for_item(device, 2) == items[1]
    device.keyboard.press("9")
    device.keyboard.press("Enter")
    wait_for_text(device, "Answer 2 changed (version 2).")
    assert wait_for_item(device, 3) == items[2]
    press_on(device, "Skip")
    items.append(wait_for_item(device, 4))

    with held_up(ratings):
        device.keyboard.press("6")
        device.keyboard.press("Enter")
        deadline = time.monotonic() + 30
        while not count(ratings, WAITING):
            assert time.monotonic() < deadline, "the answer was not on its way"
            time.sleep(0.05)
        postgres.stop()
    try:
        wait_for_text(device, "Not saved yet. Your answer is kept in this browser")
        assert marked(device) == ["rating-6"]
    finally:
        postgres.start()
    items.append(wait_for_item(device, 5))  # sent again by itself

    rows = ratings.rows(session, history=True)
    assert [(row.item, row.version, row.rating, row.classes, row.is_current) for row in rows] == [
        (items[0], 1, 7, ("details",), True),
        (items[1], 1, 4, ("details", "scene"), False),
        (items[1], 2, 9, ("details", "scene"), True),
        (items[3], 1, 6, (), True),
    ]
    assert count(ratings, STORED, session=session.id, item=items[3]) == 1
    assert sorted(items) == [0, 1, 2, 3, 4]
    tab.goto(f"{app.address}/ratings")
    wait_for_text(tab, "5 items · 1 rater · 3 answers")
