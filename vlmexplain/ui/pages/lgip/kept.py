"""What the LGIP page keeps of a result between reruns: bounded, shared by all sessions."""

from __future__ import annotations

import streamlit as st

from vlmexplain.lgip.result import Kind, Sort, Triple, open_lgip
from vlmexplain.ui.pages.lgip.distributions import distributions_view
from vlmexplain.ui.shared.html import Html


@st.cache_resource(max_entries=16, show_spinner="Reading LGIP ...")
def distributions(key: str) -> Html:
    """The histograms of a result, which never changes."""
    return distributions_view(open_lgip(key))


@st.cache_resource(max_entries=64, show_spinner=False)
def some_triples(
    key: str, kind: Kind, flip_type: str | None, sort: Sort, offset: int, limit: int
) -> tuple[Triple, ...]:
    """Some triples of a result in an order."""
    return open_lgip(key).triples(kind, flip_type, sort=sort, offset=offset, limit=limit)
