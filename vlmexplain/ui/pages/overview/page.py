"""The Overview page: every run of a gallery beside the others."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.order import order_lines
from vlmexplain.overview.table import OverviewTable
from vlmexplain.overview.table_text import (
    INTERVAL_TEXT,
    as_csv,
    as_latex,
    as_markdown,
    as_parquet,
)
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.pages.overview.behind_view import draw_behind
from vlmexplain.ui.pages.overview.concept_view import draw_concepts
from vlmexplain.ui.pages.overview.corrected_view import corrected_box
from vlmexplain.ui.pages.overview.distribution_view import draw_distributions
from vlmexplain.ui.pages.overview.figure_table import figure_table
from vlmexplain.ui.pages.overview.slice_view import draw_slices
from vlmexplain.ui.shared import caches, kept
from vlmexplain.ui.shared.choice import choose, chosen_run, draw_title
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.messages import note, problem, tells
from vlmexplain.ui.shared.scope import Scope
from vlmexplain.ui.shared.scope_bar import draw_scope
from vlmexplain.ui.shared.whole_model_style import add_style
from vlmexplain.ui.shared.widgets import follow


def _nothing(_: Gallery, __: Run) -> None:
    """The figures are drawn for all runs."""


VIEWS: dict[str, tuple[str, Callable[[Gallery, Run], None]]] = {
    "figures": ("Figures", _nothing),
    "distributions": ("Distributions", draw_distributions),
    "slices": ("Slices", draw_slices),
    "concepts": ("Concepts", draw_concepts),
}
DOWNLOADS: tuple[tuple[str, str, str, Callable[[OverviewTable], str | bytes]], ...] = (
    ("CSV", "csv", "text/csv", as_csv),
    ("Parquet", "parquet", "application/vnd.apache.parquet", as_parquet),
    ("Markdown", "md", "text/markdown", as_markdown),
    ("LaTeX", "tex", "text/x-tex", as_latex),
)


@tells
def overview_page() -> None:
    """Draw the page for the gallery chosen in the sidebar."""
    add_style()
    choice = choose(OVERVIEW.now())
    for each in (*OVERVIEW.problems(), *choice.problems):
        problem(each)
    draw_title("Overview", choice)
    if choice.gallery is None:
        note(tag("p", "The worked example is one failure. Choose a data set to see a whole model."))
        return
    run = chosen_run(choice)
    if run is None:
        note(tag("p", tag("b", f"No model has ranked {choice.gallery.name} yet.")),
             tag("p", "Run a model; its figures then stand here."))  # fmt: skip
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    view = _view()
    scope = draw_scope(gallery, OVERVIEW)
    if scope is None:
        return
    behind = OVERVIEW.now().behind
    if behind:
        draw_behind(gallery, run, behind)
    elif view == "figures":
        _figures(gallery, scope)
    else:
        st.html(tag("div", tag("p", f"{run.model.name}, chosen in the sidebar",
                    class_="quiet small"), class_="vx"))  # fmt: skip
        VIEWS[view][1](gallery, run)


def _view() -> str:
    """Which view is chosen."""
    view = OVERVIEW.now().view
    follow("view", view)
    st.segmented_control(
        "View",
        list(VIEWS),
        format_func=lambda key: VIEWS[key][0],
        key="view",
        label_visibility="collapsed",
        on_change=lambda: OVERVIEW.go(
            view=st.session_state["view"] or view, at=0, within="", behind=""
        ),
    )
    return view


def _figures(gallery: Gallery, scope: Scope) -> None:
    table = kept.table_of(gallery, scope)
    st.html(order_box(table))
    corrected = corrected_box(gallery, table, scope)
    if corrected:
        st.html(corrected)
    st.html(figure_table(table, scope.everything))
    st.html(_legend())
    _downloads(table, gallery.name)


def order_box(table: OverviewTable) -> Html | str:
    """Where explainable metrics and ranks disagree on the order of the models."""
    lines = order_lines(table)
    if not lines:
        return tag(
            "div",
            tag("p", "One run so far: run a second model to compare the order of models by rank "
                "with the order by explainable metrics.", class_="quiet"),
            class_="vx",
        )  # fmt: skip
    return tag(
        "div",
        tag("div", [tag("p", line) for line in lines], class_="order", role="note"),
        class_="vx",
    )


def _legend() -> Html:
    return tag(
        "div",
        tag("p", "▲ best, ▽ worst of a line; ↑ high is good, ↓ low is good, · no direction. Each "
            "number opens the queries behind it. ", INTERVAL_TEXT,
            " Every model has failures of its own, so a mean over failures compares different "
            "queries; the Compare page takes two models on the same ones.",
            class_="quiet small"),
        class_="vx",
    )  # fmt: skip


def _downloads(table: OverviewTable, name: str) -> None:
    with st.container(horizontal=True):
        for label, ending, mime, write in DOWNLOADS:
            st.download_button(
                label,
                data=write(table),
                file_name=f"overview-{''.join(c if c.isalnum() else '-' for c in name)}.{ending}",
                mime=mime,
                on_click="ignore",
                icon=":material/download:",
                key=f"download-{ending}",
            )
