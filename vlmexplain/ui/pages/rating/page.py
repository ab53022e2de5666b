"""A rater joins a session and answers one item after the other."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ratings.rater.joining import rater_session
from vlmexplain.ui.pages.rating.component import register_rater
from vlmexplain.ui.pages.rating.join import VISIT, address_code, draw_join, shown_code
from vlmexplain.ui.pages.rating.message import read_message
from vlmexplain.ui.pages.rating.results import draw_results
from vlmexplain.ui.pages.rating.view import View, view_of
from vlmexplain.ui.pages.rating.visit import Visit, take
from vlmexplain.ui.server.raters_only import raters_only
from vlmexplain.ui.shared.messages import told
from vlmexplain.ui.shared.rating_store import rating_store

KEY = "rater"
BARE = """
<style>
[data-testid=stSidebar], [data-testid=stExpandSidebarButton] { display: none; }
.stMainBlockContainer { padding-bottom: 2rem; }
@media (max-width: 640px) { .stMainBlockContainer { padding-top: 4rem; padding-bottom: 0.5rem; } }
</style>
"""
"""Without the sidebar: a rater has no use for it, and it names models."""

_rater = register_rater()


def rate_page() -> None:
    """The rater's page."""
    st.html(BARE)
    _draw()


@st.fragment
def _draw() -> None:
    visit = _visit()
    view = view_of(visit, rating_store)
    if view["phase"] == "join":
        st.session_state[VISIT] = Visit(asked=True, reply=visit.reply)
    if view["phase"] == "item":
        _guidelines(visit)
    _rater(key=KEY, data=view | {"code": visit.code or address_code()}, on_act_change=_take)
    if view["phase"] == "join":
        draw_join(_lost(view))
        if not raters_only():
            st.page_link("pages/explore.py", label="All pages", icon=":material/home:")
    elif _may_show_results(view):
        with told():
            draw_results(visit.ticket)


def _visit() -> Visit:
    """This session's visit; a code of another session in the address begins another one."""
    visit: Visit = st.session_state.get(VISIT, Visit())
    code = address_code()
    if visit.code and code and code != visit.code:
        visit = st.session_state[VISIT] = Visit()
    elif visit.code and not code:
        st.query_params["code"] = shown_code(visit.code)
    return visit


def _take() -> None:
    message = read_message(getattr(st.session_state.get(KEY), "act", None))
    if message is not None:
        st.session_state[VISIT] = take(_visit(), message, rating_store)


def _guidelines(visit: Visit) -> None:
    """The organiser's text: Markdown, but no pictures, which would be fetched from elsewhere."""
    with told():
        text = rater_session(rating_store(), visit.ticket).spec.guidelines
        if text.strip():
            with st.expander("Guidelines", expanded=not visit.resumed):
                st.markdown(text.replace("![", "!\\["))


def _lost(view: View) -> str:
    reply = view.get("reply") or {}
    return f"{reply['text']} {reply['remedy']}" if reply.get("refused") == "ticket" else ""


def _may_show_results(view: View) -> bool:
    """Once revealed, and only to a rater who has nothing left to answer."""
    over = view["phase"] == "done" or (view["phase"] == "stopped" and view["state"] == "closed")
    return over and bool(view["revealed"])
