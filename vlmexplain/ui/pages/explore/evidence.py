"""A failure from top to bottom: query, pictures, metrics at a glance, metrics in full."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui.pages.explore.act import acting
from vlmexplain.ui.pages.explore.agreement import agreement_section
from vlmexplain.ui.pages.explore.enumeration import enumeration_section
from vlmexplain.ui.pages.explore.failure import Failure
from vlmexplain.ui.pages.explore.metric_head import cards, draw_head
from vlmexplain.ui.pages.explore.noncommon import draw_noncommon
from vlmexplain.ui.pages.explore.pictures import draw_pictures
from vlmexplain.ui.pages.explore.query import query_text, rank_facts
from vlmexplain.ui.pages.explore.size_controls import draw_sizes
from vlmexplain.ui.shared.explore_address import ExploreAddress
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note
from vlmexplain.ui.shared.widgets import follow, leads

TOUR = {
    "query": "The query is a caption. Its own image, the ground truth, came 294th: the model "
    "preferred another image, so this is a failure.",
    "pictures": "What is annotated in both images. Point at zebra: its boxes light up on both "
    "sides, four of five in the ground truth (one has no box), seven in the retrieved image.",
    "metrics": "Four metrics say how the images differ. The arrow shows which direction is good.",
    "evidence": "Below, each metric adds up before your eyes. Choose a pair of the graph to see "
    "its path through WordNet, and move the threshold to see the size disagreement follow.",
}
"""What the guided tour says before each part of the worked example."""


def draw_evidence(failure: Failure, address: ExploreAddress, tour: bool = False) -> None:
    """Draw one failure, with the guided tour's words if it is the worked example."""
    said = _tour if tour else _silent
    said("query")
    st.html(query_text(failure))
    facts, switch = st.columns([4, 1], vertical_alignment="center")
    facts.html(rank_facts(failure))
    with switch:
        _informed_switch(address)
    pair, retrieved = failure.explanation.pair, failure.explanation.retrieved
    if pair is None or retrieved is None:
        note(tag("p", "No image has a score for this query, so there is nothing to compare."))
        draw_pictures(failure, address.concept, "pictures", acting("pictures"))
        return
    if retrieved.is_ground_truth:
        note(
            tag(
                "p",
                f"The image at place {failure.place:,} is itself a ground truth of this query: "
                "this is no failure. Choose another image of the strip to compare with.",
            )
        )
    said("pictures")
    draw_pictures(failure, address.concept, "pictures", acting("pictures"))
    said("metrics")
    st.html(tag("div", cards(pair), class_="vx"))
    said("evidence")
    with st.container(border=True):
        draw_head(pair, "ca")
        st.html(agreement_section(pair))
    with st.container(border=True):
        draw_noncommon(pair, address.pair)
    with st.container(border=True):
        draw_head(pair, "ce")
        st.html(enumeration_section(pair))
    with st.container(border=True):
        draw_sizes(pair, address)


def _tour(part: str) -> None:
    number = list(TOUR).index(part) + 1
    st.html(tag("div", tag("p", tag("b", number), TOUR[part], class_="tour"), class_="vx"))


def _silent(part: str) -> None:
    assert part in TOUR


def _informed_switch(address: ExploreAddress) -> None:
    follow("informed", address.informed)
    st.toggle(
        "Query-informed",
        key="informed",
        help=(
            "Look only at what the caption mentions: the concepts of the ground truth that a "
            "word of the caption names, or that are within two steps above or below it in WordNet."
        ),
        on_change=leads("informed", lambda on: {"informed": on, "pair": 0}),
    )
