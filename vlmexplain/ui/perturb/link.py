"""The way from a query on the Explore page to the Perturb page."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui import state
from vlmexplain.ui.perturb.address import link_from_explore
from vlmexplain.ui.perturb.subject import remember


def draw_perturb_link(gallery_id: str, query: int) -> None:
    """A link that opens the query on the Perturb page; the menu leads to it too."""
    remember(gallery_id, query)
    st.page_link(
        "pages/perturb.py",
        label="Perturb this caption",
        icon=":material/edit_note:",
        query_params=link_from_explore(state.current()),
    )
