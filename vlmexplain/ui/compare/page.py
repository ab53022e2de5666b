"""The Compare page: two runs on the same queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.metrics.table import METRIC
from vlmexplain.overview.comparison import (
    COMPARED,
    QUADRANTS,
    Comparison,
    Quadrant,
    compare_runs,
    quadrant_queries,
    query_differences,
)
from vlmexplain.scoring.run_store import RunManifest, list_runs
from vlmexplain.ui import caches, state
from vlmexplain.ui.choice import SHOWN_DIGITS, choose
from vlmexplain.ui.compare.side_by_side import draw_side_by_side
from vlmexplain.ui.compare.tables import difference_table, quadrant_table
from vlmexplain.ui.html import tag
from vlmexplain.ui.messages import note, tells
from vlmexplain.ui.overview import address, kept
from vlmexplain.ui.overview.page import add_style
from vlmexplain.ui.overview.query_rows import draw_rows
from vlmexplain.ui.widgets import follow

PAGE = "compare"


@tells
def compare_page() -> None:
    """Draw the page: the two runs, four quadrants, differences, a list, one query in full."""
    add_style()
    st.html(tag("div", tag("h1", "Compare"), class_="vx"))
    choice = choose(state.current())
    runs = list_runs(choice.gallery.id) if choice.gallery else []
    if choice.gallery is None or len(runs) < 2:
        note(tag("p", "Comparing needs two runs of one data set. "
                 "Run a second model, then they stand side by side here."))  # fmt: skip
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    a, b = _chosen(runs)
    found = comparison(a.key, b.key)
    st.html(quadrant_table(found, a.model.name, b.model.name))
    st.html(difference_table(found, a.model.name, b.model.name))
    _list(gallery, a, b, found)
    query = address.number("cquery")
    if query is not None and query < gallery.n_captions:
        draw_side_by_side(gallery, a, b, query)


@st.cache_resource(max_entries=8, show_spinner="Comparing ...")
def comparison(a: str, b: str) -> Comparison:
    """Two runs compared over all queries."""
    return compare_runs(kept.run_columns(a), kept.run_columns(b))


@st.cache_resource(max_entries=16, show_spinner=False)
def ordered(a: str, b: str, quadrant: str, key: str) -> Sequence[int]:
    """The queries of a quadrant in order."""
    name = next((q for q in get_args(Quadrant) if q == quadrant), None)
    queries: Sequence[int] = quadrant_queries(  # type: ignore[assignment]
        comparison(a, b), name, key, kept.run_columns(a), kept.run_columns(b)
    )
    return queries


def _chosen(runs: list[RunManifest]) -> tuple[RunManifest, RunManifest]:
    by_key = {run.key: run for run in runs}
    defaults = (runs[1].key, runs[0].key)
    found = []
    for (name, label), default, spot in zip(
        (("a", "A"), ("b", "B")), defaults, st.columns(2), strict=True
    ):
        wanted = address.part(name)
        key = next((k for k in by_key if wanted and k.startswith(wanted)), default)
        follow(f"compare-{name}", key)
        spot.selectbox(
            f"Run {label}",
            list(by_key),
            key=f"compare-{name}",
            format_func=lambda k: f"{by_key[k].model.name} ({k[:6]}, {by_key[k].mode})",
            on_change=_take(name),
            filter_mode=None,
        )
        found.append(by_key[key])
    return found[0], found[1]


def _take(name: str) -> Callable[[], None]:
    def take() -> None:
        address.put(**{name: st.session_state[f"compare-{name}"][:SHOWN_DIGITS], "at": None,
                       "cquery": None})  # fmt: skip

    return take


def _list(gallery: Gallery, a: RunManifest, b: RunManifest, found: Comparison) -> None:
    quadrant = address.part("quadrant", QUADRANTS, "only-a")
    key = address.part("by", COMPARED, "rr")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    follow("compare-quadrant", quadrant)
    left.segmented_control(
        "Queries",
        list(QUADRANTS),
        key="compare-quadrant",
        format_func=lambda q: f"{QUADRANTS[q]} ({found.counts[q]:,})",
        on_change=lambda: address.put(
            quadrant=st.session_state["compare-quadrant"] or quadrant, at=None, cquery=None
        ),
    )
    follow("compare-by", key)
    right.selectbox(
        "Largest difference first, in",
        list(COMPARED),
        key="compare-by",
        format_func=lambda k: f"{METRIC[k].short}: {METRIC[k].title}",
        on_change=lambda: address.put(by=st.session_state["compare-by"], at=None),
        filter_mode=None,
    )
    one, other = kept.run_columns(a.key), kept.run_columns(b.key)
    differences = query_differences(key, one, other)

    def row(query: int) -> tuple[str, str, list[str]]:
        ranks = [f"{int(c.rank_1based[query]):,}" for c in (one, other)]
        gap = differences[query]
        shown = "undefined" if gap != gap else f"{gap:+.3f}"
        link = address.same_page(PAGE, gallery=gallery.id[:SHOWN_DIGITS], a=a.key[:SHOWN_DIGITS],
                                 b=b.key[:SHOWN_DIGITS], cquery=query)  # fmt: skip
        return gallery.caption(query).text, link, [*ranks, shown]

    draw_rows(
        PAGE,
        ordered(a.key, b.key, quadrant, key),
        ("Rank by A", "Rank by B", f"{METRIC[key].short}, B − A"),
        row,
        "No query is in this quadrant.",
    )
