"""What a rater gets to see: text as text, pictures in time, never more than is allowed."""

from __future__ import annotations

import time
from typing import Any

import pytest
from rating_tabs import ITEM, join, let_go, settle, visit, wait_for_item, wait_for_text
from sqlalchemy import func, select

from vlmexplain.ratings.organiser.sessions import change_state, set_revealed
from vlmexplain.ratings.plan.classes import FailureClass
from vlmexplain.ratings.store.tables import ATTEMPTS

pytestmark = pytest.mark.browser

HOSTILE = [
    "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">",
    "**bold** [link](javascript:alert(1)) $\\frac{1}{2}$ :material/home: :red[text]\nsecond line",
    "שלום ‮reversed‬ 你好 👩‍👩‍👧 &amp; &lt;i&gt;",
    "very long " * 1000,
]


def test_text_is_shown_as_text(new_tab: Any, address: str, ratings: Any) -> None:
    classes = (FailureClass("a", "<b>label</b> **x** 🎈", "a", "<i>meaning</i>"),)
    guidelines = "<script>document.title='broken'</script> ![x](http://127.0.0.1:9/x.png)"
    session = ratings.session(n=4, queries=HOSTILE, classes=classes, guidelines=guidelines)
    tab = new_tab(390, 844)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    name = "<img src=x onerror=\"document.title='broken'\"> 'ž; DROP TABLE"
    join(tab, address, session, name)
    seen = set()
    for position in range(1, 5):
        wait_for_item(tab, position)
        seen.add(tab.locator("blockquote").evaluate("(node) => node.textContent"))
        assert tab.locator("blockquote *").count() == 0
        assert tab.locator(".who bdi").inner_text() == name
        assert tab.locator(".class span").inner_text() == classes[0].label
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390
        tab.keyboard.press("1")
        tab.get_by_label("Comment").fill(HOSTILE[0])
        tab.get_by_role("button", name="Submit").click()
    wait_for_text(tab, "Done, thank you")
    assert seen == set(HOSTILE)
    tab.keyboard.press("Backspace")
    wait_for_item(tab, 4)
    tab.get_by_text("Your answer, version 1").click()
    assert HOSTILE[0] in tab.inner_text(".history")
    assert tab.title() == "vlmexplain"
    assert not [url for url in asked if "127.0.0.1:9/" in url]
    assert {row.comment for row in ratings.rows(session)} == {HOSTILE[0]}
    assert {row.rater_name for row in ratings.rows(session)} == {name}


def test_a_comment_that_is_too_long_is_not_cut(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=2)
    tab = new_tab()
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    tab.keyboard.press("5")
    comment = tab.get_by_label("Comment")
    comment.fill("ä" * 10_000)
    wait_for_text(tab, "6,000 characters too long")
    comment.press("Control+Enter")
    wait_for_text(tab, "The comment is too long")
    assert len(comment.input_value()) == 10_000 and not ratings.rows(session)
    comment.fill("ä" * 4_000)
    comment.press("Control+Enter")
    wait_for_item(tab, 2)
    assert [row.comment for row in ratings.rows(session)] == ["ä" * 4_000]


def test_pictures_are_there_before_they_are_shown(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=4)
    tab = new_tab()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    join(tab, address, session, "Anna")
    for position in range(1, 4):
        wait_for_item(tab, position)
        tab.wait_for_load_state("networkidle")
        tab.keyboard.press("5")
        before = len(asked)
        tab.keyboard.press("Enter")
        wait_for_item(tab, position + 1)
        shown = tab.locator(".stage img").evaluate_all("(images) => images.map((i) => i.src)")
        assert len(shown) == 2 and set(shown) <= set(asked[:before])
        loaded = "(images) => images.every((i) => i.complete && i.naturalWidth > 0)"
        assert tab.locator(".stage img").evaluate_all(loaded)


def test_scores_models_and_hidden_images_never_leave_the_server(
    new_tab: Any, address: str, ratings: Any
) -> None:
    session = ratings.session(n=2, ground_truth="hidden", run="run-key-of-the-model")
    tab = new_tab()
    frames: list[bytes] = []

    def listen(socket: Any) -> None:
        socket.on("framereceived", lambda data: frames.append(_bytes(data)))

    tab.on("websocket", listen)
    join(tab, address, session, "Anna")
    wait_for_item(tab, 1)
    assert tab.locator(".stage").count() == 1
    tab.keyboard.press("5")
    tab.keyboard.press("Enter")
    wait_for_item(tab, 2)
    received = b"".join(frames)
    assert b"query number" in received
    for secret in (b"0.1234", b"0.8765", b"run-key-of", b"ground_truth_image", b"About this model"):
        assert secret not in received
    assert not tab.locator("[data-testid=stSidebar]").is_visible()


def _bytes(data: Any) -> bytes:
    return data if isinstance(data, bytes) else str(data).encode()


