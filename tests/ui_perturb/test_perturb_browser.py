"""The Perturb and LGIP pages in a real browser: typed into, pressed and followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

pytestmark = pytest.mark.browser

Start = Callable[[Path], str]
SLOW_MS = 120_000
FIELD = "Caption: the numbers follow as you type"
HOSTILE = "<b>two</b> $5 :balloon: <img src=x onerror=\"document.title='broken'\"> dogs"


@pytest.fixture
def perturb(tab: Any, start_app: Start, perturb_world: Any) -> Callable[..., Any]:
    """Opens the page at an address and waits for its numbers."""
    tab.set_default_timeout(SLOW_MS)

    def open_page(run: str, **parameters: str) -> Any:
        address = urlencode(perturb_world.parameters(run, **parameters))
        tab.goto(f"{start_app(perturb_world.home)}/perturb?{address}")
        tab.wait_for_selector("[data-score=caption-0-0]")
        tab.wait_for_selector("button.chip")
        settle(tab)
        return tab

    return open_page


def settle(tab: Any) -> None:
    """Wait until the server has answered and the page is drawn."""
    tab.wait_for_timeout(400)  # the pause after which typing counts
    tab.wait_for_function(
        "() => document.querySelector('.stApp')?.dataset.testScriptState !== 'running'"
        " && !document.querySelector('[data-stale=true]')"
    )
    tab.wait_for_timeout(150)


def numbers(tab: Any) -> tuple[str, str]:
    """The caption's similarity with the ground truth, and the rank."""
    return (
        tab.inner_text("[data-score=caption-0-0]"),
        tab.inner_text("[data-rank=caption-0]"),
    )


def address(tab: Any) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(tab.url).query).items()}


def wait_for_address(tab: Any, name: str, value: str | None) -> None:
    tab.wait_for_function(
        "([name, value]) => new URLSearchParams(location.search).get(name) === value",
        arg=[name, value],
    )
    settle(tab)


def test_typing_changes_the_numbers_and_a_link_restores_them(
    perturb: Callable[..., Any], perturb_world: Any, start_app: Start
) -> None:
    tab = perturb(perturb_world.fake_run, query="0")
    before = numbers(tab)
    field = tab.get_by_label(FIELD)
    field.press("End")
    field.type(" on a red bus", delay=15)
    wait_for_address(tab, "caption", "two red dogs and a small cat on a red bus")
    after = numbers(tab)
    assert after != before
    assert field.evaluate("node => node === document.activeElement")
    assert tab.inner_text("[data-score=query-0]") == before[0]
    link = tab.url
    tab.goto("about:blank")
    tab.goto(link)
    tab.wait_for_selector("[data-score=caption-0-0]")
    settle(tab)
    assert tab.get_by_label(FIELD).input_value() == "two red dogs and a small cat on a red bus"
    assert numbers(tab) == after
    tab.get_by_role("button", name="Back to the query's caption").click()
    wait_for_address(tab, "caption", None)
    assert numbers(tab) == before


def test_a_caption_typed_with_pauses_is_one_step_back(
    perturb: Callable[..., Any], perturb_world: Any
) -> None:
    tab = perturb(perturb_world.fake_run, query="0")
    before = numbers(tab)
    steps = tab.evaluate("history.length")
    field = tab.get_by_label(FIELD)
    field.press("End")
    caption = "two red dogs and a small cat"
    for word in (" on", " a", " bus"):
        field.type(word, delay=15)
        caption += word
        wait_for_address(tab, "caption", caption)
    assert tab.evaluate("history.length") == steps + 1
    tab.locator("button.chip").first.click()  # chosen on purpose: a step
    tab.wait_for_function("() => new URLSearchParams(location.search).has('pick')")
    settle(tab)
    assert tab.evaluate("history.length") == steps + 2
    tab.go_back()
    wait_for_address(tab, "caption", caption)
    tab.go_back()
    wait_for_address(tab, "caption", None)
    assert field.input_value() == "two red dogs and a small cat"
    assert numbers(tab) == before


def test_a_perturbation_is_chosen_by_keyboard(
    perturb: Callable[..., Any], perturb_world: Any
) -> None:
    tab = perturb(perturb_world.fake_run, query="0")
    chip = tab.locator("button.chip", has_text="flip").first
    key = chip.get_attribute("data-key")
    chip.focus()
    tab.keyboard.press("Enter")
    wait_for_address(tab, "pick", key)
    tab.wait_for_selector(f"[data-picked='{key}'] ins")
    assert tab.locator(f"button.chip[data-key='{key}']").get_attribute("aria-pressed") == "true"
    focused = "() => { let n = document.activeElement; while (n?.shadowRoot?.activeElement)"
    focused += " n = n.shadowRoot.activeElement; return n?.dataset?.key }"
    assert tab.evaluate(focused) == key
    assert tab.locator(".strip").count() == 2
    tab.get_by_role("button", name="Take it into the field").click()
    wait_for_address(tab, "pick", None)
    assert tab.get_by_label(FIELD).input_value() == address(tab)["caption"]


