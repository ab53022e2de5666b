"""A failure from top to bottom: query, pictures, metrics at a glance, metrics in full."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui.explore.act import acting
from vlmexplain.ui.explore.agreement import agreement_section
from vlmexplain.ui.explore.enumeration import enumeration_section
from vlmexplain.ui.explore.failure import Failure
from vlmexplain.ui.explore.metric_head import cards
from vlmexplain.ui.explore.noncommon import draw_noncommon
from vlmexplain.ui.explore.pictures import draw_pictures
from vlmexplain.ui.explore.query import query_text, rank_facts
from vlmexplain.ui.explore.size_controls import draw_sizes
from vlmexplain.ui.html import tag
from vlmexplain.ui.state import Address


def draw_evidence(failure: Failure, address: Address) -> None:
    """Draw one failure."""
    st.html(query_text(failure))
    st.html(rank_facts(failure))
    draw_pictures(failure, address.concept, "pictures", acting("pictures"))
    st.html(tag("div", cards(failure.pair), class_="vx"))
    with st.container(border=True):
        st.html(agreement_section(failure.pair))
    with st.container(border=True):
        draw_noncommon(failure.pair, address.pair)
    with st.container(border=True):
        st.html(enumeration_section(failure.pair))
    with st.container(border=True):
        draw_sizes(failure.pair, address)
