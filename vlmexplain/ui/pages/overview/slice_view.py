"""Slices on the Overview page: lines that open as a list, and the figures of the chosen slice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.behind import figure_queries
from vlmexplain.overview.columns import COLUMNS
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.overview.saved_slices import slice_parts
from vlmexplain.overview.slices import (
    Slice,
    SliceLine,
    slices_by_concept,
    slices_by_length,
    slices_by_objects,
    slices_by_supercategory,
)
from vlmexplain.overview.table_text import ARROW, interval_text, value_text
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.pages.overview.behind_view import behind_link
from vlmexplain.ui.pages.overview.failure_list import draw_queries
from vlmexplain.ui.shared import kept
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.scope import (
    Scope,
    current_scope,
    facts_of,
    groups_of,
    parts_of,
    rows_of,
    slice_name,
)
from vlmexplain.ui.shared.widgets import follow
from vlmexplain.ui.shared.words import short_name

KINDS = {
    "concept": "Concept",
    "supercategory": "Supercategory (WordNet)",
    "words": "Caption length",
    "objects": "Number of objects",
}
ASKS = {
    "concept": ("concept",),
    "supercategory": ("above",),
    "words": ("words_from", "words_to"),
    "objects": ("objects_from", "objects_to"),
}
"""Which parts of a slice the lines of a kind set."""

LINES = 25
HEADS = ("Slice", "Queries", "Failures", "Share that failed", "CA", "MRR")


def draw_slices(gallery: Gallery, run: Run) -> None:
    """The lines of one kind, the figures of the chosen slice, and its failures."""
    columns = kept.run_columns(run.key)
    kind = _kind()
    scope = current_scope(gallery.id)
    default = Slice()
    within = replace(scope.slice, **{name: getattr(default, name) for name in ASKS[kind]})
    rows = rows_of(gallery, columns, Scope(within, scope.without))
    lines = _lines(kind, columns, facts_of(gallery, gallery.id), rows)
    if within != default:
        said = f"Within {slice_name(within)}: a line is chosen on top of it."
        st.html(tag("div", tag("p", said, class_="quiet small"), class_="vx"))
    _line_table(lines, within, run.key)
    if scope.slice == default:
        return
    chosen = rows_of(gallery, columns, scope)
    st.html(tag("div", tag("h2", slice_name(scope.slice)), class_="vx"))
    st.html(_figures(gallery, run, scope))
    draw_queries(gallery, run, figure_queries("n_failures", columns, chosen).tolist())


def _kind() -> str:
    kind = OVERVIEW.now().kind
    follow("slice-kind", kind)
    st.segmented_control(
        "Slice by", list(KINDS), format_func=KINDS.__getitem__, key="slice-kind",
        on_change=lambda: OVERVIEW.go(kind=st.session_state["slice-kind"] or kind, lines=0),
    )  # fmt: skip
    return kind


def _lines(
    kind: str, columns: RunColumns, facts: GalleryFacts, rows: NDArray[np.bool_]
) -> tuple[SliceLine, ...]:
    if kind == "words":
        return slices_by_length(columns, rows)
    if kind == "objects":
        return slices_by_objects(columns, facts, rows)
    if kind == "supercategory":
        return slices_by_supercategory(columns, facts, rows, groups_of(facts.concepts))
    return slices_by_concept(columns, facts, rows)


def _line_table(lines: tuple[SliceLine, ...], within: Slice, run_key: str) -> None:
    pages = max(1, -(-len(lines) // LINES))
    at = min(OVERVIEW.now().lines, pages - 1)
    shown = lines[at * LINES : (at + 1) * LINES]
    body = [_line(line, within, run_key) for line in shown]
    turns = [
        tag("a", label, href=OVERVIEW.here(lines=to))
        for label, to, there in (("◂ previous", at - 1, at > 0), ("next ▸", at + 1, at + 1 < pages))
        if there
    ]
    heads = [tag("th", head, scope="col", class_="r" if n else None)
             for n, head in enumerate(HEADS)]  # fmt: skip
    first = at * LINES + 1
    st.html(
        tag(
            "div",
            wide("Slices", tag("table", tag("thead", tag("tr", heads)), tag("tbody", body)),
                 also="rows"),
            tag("p", f"{first:,}–{first + len(shown) - 1:,} of {len(lines):,}, the most failures "
                "first ", [(turn, " ") for turn in turns], class_="quiet small num")
            if pages > 1 else None,
            class_="vx",
        )
    )  # fmt: skip


def _line(line: SliceLine, within: Slice, run_key: str) -> Html:
    own = {name: getattr(line.slice, name) for name in slice_parts(line.slice)}
    asked = replace(within, **own)
    parts = parts_of(asked) | {"view": "slices", "at": 0, "behind": ""}
    link = OVERVIEW.here(**parts)

    def opens(text: str | Html, figure: str) -> Html:
        more = {"behind": f"figure:{figure}", "run": short(run_key)}
        return tag("a", text, href=OVERVIEW.here(**{**parts, **more}))

    ca = tag("span", "undefined", class_="undefined")
    if line.ca is not None:
        ca = opens(f"{100 * line.ca:.1f} % ({line.n_ca:,})", "ca")
    mrr = tag("span", "undefined", class_="undefined")
    if line.mrr is not None:
        mrr = opens(f"{line.mrr:.3f}", "mrr")
    cells = (
        opens(f"{line.n_queries:,}", "mrr"),
        opens(f"{line.n_failures:,}", "n_failures"),
        _share(line.failure_share, opens),
        ca,
        mrr,
    )
    name = tag("td", tag("a", short_name(line.name), href=link, title=line.name))
    return tag("tr", name, [tag("td", cell, class_="r") for cell in cells])


def _share(share: float | None, opens: Callable[[Html, str], Html]) -> Html:
    if share is None:
        return tag("span", "undefined", class_="undefined")
    bar = tag("span", tag("i", style=f"width:{100 * share:.1f}%"), class_="meterbar",
              aria_hidden="true")  # fmt: skip
    text = tag("span", bar, tag("span", f"{100 * share:.1f} %", class_="after"))
    return opens(text, "n_failures")


def _figures(gallery: Gallery, run: Run, scope: Scope) -> Html:
    figures, _ = kept.figures_of(gallery, run.key, scope, scope.key)
    found = {figure.key: figure for figure in figures}
    body = [
        tag("tr", tag("td", column.title, " ", ARROW[column.good]),
            tag("td", _value(value_text(column, found[column.key]), run.key, column.key,
                             found[column.key].value is not None), class_="r"),
            tag("td", interval_text(column, found[column.key]), class_="r"),
            tag("td", f"{found[column.key].n_cases:,} {column.cases}", class_="r"))
        for column in COLUMNS if column.key in found
    ]  # fmt: skip
    table = wide("All figures of this slice", tag("table", tag("tbody", body)), also="rows")
    return tag("div", tag("details", tag("summary", "All figures of this slice"), table),
               class_="vx")  # fmt: skip


def _value(text: str, run_key: str, key: str, defined: bool) -> Html:
    if not defined:
        return tag("span", text, class_="undefined")
    return tag("a", text, href=behind_link(run_key, f"figure:{key}"))