def test_hostile_captions_stay_text(perturb: Callable[..., Any], perturb_world: Any) -> None:
    tab = perturb(perturb_world.fake_run, query="0")
    tab.get_by_label(FIELD).fill(HOSTILE)
    wait_for_address(tab, "caption", HOSTILE)
    page = tab.inner_text("body")
    assert "<b>two</b> $5 :balloon: <img src=x" in page
    assert tab.locator("img[src=x]").count() == 0 and tab.title() != "broken"
    assert "🎈" not in page and tab.locator(".katex").count() == 0


def test_a_caption_past_77_tokens(perturb: Callable[..., Any], perturb_world: Any) -> None:
    long = "a photo " + "of many things " * 25 + "and a red bus"
    tab = perturb(perturb_world.clip_run, query="0", caption=long, mode="paper")
    said = tab.inner_text(".tokens")
    assert "83 of 77 tokens" in said and "6 cut off: not seen by the model" in said
    assert tab.inner_text(".as-read s").strip() == "many things and a red bus"
    flip = tab.locator(".row.line", has_text="red →").first
    assert "past the cut: not seen by the model" in flip.inner_text()
    tab.get_by_label(FIELD).fill("a red bus")
    wait_for_address(tab, "caption", "a red bus")
    assert "5 of 77 tokens" in tab.inner_text(".tokens")


def test_explore_leads_here_and_back(tab: Any, start_app: Start, perturb_world: Any) -> None:
    tab.set_default_timeout(SLOW_MS)
    parameters = perturb_world.parameters(perturb_world.fake_run, query="1", search="large")
    tab.goto(f"{start_app(perturb_world.home)}/?{urlencode(parameters)}")
    tab.get_by_role("link", name="Perturb this caption").click()
    tab.wait_for_selector("[data-score=caption-0-0]")
    settle(tab)
    assert tab.get_by_label(FIELD).input_value() == "A large dog next to a blue bus"
    assert address(tab)["query"] == "1"
    tab.get_by_role("link", name="Back to this query in Explore").click()
    tab.wait_for_selector("[data-card=sd]")
    settle(tab)
    assert urlsplit(tab.url).path == "/"
    assert address(tab)["query"] == "1" and address(tab)["search"] == "large"


def test_the_maps_are_made_in_the_background(
    perturb: Callable[..., Any], perturb_world: Any
) -> None:
    tab = perturb(perturb_world.clip_run, query="0", cells="3")
    tab.get_by_role("button", name="Cover the pictures part by part").click()
    tab.locator(".maps figure").nth(1).wait_for()  # the first picture's map comes first
    settle(tab)
    assert tab.locator(".maps figure").count() == 2
    assert tab.locator(".maps figure").first.locator(".grid i").count() == 12
    before = tab.locator(".maps figcaption").first.inner_text()
    tab.get_by_label(FIELD).fill("an orange truck")
    wait_for_address(tab, "caption", "an orange truck")
    assert tab.locator(".maps figcaption").first.inner_text() != before


def test_another_query_is_found_by_its_words(
    perturb: Callable[..., Any], perturb_world: Any
) -> None:
    tab = perturb(perturb_world.fake_run, query="0")
    tab.get_by_text("Another query or image").click()
    tab.get_by_label("Search in captions").fill("ORANGE truck")
    row = tab.locator(".row", has_text="an orange truck beside a white car")
    row.wait_for()
    row.get_by_role("button", name="Take as the query").click()
    tab.wait_for_function(
        "label => document.querySelector(`input[aria-label='${label}']`)?.value.includes('orange')",
        arg=FIELD,
    )
    settle(tab)
    assert tab.get_by_label(FIELD).input_value() == "an orange truck beside a white car"


def test_the_lgip_page_opens_a_triple(tab: Any, start_app: Start, perturb_world: Any) -> None:
    tab.set_default_timeout(SLOW_MS)
    parameters = urlencode(perturb_world.parameters(perturb_world.fake_run))
    tab.goto(f"{start_app(perturb_world.home)}/lgip?{parameters}")
    tab.wait_for_selector(".plane .point")
    row = tab.locator(".row", has=tab.get_by_role("button", name="Open on the Perturb page")).first
    text = row.get_by_role("button").get_attribute("aria-label").split(": ", 1)[1]
    row.get_by_role("button").click()
    tab.wait_for_selector("[data-picked]")
    settle(tab)
    assert urlsplit(tab.url).path == "/perturb"
    key = address(tab)["pick"]
    chip = tab.locator(f"button.chip[data-key='{key}']")
    assert text in (chip.get_attribute("aria-label") or "")


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_wider_than_the_page(
    perturb: Callable[..., Any], perturb_world: Any, width: int
) -> None:
    tab = perturb(perturb_world.fake_run, query="0", second="fake:9")
    tab.set_viewport_size({"width": width, "height": 900})
    settle(tab)
    assert (
        tab.evaluate(
            "() => { const m = document.querySelector('[data-testid=stMain]');"
            " return m.scrollWidth - m.clientWidth }"
        )
        <= 0
    )
