"""One caption on the Audit page: its picture, another beside it, and the marks to give."""

from __future__ import annotations

from typing import Any

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.explain import Explanation, explain_query
from vlmexplain.handover.roles import roles_of
from vlmexplain.overview.marks import VERDICTS, mark
from vlmexplain.records import ImageAnnotations
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import read_only
from vlmexplain.ui.pages.audit.look_alikes import SHOW_TWINS, twin_of
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.explore_address import query_link
from vlmexplain.ui.shared.fit_control import draw_fit_control
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.messages import told
from vlmexplain.ui.shared.photo import photo

Beside = tuple[int, ImageAnnotations, str, str]
"""A picture beside: its place in the gallery, its annotations, a title and a note."""


def draw_caption(gallery: Gallery, run: Run, query: int, verdict: str | None, sign: str) -> None:
    """The caption, the marks, its picture and the one that the sign is about."""
    found = explain_query(gallery, run, query, table=caches.queries_of(run, gallery))
    truth = found.ground_truth
    assert truth.image_index is not None
    rank = "unranked" if found.rank_1based is None else f"rank {found.rank_1based:,}"
    link = query_link(gallery.id, run.key, query)
    st.html(tag("div", tag("div", tag("blockquote", found.query),
                tag("p", f"{rank} · ", tag("a", "all evidence", href=link), class_="about"),
                class_="query"), class_="vx audit-one"))  # fmt: skip
    _marks(gallery, query, verdict)
    retrieved = found.retrieved.image_index if found.retrieved else None
    with st.container(horizontal=True, vertical_alignment="center"):
        draw_fit_control(gallery, query, retrieved)
    beside = _beside(gallery, found, sign)
    left, middle, right = st.columns([2, 2, 1.2])
    annotations = beside[1] if beside else truth.annotations
    roles = roles_of(truth.annotations, annotations)
    left.html(photo(gallery, truth.image_index, truth.annotations, roles, "Ground truth", rank,
                    "audit-left"))  # fmt: skip
    if beside:
        index, annotations, title, note = beside
        middle.html(photo(gallery, index, annotations, roles, title, note, "audit-right"))
    right.html(_captions(gallery, truth.image_index, query, "Its other captions"))
    if beside and sign in SHOW_TWINS:
        right.html(_captions(gallery, beside[0], -1, "Captions of the other picture"))


def _beside(gallery: Gallery, found: Explanation, sign: str) -> Beside | None:
    assert found.ground_truth.image_index is not None
    if sign in SHOW_TWINS:
        twin = twin_of(gallery, found.ground_truth.image_index, sign)
        if twin is not None:
            title = "The same picture" if sign == "same-picture" else "Looks nearly the same"
            return twin, gallery.annotations(twin), title, f"image {gallery.image(twin).image_id}"
    other = found.retrieved
    if other is None or other.image_index is None:
        return None
    return other.image_index, other.annotations, "Retrieved", "place 1"


def _captions(gallery: Gallery, image: int, without: int, title: str) -> Html:
    said = [tag("li", c.text) for c in gallery.captions_of(image) if c.index != without]
    listed: Any = tag("ul", said) if said else tag("p", "none", class_="quiet")
    return tag("div", tag("h3", title), listed, class_="vx small others")


def _marks(gallery: Gallery, query: int, verdict: str | None) -> None:
    with st.container(horizontal=True):
        for key, label in VERDICTS.items():
            st.button(
                f"{label} ✓" if verdict == key else label,
                key=f"mark-{key}",
                type="primary" if verdict == key else "secondary",
                disabled=read_only(),
                on_click=_take,
                args=(gallery, query, None if verdict == key else key),
            )


def _take(gallery: Gallery, query: int, verdict: str | None) -> None:
    with told():
        mark(gallery, query, verdict)