def test_the_ground_truth_after_the_answer(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=2, ground_truth="after", boxes=True)
    tab = new_tab()
    join(tab, address, session, "Anna")
    item = wait_for_item(tab, 1)
    assert tab.locator(".stage").count() == 1
    tab.keyboard.press("5")
    tab.keyboard.press("Enter")
    wait_for_text(tab, "You answered: 5")
    assert wait_for_item(tab, 1) == item
    assert tab.locator("figure .title").all_inner_texts() == ["Ground truth", "Retrieved image"]
    assert tab.locator(".names .name").count() > 0
    let_go(tab)
    tab.keyboard.press("Enter")
    wait_for_item(tab, 2)
    assert tab.locator(".stage").count() == 1


def test_waiting_for_the_last_items(new_tab: Any, address: str, ratings: Any) -> None:
    session = ratings.session(n=1, raters_per_item=1)
    anna, bob = new_tab(), new_tab()
    join(anna, address, session, "Anna")
    wait_for_item(anna, 1)
    visit(bob, address, session, "Bob")
    wait_for_text(bob, "Other raters hold the last item.")
    anna.keyboard.press("5")
    anna.keyboard.press("Enter")
    wait_for_text(anna, "Done, thank you")
    wait_for_text(bob, "Done, thank you")  # by itself
    assert "What all raters said" not in anna.inner_text("body")
    set_revealed(ratings.store, session.id, True)
    change_state(ratings.store, session.id, "closed")
    anna.reload()
    wait_for_text(anna, "What all raters said")
    wait_for_text(anna, "5.000 (n = 1)")


def test_somebody_else_takes_another_name_and_leaves(
    new_tab: Any, address: str, ratings: Any
) -> None:
    session = ratings.session(n=2)
    first, second = new_tab(), new_tab()
    join(first, address, session, "Anna")
    visit(second, address, session, "ANNA ")
    second.get_by_role("button", name="No, another name").click()
    name = second.get_by_label("Name")
    name.wait_for()
    name.fill("Anna B.")
    name.press("Enter")
    wait_for_item(second, 1)
    second.keyboard.press("5")
    second.keyboard.press("Enter")
    wait_for_item(second, 2)
    second.get_by_role("button", name="Leave").click()
    second.get_by_label("Name").wait_for()
    second.reload()
    second.get_by_label("Name").wait_for()
    kept = second.evaluate("() => Object.keys(localStorage)")
    assert [name for name in kept if name.startswith("vlmexplain.")] == []
    assert [row.rater_name for row in ratings.rows(session)] == ["Anna B."]


def test_a_link_says_where_it_leads(
    new_tab: Any, address: str, ratings: Any, fresh_attempts: None
) -> None:
    session = ratings.session(n=1, name="<i>pilot</i> **1** $x$")
    tab = new_tab(390, 844)
    tab.goto(f"{address}/rate?code={session.code.lower()}")
    wait_for_text(tab, "This link leads to the session")
    assert tab.locator(".box.note bdi").inner_text() == session.spec.name
    change_state(ratings.store, session.id, "paused")
    tab.reload()
    wait_for_text(tab, "It is paused at the moment.")
    tab.goto(f"{address}/rate?code=AAAA-AAAA-AAAA-AAAA")
    wait_for_text(tab, "No rating session has the code of this link.")
    change_state(ratings.store, session.id, "open")
    tab.get_by_label("Code").fill(session.code)
    tab.get_by_label("Name").fill("Anna")
    tab.get_by_label("Name").press("Enter")
    tab.wait_for_selector(ITEM)
    failures = select(func.sum(ATTEMPTS.c.failures))
    tries = ratings.store.database.read(lambda c: c.execute(failures).scalar_one())
    assert tries == 1


def test_wrong_codes_are_slowed(
    new_tab: Any, address: str, ratings: Any, fresh_attempts: None
) -> None:
    session = ratings.session(n=1)
    tab = new_tab()
    tab.goto(f"{address}/rate")
    code, name = tab.get_by_label("Code"), tab.get_by_label("Name")
    code.wait_for()
    name.fill("Mallory")
    texts = []
    for n in range(9):
        code.fill(f"AAAA-AAAA-AAAA-AAA{n}")
        code.press("Enter")
        settle(tab)
        tab.wait_for_selector(".box.error")
        texts.append(tab.inner_text(".box.error"))
        if "Try again in" in texts[-1]:
            break
    assert "No rating session has this code" in texts[0]
    code.fill(session.code)
    code.press("Enter")  # the right one has to wait as well
    tab.get_by_text("Try again in").wait_for()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not tab.locator(ITEM).count():
        settle(tab)
        button = tab.get_by_role("button", name="Join")
        if button.count():
            button.click()
    assert wait_for_item(tab, 1) == 0
