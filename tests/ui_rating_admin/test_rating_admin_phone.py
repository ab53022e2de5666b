"""The analysis on a phone: wide tables say so and scroll by keyboard; charts in our colours."""

from __future__ import annotations

from typing import Any

import pytest

from vlmexplain.ui.shared.theme import PALETTE

pytestmark = pytest.mark.browser

TABLE = "[role=region][aria-label=Class]"
FILL = "(bar) => getComputedStyle(bar).fill"


def rgb(colour: str) -> str:
    """A palette colour as the browser says it."""
    return "rgb({}, {}, {})".format(*bytes.fromhex(colour[1:]))


@pytest.mark.parametrize(("theme", "scheme"), list(enumerate(("light", "dark"))))
def test_wide_tables_and_charts_on_a_phone(
    rating_world: Any, start_app: Any, tab: Any, theme: int, scheme: str
) -> None:
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": 390, "height": 844})
    page = f"{start_app(rating_world.home)}/rating_analysis?session={rating_world.rated.id}"
    tab.goto(page)
    bar = tab.locator(".js-plotly-plot .points path").first
    bar.wait_for(state="attached")
    assert bar.evaluate(FILL) == rgb(PALETTE["accent"][theme])

    tab.goto(f"{page}&view=classes")
    table = tab.locator(TABLE)
    table.wait_for()
    main = "() => document.querySelector('[data-testid=stMain]').scrollWidth"
    assert tab.evaluate(main) <= 390
    assert table.evaluate("(node) => node.scrollWidth - node.clientWidth") > 50
    edges = table.evaluate("(node) => getComputedStyle(node).backgroundAttachment")
    assert edges == "local, local, scroll, scroll"
    cells = table.locator("tbody tr").first.locator("td")
    first, last = cells.first, cells.last
    before, hidden = first.bounding_box(), last.bounding_box()
    table.focus()
    for _ in range(12):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_function(
        "(selector) => { const node = document.querySelector(selector);"
        " return node.scrollLeft + node.clientWidth >= node.scrollWidth - 1; }",
        arg=TABLE,
    )
    assert first.bounding_box()["x"] == before["x"]
    assert last.bounding_box()["x"] < hidden["x"] and last.bounding_box()["x"] > before["x"]
