"""What all pages share: the stylesheet, the navigation, the sidebar."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from vlmexplain.ui.theme import stylesheet
from vlmexplain.ui.timing import timed

PAGES = Path(__file__).parents[2] / "pages"


def run_app() -> None:
    """Draw the frame, then the page that the address names."""
    st.set_page_config(page_title="vlmexplain", page_icon=":material/image_search:", layout="wide")
    st.html(f"<style>{stylesheet()}</style>")
    page = st.navigation(
        [
            st.Page(PAGES / "explore.py", title="Explore", icon=":material/search:", default=True),
        ]
    )
    with timed(f"page {page.title}"):
        page.run()
