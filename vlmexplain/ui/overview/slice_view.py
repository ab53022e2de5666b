"""Slices on the Overview page: lines that open as a list, concept errors, saved by their link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.columns import COLUMNS
from vlmexplain.overview.figures import run_figures
from vlmexplain.overview.gallery_facts import GalleryFacts, gallery_facts, groups_above
from vlmexplain.overview.marks import read_marks, wrong_captions
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.overview.slices import (
    Slice,
    SliceLine,
    chosen_rows,
    slices_by_concept,
    slices_by_length,
    slices_by_objects,
    slices_by_supercategory,
)
from vlmexplain.overview.table_text import ARROW, interval_text, value_text
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui import caches
from vlmexplain.ui.html import Html, tag
from vlmexplain.ui.overview import address, kept
from vlmexplain.ui.overview.links import explore_link
from vlmexplain.ui.overview.query_rows import draw_rows
from vlmexplain.ui.widgets import follow
from vlmexplain.ui.words import short_name

KINDS = {
    "concept": "Concept",
    "supercategory": "Supercategory (WordNet)",
    "words": "Caption length",
    "objects": "Number of objects",
}
MOST_LINES = 25


@st.cache_resource(max_entries=2, show_spinner="Reading the gallery ...")
def facts_of(_gallery: Gallery, gallery_id: str) -> GalleryFacts:
    """What slices look at, once a gallery."""
    return gallery_facts(_gallery)


@st.cache_resource(max_entries=4, show_spinner=False)
def groups_of(concepts: tuple[str, ...]) -> dict[str, NDArray[np.intp]]:
    """The supercategories of a gallery."""
    return groups_above(concepts, caches.wordnet().hypernym_closure)


def asked_slice() -> Slice:
    """The slice that the address names."""
    return Slice(
        concept=address.part("concept"),
        above=address.part("above"),
        words_from=address.number("words_from", 0) or 0,
        words_to=address.number("words_to"),
        objects_from=address.number("objects_from", 0) or 0,
        objects_to=address.number("objects_to"),
    )


def left_out(gallery_id: str) -> tuple[int, ...]:
    """The captions that are left out: the marked ones, when the switch is on."""
    if address.part("marked", ("without", "")) != "without":
        return ()
    return wrong_captions(read_marks(gallery_id))


def draw_marked_switch(gallery_id: str) -> None:
    """The switch "without marked cases"."""
    n = len(wrong_captions(read_marks(gallery_id)))
    on = address.part("marked", ("without", "")) == "without"
    follow("marked", on)
    st.toggle(
        f"Without marked cases ({n:,})",
        key="marked",
        help="Leaves out the captions that the Audit page marked as wrong caption or annotation.",
        on_change=lambda: address.put(marked="without" if st.session_state["marked"] else None),
    )


def rows_of(gallery: Gallery, columns: RunColumns) -> NDArray[np.bool_]:
    """The queries of the slice that the address names."""
    facts = facts_of(gallery, gallery.id)
    return chosen_rows(columns, facts, asked_slice(), groups_of(facts.concepts),
                       left_out(gallery.id))  # fmt: skip


def draw_slices(gallery: Gallery, run: Run) -> None:
    """The lines of one kind, the figures of the chosen slice, and its failures."""
    columns = kept.run_columns(run.key)
    facts = facts_of(gallery, gallery.id)
    kind = address.part("kind", KINDS, "concept")
    follow("slice-kind", kind)
    st.segmented_control(
        "Slice by", list(KINDS), format_func=KINDS.__getitem__, key="slice-kind",
        on_change=lambda: address.put(kind=st.session_state["slice-kind"] or kind),
    )  # fmt: skip
    everything = np.ones(len(columns), dtype=bool)
    everything[list(left_out(gallery.id))] = False
    lines = _lines(kind, columns, facts, everything)
    st.html(_line_table(lines))
    asked = asked_slice()
    if asked == Slice():
        return
    rows = rows_of(gallery, columns)
    st.html(tag("div", tag("h2", slice_name(asked)), tag("p", "This page's address names the slice:"
                " save or share it as a link. ", tag("a", "Leave the slice", target="_self",
                href=_to(Slice())), class_="quiet small"), class_="vx"))  # fmt: skip
    st.html(_figures(columns, rows))
    draw_failures(gallery, run, np.flatnonzero(rows & columns.failure))


def draw_failures(gallery: Gallery, run: Run, queries: NDArray[np.intp]) -> None:
    """A list of queries, each a link to all its evidence."""
    columns = kept.run_columns(run.key)
    order = queries[np.argsort(-columns.rank_1based[queries], kind="stable")]

    def row(query: int) -> tuple[str, str, Sequence[str]]:
        values = (columns.ca[query], columns.ncs[query], columns.ce[query], columns.sd[query])
        cells = [f"{int(columns.rank_1based[query]):,}",
                 *("undefined" if v != v else f"{v:.3f}" for v in values)]  # fmt: skip
        link = explore_link(gallery.id, run.key, {"query": query, "failures": "no"})
        return gallery.caption(query).text, link, cells

    draw_rows("overview", order.tolist(), ("Rank", "CA", "NCS", "CE", "SD"), row,
              "No failure is among them.")  # fmt: skip


def slice_name(asked: Slice) -> str:
    """A slice in words.

    >>> slice_name(Slice(concept="dog.n.01", words_from=15))
    'dog, 15 words or more'
    """
    parts = [short_name(asked.concept)] if asked.concept else []
    parts += [f"any {short_name(asked.above)}"] if asked.above else []
    for low, high, what in (
        (asked.words_from, asked.words_to, "words"),
        (asked.objects_from, asked.objects_to, "objects"),
    ):
        if high is not None:
            parts.append(f"{low} to {high} {what}")
        elif low:
            parts.append(f"{low} {what} or more")
    return ", ".join(parts) or "all queries"


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


def _line_table(lines: tuple[SliceLine, ...]) -> Html:
    heads = ("Slice", "Queries", "Failures", "Share that failed", "CA", "MRR")
    body = [
        tag("tr",
            tag("td", tag("a", short_name(line.name), href=_to(line.slice), target="_self",
                          title=line.name)),
            tag("td", f"{line.n_queries:,}", class_="r"),
            tag("td", f"{line.n_failures:,}", class_="r"),
            tag("td", _share(line.failure_share), class_="r"),
            tag("td", "undefined" if line.ca is None else f"{100 * line.ca:.1f} % ({line.n_ca:,})",
                class_="r"),
            tag("td", "undefined" if line.mrr is None else f"{line.mrr:.3f}", class_="r"))
        for line in lines[:MOST_LINES]
    ]  # fmt: skip
    more = len(lines) - MOST_LINES
    return tag(
        "div",
        tag("div", tag("table", tag("thead", tag("tr", [
            tag("th", head, scope="col", class_="r" if n else None)
            for n, head in enumerate(heads)])), tag("tbody", body)), class_="wide rows"),
        tag("p", f"The {MOST_LINES} with the most failures; {more:,} more.", class_="quiet small")
        if more > 0 else None,
        class_="vx",
    )  # fmt: skip


def _to(asked: Slice) -> str:
    parts = {name: value if value not in (0, "") else None for name, value in asdict(asked).items()}
    return address.same_page("overview", **{**parts, "at": None, "view": "slices"})


def _share(share: float | None) -> Html:
    if share is None:
        return tag("span", "undefined", class_="undefined")
    bar = tag("span", tag("i", style=f"width:{100 * share:.1f}%"), class_="meterbar",
              aria_hidden="true")  # fmt: skip
    return tag("span", bar, f" {100 * share:.1f} %")


def _figures(columns: RunColumns, rows: NDArray[np.bool_]) -> Html:
    found = {figure.key: figure for figure in run_figures(columns, rows)}
    body = [
        tag("tr", tag("td", column.title, " ", ARROW[column.good]),
            tag("td", value_text(column, found[column.key]), class_="r"),
            tag("td", interval_text(column, found[column.key]), class_="r"),
            tag("td", f"{found[column.key].n_cases:,} {column.cases}", class_="r"))
        for column in COLUMNS if column.key in found
    ]  # fmt: skip
    table = tag("table", tag("tbody", body))
    return tag("div", tag("details", tag("summary", "All figures of this slice"), table),
               class_="vx")  # fmt: skip
