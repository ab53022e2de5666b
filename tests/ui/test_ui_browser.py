"""The app in a real browser: what a person sees, points at, types and presses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ui_world import BALL, HOSTILE

pytestmark = pytest.mark.browser

Start = Callable[[Path], str]


def settle(tab: Any) -> None:
    """Wait until the server has answered and the page is drawn."""
    tab.wait_for_function(
        "() => document.querySelector('.stApp')?.dataset.testScriptState !== 'running'"
        " && !document.querySelector('[data-stale=true]')"
    )
    tab.wait_for_timeout(150)


def open_page(tab: Any, address: str) -> None:
    tab.goto(address)
    tab.wait_for_selector("[data-card=sd]")
    tab.wait_for_selector(".stage img")
    settle(tab)


def card(tab: Any, key: str) -> str:
    text: str = tab.inner_text(f"[data-card={key}]")
    return text


def lit_boxes(tab: Any) -> int:
    count: int = tab.locator(".box.lit").count()
    return count


def test_worked_example(tab: Any, start_app: Start, empty_home: Path) -> None:
    open_page(tab, start_app(empty_home))
    assert [card(tab, key) for key in ("ca", "ncs", "ce", "sd")] == [
        "27.3 %",
        "0.139",
        "6",
        "33.3 %",
    ]
    page = tab.inner_text("body")
    for line in (
        "CA = 3 of 11 = 27.3 %",
        "NCS = (1/9 + 1/6) / 2 = 0.139",
        "CE = 2 + 0 + 4 = 6",
        "SD = 2 of 6 pairs ≥ 100 % = 33.3 %",
        "1/294 = 0.0034",
    ):
        assert line in page
    assert "not a photo" in tab.inner_text("figcaption >> nth=0")
    assert tab.locator(".box").count() == 14 + 15
    assert tab.locator(".weight").all_inner_texts() == ["1/6", "1/9"]
    assert tab.evaluate("() => [...document.querySelectorAll('img')].every((i) => i.alt)")
    loaded = "(i) => i.complete && i.naturalWidth > 0"
    assert all(image.evaluate(loaded) for image in tab.locator(".stage img").all())


def test_pointing_at_a_concept_lights_its_boxes(
    tab: Any, start_app: Start, empty_home: Path
) -> None:
    open_page(tab, start_app(empty_home))
    assert lit_boxes(tab) == 0
    tab.hover(".chip[data-concept='zebra.n.01']")
    assert lit_boxes(tab) == 4 + 7
    assert tab.locator(".stage.dimmed").count() == 2
    # a concept named in the evidence, far from the pictures
    tab.hover(".set [data-concept='mane.n.01']")
    assert lit_boxes(tab) == 1 + 5
    # a box itself: the smallest under the pointer is meant
    tab.locator(".stage").first.scroll_into_view_if_needed()
    sky = tab.locator(".stage").first.bounding_box()
    tab.mouse.move(sky["x"] + 20, sky["y"] + 20)
    assert lit_boxes(tab) == 1
    tab.mouse.move(2, 400)
    assert lit_boxes(tab) == 0


def test_chosen_concept_stays_and_is_in_the_address(
    tab: Any, start_app: Start, empty_home: Path
) -> None:
    open_page(tab, start_app(empty_home))
    tab.click(".chip[data-concept='zebra.n.01']")
    tab.wait_for_url(re.compile("concept=zebra"))
    settle(tab)
    tab.mouse.move(2, 400)
    assert lit_boxes(tab) == 11
    assert tab.get_attribute(".chip[data-concept='zebra.n.01']", "aria-pressed") == "true"
    address = tab.url
    tab.goto("about:blank")
    open_page(tab, address)
    assert lit_boxes(tab) == 11
    tab.keyboard.press("Escape")
    tab.wait_for_url(lambda url: "concept" not in url)
    settle(tab)
    assert lit_boxes(tab) == 0


def test_back_and_forward(tab: Any, start_app: Start, empty_home: Path) -> None:
    open_page(tab, start_app(empty_home) + "/?gallery=example")
    tab.click(".weight >> nth=1")
    tab.wait_for_url(re.compile("pair=1"))
    tab.wait_for_selector("text=hill to grassland")
    tab.click("label:has-text('Query-informed')")
    tab.wait_for_url(re.compile("informed=yes"))
    tab.wait_for_function("() => document.querySelector('[data-card=ca]').innerText === '50 %'")
    tab.go_back()
    tab.wait_for_function("() => document.querySelector('[data-card=ca]').innerText === '27.3 %'")
    assert "pair=1" in tab.url and "informed" not in tab.url
    tab.go_back()
    tab.wait_for_selector("text=tree to grass")
    tab.go_forward()
    tab.wait_for_selector("text=hill to grassland")


def test_threshold_by_keyboard(tab: Any, start_app: Start, empty_home: Path) -> None:
    open_page(tab, start_app(empty_home) + "/?threshold=1.35")
    assert card(tab, "sd") == "33.3 %"
    slider = tab.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")  # 140 %: field (136.9 %) no longer exceeds
    tab.wait_for_function("() => document.querySelector('[data-card=sd]').innerText === '16.7 %'")
    assert "threshold=1.4" in tab.url
    tab.wait_for_selector("text=SD = 1 of 6 pairs ≥ 140 % = 16.7 %")


def test_hostile_text_is_shown_as_it_is(tab: Any, start_app: Start, world: Any) -> None:
    base = start_app(world.home)
    for query, caption in _captions():
        open_page(tab, f"{base}/?failures=no&sort=query&up=yes&query={query}")
        assert tab.inner_text("blockquote") == caption
        assert tab.locator("blockquote *").count() == 0
        assert tab.title() == "vlmexplain"
    listed = tab.locator("button.caption").all_inner_texts()
    assert listed and set(listed) <= {caption for _, caption in _captions(every=True)}
    assert "A <b>licence</b>" in tab.inner_text("figcaption >> nth=0")
    data_set = tab.locator("[data-testid=stSidebar] input").first
    assert data_set.input_value() == "Made <b>world</b> $1$"


def test_hostile_names_are_shown_as_they_are(tab: Any, start_app: Start, world: Any) -> None:
    query = next(q for q, caption in _captions(every=True) if caption == "a person with a ball")
    open_page(tab, f"{start_app(world.home)}/?query={query}")
    assert any(BALL in text for text in tab.locator(".ground-truth .tag").all_text_contents())


def test_keyboard_only(tab: Any, start_app: Start, world: Any) -> None:
    open_page(tab, start_app(world.home))
    first = tab.inner_text("blockquote")
    tab.keyboard.press("j")
    tab.wait_for_function(
        "(old) => document.querySelector('blockquote').innerText !== old", arg=first
    )
    settle(tab)
    tab.keyboard.press("k")
    tab.wait_for_function(
        "(old) => document.querySelector('blockquote').innerText === old", arg=first
    )
    # walk with Tab until a concept, and choose it with Enter
    open_page(tab, start_app(world.home) + "/?gallery=example")
    for _ in range(120):
        tab.keyboard.press("Tab")
        if focused(tab).get("concept"):
            break
    chosen = focused(tab)
    assert chosen["concept"] and chosen["outline"] != "0px"
    assert lit_boxes(tab) > 0
    tab.keyboard.press("Enter")
    tab.wait_for_url(re.compile("concept="))
    settle(tab)
    assert focused(tab)["concept"] == chosen["concept"], "the focus was lost"


def test_other_image_of_the_strip(tab: Any, start_app: Start, world: Any) -> None:
    open_page(tab, start_app(world.home))
    tab.click(".tile >> nth=2")
    tab.wait_for_url(re.compile("place=3"))
    tab.wait_for_selector(".retrieved .title:has-text('place 3')")
    assert tab.get_attribute(".tile >> nth=2", "aria-pressed") == "true"


def test_search_narrows_the_list(tab: Any, start_app: Start, world: Any) -> None:
    open_page(tab, start_app(world.home) + "/?failures=no")
    box = tab.get_by_label("Search in captions")
    box.press_sequentially("ball", delay=40)
    tab.wait_for_url(re.compile("search=ball"))
    tab.wait_for_selector("text=of 4 queries")
    listed = tab.locator("button.caption").all_inner_texts()
    assert listed and all("ball" in text.lower() for text in listed)
    assert box.input_value() == "ball"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/gallery", "/import", "/run"])
def test_phone_has_no_sideways_scroll(
    tab: Any, start_app: Start, world: Any, path: str, scheme: str
) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.emulate_media(color_scheme=scheme)
    tab.goto(start_app(world.home) + path)
    tab.wait_for_selector(".vx h1, .vx blockquote")
    settle(tab)
    widths = tab.evaluate(
        "() => [document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".map((e) => e.scrollWidth)"
    )
    assert max(widths) <= 390


def test_first_page_of_a_fresh_server_has_the_frame(
    tab: Any, start_app: Start, tmp_path: Path, empty_home: Path
) -> None:
    home = tmp_path / "fresh"
    home.mkdir()
    (home / "wordnet").symlink_to(empty_home / "wordnet")
    tab.goto(start_app(home) + "/import")
    tab.wait_for_selector("text=Paths are paths on the machine")
    assert tab.locator("[data-testid=stSidebarNav] a").count() >= 4
    tab.wait_for_selector("text=Data set")


def focused(tab: Any) -> dict[str, Any]:
    found: dict[str, Any] = tab.evaluate(
        """() => {
            let node = document.activeElement;
            while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
            const outline = getComputedStyle(node).outlineWidth;
            return { concept: node?.dataset?.concept, outline };
        }"""
    )
    return found


def _captions(every: bool = False) -> list[tuple[int, str]]:
    from ui_world import CAPTIONS

    texts = [text for of_image in CAPTIONS for text in of_image]
    return [(i, text) for i, text in enumerate(texts) if every or text in HOSTILE]
