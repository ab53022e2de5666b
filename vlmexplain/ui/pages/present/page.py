"""Presentation: large type; arrow keys, or taps, go through a list that the address holds.

``present?gallery=..&run=..&list=7,12,40&notes=first|second``: the address is the saved list.
"""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.explain import explain_query
from vlmexplain.handover.evidence import cards
from vlmexplain.handover.roles import roles_of
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.choice import choose, chosen_run
from vlmexplain.ui.shared.explore_address import EXPLORE, query_link
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note, tells
from vlmexplain.ui.shared.photo import photo
from vlmexplain.ui.shared.present_address import MOST_SLIDES, PRESENT
from vlmexplain.ui.shared.query_list import filter_of, sort_of
from vlmexplain.ui.shared.whole_model_style import add_style
from vlmexplain.ui.shared.words import DRAWN

QUIET = (
    "<style>[data-testid='stSidebar'], [data-testid='stSidebarCollapsedControl'], "
    "[data-testid='stExpandSidebarButton'], [data-testid='stHeader'] { display: none !important; } "
    ".stMainBlockContainer { max-width: 1700px; padding-top: 1.5rem; padding-bottom: 1rem; } "
    ".vx.handed figure { max-width: calc(54vh * var(--ratio)); } "
    "@media not all and (pointer: coarse) { .st-key-turns { position: absolute; width: 1px; "
    "height: 1px; overflow: hidden; clip-path: inset(50%); } }</style>"
)


@tells
def present_page() -> None:
    """Draw the failure of the list that the address names."""
    choice = choose(PRESENT.now())
    run = chosen_run(choice)
    if choice.gallery is None or run is None:
        note(tag("p", "A presentation needs a data set that a model has ranked."))
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    listed = listed_queries(gallery, run)
    if not listed:
        note(tag("p", "The list is empty: name queries in the address, such as list=7,12,40."))
        return
    add_style()
    st.html(QUIET)
    at = min(max(PRESENT.now().slide - 1, 0), len(listed) - 1)
    with st.container(key="turns", horizontal=True):  # hidden unless fingers do it
        st.button("Previous failure", shortcut="Left", key="slide-back", disabled=at == 0,
                  on_click=lambda: PRESENT.go(slide=at))  # fmt: skip
        st.button("Next failure", shortcut="Right", key="slide-on",
                  disabled=at + 1 == len(listed),
                  on_click=lambda: PRESENT.go(slide=at + 2))  # fmt: skip
    _slide(gallery, run, listed, at)


def listed_queries(gallery: Gallery, run: Run) -> tuple[int, ...]:
    """The queries of the address's list; without one, the first of the Explore page's list."""
    text = PRESENT.now().list
    if text:
        numbers = [int(n) for n in text.split(",") if n.strip().isdecimal() and len(n) < 12]
        return tuple(n for n in numbers if n < gallery.n_captions)[:MOST_SLIDES]
    current = EXPLORE.now()
    order = caches.queries_of(run, gallery).order(filter_of(current), sort_of(current))
    return tuple(int(n) for n in order[:MOST_SLIDES])


def _slide(gallery: Gallery, run: Run, listed: tuple[int, ...], at: int) -> None:
    found = explain_query(gallery, run, listed[at], table=caches.queries_of(run, gallery))
    notes = PRESENT.now().notes.split("|")
    said = notes[at] if at < len(notes) else ""
    rank = "unranked" if found.rank_1based is None else f"rank {found.rank_1based:,}"
    about = f"{at + 1} of {len(listed)} · {run.model.name} · {rank}"
    if found.drawn:
        about += f" · {DRAWN}"
    there = query_link(gallery.id, run.key, listed[at])
    link = tag("a", "all evidence", href=there)
    st.html(tag("div", tag("div", tag("blockquote", found.query),
                tag("p", about, " · ", link, class_="about"), class_="query"),
                class_="vx present"))  # fmt: skip
    truth, other = found.ground_truth, found.retrieved
    assert truth.image_index is not None
    if other is None or other.image_index is None or found.pair is None:
        note(tag("p", "No image has a score for this query."))
        return
    roles = roles_of(truth.annotations, other.annotations)
    left, right = st.columns(2)
    left.html(photo(gallery, truth.image_index, truth.annotations, roles, "What was asked for",
                    rank, "present-left"))  # fmt: skip
    right.html(photo(gallery, other.image_index, other.annotations, roles, "What came first", "",
                     "present-right"))  # fmt: skip
    st.html(tag("div", cards(found.pair), tag("p", said, class_="notes") if said else None,
                class_="vx present"))  # fmt: skip
