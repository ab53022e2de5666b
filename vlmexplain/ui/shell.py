"""What all pages share: the stylesheet, the navigation, the sidebar."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import streamlit as st

from vlmexplain.places import shipped
from vlmexplain.ui.server.collector import set_aside_modules
from vlmexplain.ui.server.free_memory import give_back
from vlmexplain.ui.server.raters_only import raters_only
from vlmexplain.ui.server.timing import drawing
from vlmexplain.ui.shared.choice import choose, draw_choice
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.explore_address import EXPLORE
from vlmexplain.ui.shared.messages import told
from vlmexplain.ui.shared.theme import stylesheet

PAGES = shipped("pages")
RATE = "Rate"

_MARK = (
    "<rect width='32' height='32' rx='7' fill='#2f4fd0'/>"
    "<rect x='6' y='8' width='9' height='16' fill='none' stroke='#fff' stroke-width='2.5'/>"
    "<rect x='18' y='8' width='9' height='16' fill='none' stroke='#ffa53a' stroke-width='2.5' "
    "stroke-dasharray='4 2.5'/>"
)
ICON = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>{_MARK}</svg>"
LOGO = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 170 32' width='170' height='32'>"
    f"{_MARK}<text x='42' y='23' font-family='sans-serif' font-size='20' font-weight='700' "
    "fill='#6d7fd6'>vlmexplain</text></svg>"
)


_frame = threading.local()
_links = register("links", shared=False)


def show(draw: Callable[[], None]) -> None:
    """Draw a page inside the frame.

    A fresh server that is first asked for another page than the default runs that page's file
    alone, because Streamlit takes a folder called ``pages`` for its older kind of navigation.
    Then the page calls the frame, which calls the page.
    """
    if getattr(_frame, "drawn", False):
        draw()
    else:
        run_app()


def _whole_app() -> Any:
    """All pages."""
    return st.navigation(
        {
            "": [
                st.Page(
                    PAGES / "explore.py",
                    title="Explore",
                    icon=":material/search:",
                    default=True,
                ),
                st.Page(PAGES / "perturb.py", title="Perturb", icon=":material/edit_note:"),
                st.Page(PAGES / "overview.py", title="Overview", icon=":material/table_chart:"),
                st.Page(PAGES / "lgip.py", title="LGIP", icon=":material/balance:"),
                st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare:"),
                st.Page(PAGES / "audit.py", title="Audit", icon=":material/fact_check:"),
                st.Page(PAGES / "present.py", title="Present", icon=":material/slideshow:"),
                st.Page(PAGES / "gallery.py", title="Gallery", icon=":material/photo_library:"),
                st.Page(PAGES / "import.py", title="Import", icon=":material/upload:"),
                st.Page(PAGES / "run.py", title="Run a model", icon=":material/play_arrow:"),
            ],
            "Human rating": [
                st.Page(PAGES / "rate.py", title=RATE, icon=":material/thumbs_up_down:"),
                st.Page(PAGES / "ratings.py", title="Rating sessions", icon=":material/groups:"),
                st.Page(
                    PAGES / "rating_analysis.py",
                    title="Rating analysis",
                    icon=":material/monitoring:",
                ),
            ],
        },
        expanded=True,
    )


def _rating_alone() -> Any:
    """The rater's page at its own address, and at every other."""
    from vlmexplain.ui.pages.rating.page import rate_page

    pages = [
        st.Page(rate_page, title=RATE, default=True, url_path="start"),
        st.Page(PAGES / "rate.py", title=RATE),
    ]
    return st.navigation(pages, position="hidden")


def run_app() -> None:
    """Draw the frame, then the page that the address names."""
    st.set_page_config(
        page_title="vlmexplain",
        page_icon=f"data:image/svg+xml,{quote(ICON)}",
        layout="wide",
        initial_sidebar_state="auto",
    )
    st.html(f"<style>{stylesheet()}</style>")
    page = _rating_alone() if raters_only() else _whole_app()
    st.logo(LOGO, size="large", icon_image=ICON)
    with drawing(page.title):
        with st.sidebar, told():
            if page.title != RATE:  # raters are not told of models
                draw_choice(choose(EXPLORE.now()))
            _links(key="links")
        _frame.drawn = True
        try:
            page.run()
        finally:
            _frame.drawn = False
        set_aside_modules()
        give_back(at_most_every_s=60)
