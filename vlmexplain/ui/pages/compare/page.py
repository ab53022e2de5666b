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
    SIDES,
    Comparison,
    Quadrant,
    Side,
    compare_runs,
    quadrant_queries,
    query_differences,
    sided,
)
from vlmexplain.scoring.run_store import RunManifest, list_runs
from vlmexplain.ui.pages.compare.address import ALL, COMPARE
from vlmexplain.ui.pages.compare.side_by_side import draw_side_by_side
from vlmexplain.ui.pages.compare.tables import difference_table, quadrant_table, signed
from vlmexplain.ui.shared import caches, kept
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.choice import choose, draw_title
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.messages import note, problem, tells
from vlmexplain.ui.shared.query_rows import draw_rows
from vlmexplain.ui.shared.scope import Scope, rows_of
from vlmexplain.ui.shared.scope_bar import draw_scope
from vlmexplain.ui.shared.whole_model_style import add_style
from vlmexplain.ui.shared.widgets import follow

CHOICES: dict[str, str] = {ALL: "All"} | {str(name): said for name, said in QUADRANTS.items()}


@tells
def compare_page() -> None:
    """Draw the page: the two runs, four quadrants, differences, a list, one query in full."""
    add_style()
    choice = choose(COMPARE.now())
    draw_title("Compare", choice)
    for each in (*COMPARE.problems(), *choice.problems):
        problem(each)
    runs = list_runs(choice.gallery.id) if choice.gallery else []
    if choice.gallery is None or len(runs) < 2:
        note(tag("p", "Comparing needs two runs of one data set. "
                 "Run a second model, then they stand side by side here."))  # fmt: skip
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    a, b = _chosen(runs)
    scope = draw_scope(gallery, COMPARE)
    if scope is None:
        return
    found = comparison(gallery, a.key, b.key, scope, scope.key)
    st.html(quadrant_table(found, a.model.name, b.model.name))
    st.html(difference_table(found, a.model.name, b.model.name))
    query = COMPARE.now().cquery
    if query is not None and query < gallery.n_captions:
        draw_side_by_side(gallery, a, b, query)
    _list(gallery, a, b, scope, found)


@st.cache_resource(max_entries=8, show_spinner="Comparing ...")
def comparison(_gallery: Gallery, a: str, b: str, _scope: Scope, scope_key: str) -> Comparison:
    """Two runs compared over a scope."""
    one, other = kept.run_columns(a), kept.run_columns(b)
    return compare_runs(one, other, None if _scope.everything else rows_of(_gallery, one, _scope))


@st.cache_resource(max_entries=16, show_spinner=False)
def ordered(
    _gallery: Gallery, a: str, b: str, _scope: Scope, scope_key: str, quadrant: str, key: str,
    side: str,
) -> Sequence[int]:  # fmt: skip
    """The queries of a quadrant in order, or those of them where one side is better."""
    name = next((q for q in get_args(Quadrant) if q == quadrant), None)
    found = comparison(_gallery, a, b, _scope, scope_key)
    one, other = kept.run_columns(a), kept.run_columns(b)
    queries = quadrant_queries(found, name, key, one, other)
    chosen = next((s for s in get_args(Side) if s == side), None)
    if chosen is not None:
        queries = sided(queries, chosen, key, one, other)
    listed: Sequence[int] = queries  # type: ignore[assignment]
    return listed


def _chosen(runs: list[RunManifest]) -> tuple[RunManifest, RunManifest]:
    by_key = {run.key: run for run in runs}
    defaults = (runs[1].key, runs[0].key)
    found = []
    for (name, label), default, spot in zip(
        (("a", "A"), ("b", "B")), defaults, st.columns(2), strict=True
    ):
        wanted = getattr(COMPARE.now(), name)
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
        key = short(st.session_state[f"compare-{name}"])
        COMPARE.go(**{name: key}, at=0, side="", cquery=None)

    return take


def _list(
    gallery: Gallery, a: RunManifest, b: RunManifest, scope: Scope, found: Comparison
) -> None:
    now = COMPARE.now()
    quadrant, key, side = now.quadrant, now.by, now.side
    _controls(found, quadrant, key)
    if side:
        st.html(_side_said(key, side))
    one, other = kept.run_columns(a.key), kept.run_columns(b.key)
    differences = query_differences(key, one, other)

    def row(query: int) -> tuple[str, str, list[str]]:
        ranks = [f"{int(c.rank_1based[query]):,}" for c in (one, other)]
        gap = differences[query]
        shown = "undefined" if gap != gap else signed(gap)
        link = COMPARE.here(gallery=short(gallery.id), a=short(a.key), b=short(b.key), cquery=query)
        return gallery.caption(query).text, link, [*ranks, shown]

    draw_rows(
        COMPARE,
        ordered(gallery, a.key, b.key, scope, scope.key, quadrant, key, side),
        ("Rank by A", "Rank by B", f"{METRIC[key].short}, B − A"),
        row,
        "No query is among them.",
        show="compare-one",
    )


def _controls(found: Comparison, quadrant: str, key: str) -> None:
    counts = {str(name): n for name, n in found.counts.items()} | {
        "all": sum(found.counts.values())
    }
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    follow("compare-quadrant", quadrant)
    left.segmented_control(
        "Queries",
        list(CHOICES),
        key="compare-quadrant",
        format_func=lambda q: f"{CHOICES[q]} ({counts[q]:,})",
        on_change=lambda: COMPARE.go(
            quadrant=st.session_state["compare-quadrant"] or quadrant, at=0, side="", cquery=None
        ),
    )
    follow("compare-by", key)
    right.selectbox(
        "Largest difference first, in",
        list(COMPARED),
        key="compare-by",
        format_func=lambda k: f"{METRIC[k].short}: {METRIC[k].title}",
        on_change=lambda: COMPARE.go(by=st.session_state["compare-by"], at=0, side=""),
        filter_mode=None,
    )


def _side_said(key: str, side: str) -> Html:
    words = SIDES[side]  # type: ignore[index]
    leave = COMPARE.here(side="", at=0)
    said = tag("span", f"{METRIC[key].title}: {words}", class_="pill slice")
    return tag("div", said, " ", tag("a", "Show the others too", href=leave), class_="vx scope")
