"""A list of queries, each a link, with some columns of numbers; a page of it at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from vlmexplain.ui.shared.address import Codec
from vlmexplain.ui.shared.html import Html, tag, wide

ROWS = 12


def draw_rows(
    page: Codec[Any],
    queries: Sequence[int],
    heads: Sequence[str],
    row: Callable[[int], tuple[str, str, Sequence[str]]],
    nothing: str,
    show: str | None = None,
) -> None:
    """Draw one page of the list, and links to the pages beside it.

    Args:
        page: of the page this stands on; its part ``at`` says which page of the list.
        queries: all queries of the list, in order.
        heads: over the columns after the caption.
        row: a query's caption, its link, and its cells.
        nothing: said when the list is empty.
        show: class of what a chosen query is shown in, which is then scrolled to.
    """
    total = len(queries)
    if not total:
        st.html(tag("div", tag("p", nothing, class_="quiet"), class_="vx"))
        return
    pages = -(-total // ROWS)
    at = min(page.now().at, pages - 1)
    shown = queries[at * ROWS : (at + 1) * ROWS]
    lines = [_line(*row(int(query)), show) for query in shown]
    titles = [
        tag("th", "Query", scope="col"),
        *(tag("th", h, scope="col", class_="r") for h in heads),
    ]
    first = at * ROWS + 1
    turns = [
        tag("a", label, href=page.here(at=to))
        for label, to, there in (("◂ previous", at - 1, at > 0), ("next ▸", at + 1, at + 1 < pages))
        if there
    ]
    st.html(
        tag(
            "div",
            wide("Queries", tag("table", tag("thead", tag("tr", titles)), tag("tbody", lines)),
                 also="rows"),
            tag("p", f"{first:,}–{first + len(lines) - 1:,} of {total:,} ",
                [(turn_link, " ") for turn_link in turns], class_="quiet small num",
                style="margin-top:6px"),
            class_="vx",
        )
    )  # fmt: skip


def _line(text: str, link: str, cells: Sequence[str], show: str | None) -> Html:
    return tag(
        "tr",
        tag("td", tag("a", text, href=link, data_show=show)),
        [tag("td", cell, class_="r") for cell in cells],
    )
