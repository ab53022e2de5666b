"""The sources of positives that a gallery has: named, dated, counted; added and removed."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.positives.sources import KINDS
from vlmexplain.positives.store import add_source, remove_source
from vlmexplain.positives.summary import GallerySummary, SourceSummary, gallery_summary
from vlmexplain.storage import read_only
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.messages import told

HEADS = ("Added", "Queries", "Fit too", "Do not fit", "Disputed", "Unknown ids")


def draw_positives(gallery: Gallery) -> None:
    """What is accepted beyond the captions' own images, and from where."""
    summary = gallery_summary(gallery)
    st.html(_about(gallery, summary))
    if summary.sources:
        st.html(tag("div", _table(summary), class_="vx"))
    if read_only():
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Add a source",
            key="positives-source",
            placeholder="eccv-caption, cxc, marks, session:ID, or a file on this machine",
            on_change=_add,
            args=(gallery,),
            width=420,
        )
        with st.popover("Remove", disabled=not summary.sources):
            for one in summary.sources:
                name = one.source.name
                st.button(name, key=f"remove-{name}", on_click=_remove, args=(gallery, name))
    st.html(tag("div", tag("details", tag("summary", "What can be added"), _kinds()), class_="vx"))


def _about(gallery: Gallery, summary: GallerySummary) -> Html:
    said = (
        f"{summary.n_positives:,} images fit a query beyond its own; {summary.n_judged:,} of "
        f"{summary.n_queries:,} queries were judged by a source that lists its queries."
        if summary.sources
        else "Only each caption's own image counts as right: no source says what else fits."
    )
    disputed = (
        f"{summary.n_disputed:,} are disputed: accepted by one source and rejected by another; "
        "both words stay, and figures count them as accepted."
        if summary.n_disputed
        else None
    )
    return tag("div", tag("p", said), tag("p", disputed) if disputed else None, class_="vx")


def _table(summary: GallerySummary) -> Html:
    heads = [tag("th", "Source", scope="col"),
             *(tag("th", head, scope="col", class_="r") for head in HEADS)]  # fmt: skip
    body = [_row(one) for one in summary.sources]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", body))
    return wide("Sources of positives", table, also="rows")


def _row(one: SourceSummary) -> Html:
    kept = one.source
    unknown = kept.n_unknown_captions + kept.n_unknown_images
    cells = [one.added[:10], *(f"{n:,}" for n in (
        one.n_queries, one.n_positives, one.n_negatives, one.n_disputed, unknown))]  # fmt: skip
    note = one.unreadable or kept.unknown
    return tag(
        "tr",
        tag("th", tag("b", kept.name), tag("div", kept.about.title, class_="quiet small"),
            tag("div", note, class_="quiet small") if note else None, scope="row"),
        [tag("td", cell, class_="r") for cell in cells],
    )  # fmt: skip


def _kinds() -> Html:
    return tag(
        "dl",
        [(tag("dt", tag("code", kind.usage)), tag("dd", kind.meaning)) for kind in KINDS],
        class_="facts",
    )


def _add(gallery: Gallery) -> None:
    source = str(st.session_state["positives-source"]).strip()
    if source:
        with told():
            add_source(gallery, source)
            st.session_state["positives-source"] = ""


def _remove(gallery: Gallery, name: str) -> None:
    with told():
        remove_source(gallery, name)
