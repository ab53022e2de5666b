"""The way from a query on the Explore page to the Perturb page."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui.shared.explore_address import EXPLORE

_KEPT = "perturb-query"


def draw_perturb_link(gallery_id: str, query: int) -> None:
    """A link that opens the query on the Perturb page; the menu leads to it too."""
    remember(gallery_id, query)
    st.page_link(
        "pages/perturb.py",
        label="Perturb this caption",
        icon=":material/edit_note:",
        query_params=EXPLORE.write(EXPLORE.now()),
    )


def remember(gallery_id: str, query: int | None) -> None:
    """Keep the query for whoever comes to the Perturb page by the menu."""
    st.session_state[_KEPT] = (gallery_id, query)


def remembered(gallery_id: str) -> int | None:
    """The query of this gallery that was looked at last, if there is one."""
    kept_gallery, kept = st.session_state.get(_KEPT, ("", None))
    return kept if kept_gallery == gallery_id else None
