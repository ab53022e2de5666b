"""The organiser's page: make rating sessions, open and watch them, take the answers away."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from vlmexplain.ratings.organiser.sessions import find_session, list_sessions
from vlmexplain.ui.pages.rating_admin.access import admitted, sessions_fixed
from vlmexplain.ui.pages.rating_admin.address import SESSIONS
from vlmexplain.ui.pages.rating_admin.basis import basis, begin
from vlmexplain.ui.pages.rating_admin.form import draw_form
from vlmexplain.ui.pages.rating_admin.session_list import draw_sessions
from vlmexplain.ui.pages.rating_admin.session_view import draw_session
from vlmexplain.ui.pages.rating_admin.uploads import draw_uploads
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import problem, tells, told
from vlmexplain.ui.shared.rating_store import rating_store
from vlmexplain.ui.shared.readonly import told_read_only
from vlmexplain.ui.shared.whole_model_style import add_style


@tells
def ratings_page() -> None:
    """Draw the list, one session, or the form of a new one."""
    add_admin_style()
    st.html(tag("div", tag("h1", "Rating sessions"), class_="vx"))
    if not admitted():
        return
    if sessions_fixed():
        told_read_only()
    store = rating_store()
    for each in SESSIONS.problems():
        problem(each)
    now = SESSIONS.now()
    chosen, form = now.session, now.new
    if chosen or form:
        st.button("All sessions", icon=":material/arrow_back:", on_click=_leave)
    if form and not sessions_fixed():
        title = "Change the draft" if basis().editing else "New session"
        st.html(tag("div", tag("h2", title), class_="vx"))
        draw_form(store)
        return
    if chosen:
        with told():
            draw_session(store, find_session(store, chosen))
        return
    st.html(tag("div", tag("p", "Raters judge retrieved images in the browser; you see how far "
                "they are and what they say.", class_="quiet"), class_="vx"))  # fmt: skip
    st.button("New session", type="primary", icon=":material/add:", on_click=_new,
              disabled=sessions_fixed())  # fmt: skip
    draw_sessions(list_sessions(store))
    if not sessions_fixed():
        draw_uploads(store)


def add_admin_style() -> None:
    """The stylesheet of the organiser's pages."""
    add_style()
    rules = Path(__file__).with_name("admin.css").read_text(encoding="utf-8")
    st.html(f"<style>{rules}</style>")


def _new() -> None:
    if basis().editing is not None:
        begin()
    SESSIONS.go(new=True, session="", at=0)


def _leave() -> None:
    SESSIONS.go(new=False, session="")
