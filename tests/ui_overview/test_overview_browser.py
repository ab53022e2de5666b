"""The whole-model pages in a real browser: links, selections, arrow keys."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import at_home, new_home

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ui_world import CAPTIONS, write_world

from vlmexplain.overview.run_columns import read_columns

pytestmark = pytest.mark.browser

PLOT = "[data-testid=stPlotlyChart] .nsewdrag"
READY = "() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A home with the made gallery and two runs."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("overview-browser")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="made")
        runs = [run(gallery, "fake-text"), run(gallery, "fake")]
    yield home, gallery, runs


def go(tab: Any, start_app: Any, world: Any, path: str) -> None:
    tab.set_default_timeout(120_000)
    tab.goto(start_app(world[0]) + path)
    tab.wait_for_selector(".vx h1, .vx.present", state="attached")
    tab.wait_for_function(READY)


def wait_for_arrows(tab: Any) -> None:
    """The buttons that the arrow keys press come a moment after the slide."""
    tab.wait_for_selector(".st-key-turns button >> nth=1", state="attached")


def test_links_turn_the_page_without_loading_it_anew(
    tab: Any, start_app: Any, world: Any
) -> None:  # fmt: skip
    go(tab, start_app, world, "/overview")
    tab.wait_for_function("() => window.vlmexplainLinks === true")
    tab.evaluate("() => { window.same = true; }")
    tab.click('[data-figure="ca"] a')
    tab.wait_for_selector(".vx blockquote")
    assert "metric=ca" in tab.url and tab.evaluate("() => window.same")
    tab.go_back()
    tab.wait_for_selector('[data-figure="ca"]')
    tab.get_by_text("Slices", exact=True).first.click()
    tab.wait_for_selector(".rows a")
    tab.click(".rows a >> text=dog")
    tab.wait_for_selector("text=Leave the slice")
    assert "concept=dog.n.01" in tab.url
    tab.click("text=Leave the slice")
    tab.wait_for_selector("text=Leave the slice", state="detached")
    assert "concept" not in tab.url and tab.evaluate("() => window.same")


def test_an_arrow_of_the_network_opens_its_failures(
    tab: Any, start_app: Any, world: Any
) -> None:  # fmt: skip
    go(tab, start_app, world, "/overview?view=concepts")
    count = tab.locator("a.count").first
    count.wait_for()
    said = count.get_attribute("title")
    names = re.match(r"(.*) → (.*): ([\d,]+) failures", said).groups()
    count.click()
    tab.wait_for_selector(f"h2:has-text('Confused: {names[0]} → {names[1]}')")
    assert tab.locator(f"text=/of {names[2]} /").count() == 1


def test_a_dragged_box_opens_the_failures_in_it(tab: Any, start_app: Any, world: Any) -> None:
    columns = read_columns(world[2][1])
    run = world[2][1].key[:12]
    go(tab, start_app, world, f"/overview?view=distributions&x=rank_1based&y=n_words&run={run}")
    tab.wait_for_selector(f"{PLOT} >> nth=1", state="attached")
    tab.wait_for_function(READY)
    box = tab.locator(PLOT).nth(1).bounding_box()
    left, top, width, height = box["x"], box["y"], box["width"], box["height"]
    tab.mouse.move(left + 1, top + 1)
    tab.mouse.down()
    tab.mouse.move(left + width / 2, top + height / 2, steps=5)
    tab.mouse.move(left + width - 1, top + height - 1, steps=5)
    tab.mouse.up()
    heading = tab.locator("h2", has_text="selected failures")
    heading.wait_for()
    assert heading.inner_text().startswith(f"{int(columns.failure.sum()):,} selected failures")
    shared, said = tab.url, heading.inner_text()
    assert "within=box" in shared
    tab.go_back()
    heading.wait_for(state="detached")
    assert "within" not in tab.url
    tab.goto(shared)  # as somebody else who is given the link
    heading.wait_for()
    assert heading.inner_text() == said
    tab.wait_for_selector(".js-plotly-plot .shapelayer path", state="attached")


def test_a_list_is_handed_over_and_presented(tab: Any, start_app: Any, world: Any) -> None:
    run = world[2][1].key[:12]
    go(tab, start_app, world, f"/overview?behind=figure:n_failures&run={run}")
    tab.wait_for_selector(".rows tbody a")
    listed = tab.locator(".rows tbody tr").count()
    failures = int(read_columns(world[2][1]).failure.sum())
    assert listed == min(failures, 12)
    first, second = tab.locator(".rows tbody a").all_inner_texts()[:2]
    found = {}
    for ending in ("HTML", "JSON"):
        tab.get_by_role("button", name="Hand over").click()
        with tab.expect_download() as waiting:
            tab.get_by_text(f"First {min(failures, 20)} of the list ({ending})").click()
        found[ending] = Path(waiting.value.path()).read_text("utf-8")
        tab.keyboard.press("Escape")
    handed = json.loads(found["JSON"])["failures"]
    assert [one["query"] for one in handed][:2] == [first, second]
    assert len(handed) == min(failures, 20)
    assert found["HTML"].count("<blockquote") == len(handed) and first in found["HTML"]
    tab.get_by_role("link", name="Present the list").click()
    quote = tab.locator(".vx.present blockquote")
    quote.wait_for()
    assert quote.inner_text() == first
    wait_for_arrows(tab)
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function(
        "text => document.querySelector('.vx.present blockquote')?.innerText === text", arg=second
    )


def test_explore_hands_over_a_query_and_its_list(tab: Any, start_app: Any, world: Any) -> None:
    tab.set_default_timeout(120_000)
    tab.goto(start_app(world[0]) + f"/?run={world[2][1].key[:12]}&query=3")
    tab.get_by_role("button", name="Hand over").click()
    for label, n in (("This query (JSON)", 1), ("of the list (JSON)", None)):
        with tab.expect_download() as waiting:
            tab.get_by_text(label).click()
        handed = json.loads(Path(waiting.value.path()).read_text("utf-8"))["failures"]
        assert len(handed) == n if n else len(handed) > 1
    assert tab.get_by_text("This query (HTML)").count() == 1


def test_arrow_keys_go_through_the_saved_list(tab: Any, start_app: Any, world: Any) -> None:
    captions = [text for texts in CAPTIONS for text in texts]
    go(tab, start_app, world, "/present?list=3,0,6&notes=first|second%20%3Cb%3Enote%3C/b%3E|third")
    shown = tab.locator(".vx.present blockquote")

    def expect(query: int, note: str) -> None:
        tab.wait_for_function(
            "([text, note]) => document.querySelector('.vx.present blockquote')?.innerText === text"
            " && document.querySelector('.notes')?.innerText === note",
            arg=[captions[query], note],
        )

    expect(3, "first")
    wait_for_arrows(tab)
    assert tab.locator("[data-testid=stSidebar]").is_hidden()
    assert tab.locator("[data-testid=stHeader]").is_hidden()
    size = shown.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
    assert size >= 32
    tab.keyboard.press("ArrowRight")
    expect(0, "second <b>note</b>")
    tab.keyboard.press("ArrowRight")
    expect(6, "third")
    assert "slide=3" in tab.url
    tab.keyboard.press("ArrowLeft")
    expect(0, "second <b>note</b>")
