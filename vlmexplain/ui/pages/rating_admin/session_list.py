"""All sessions, each with its state and how far it is."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ratings.exchange.export_columns import time_text
from vlmexplain.ratings.organiser.sessions import Session
from vlmexplain.ui.pages.rating_admin.address import SESSIONS
from vlmexplain.ui.shared.html import Html, tag

ROWS = 20


def draw_sessions(sessions: tuple[Session, ...]) -> None:
    """A page of the list; a button opens a session."""
    if not sessions:
        st.html(tag("div", tag("p", "No session yet.", class_="quiet"), class_="vx"))
        return
    pages = -(-len(sessions) // ROWS)
    at = min(SESSIONS.now().at, pages - 1)
    for session in sessions[at * ROWS : (at + 1) * ROWS]:
        with st.container(border=True):
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.html(session_line(session))
            right.button(
                "Show",
                key=f"show-{session.id}",
                on_click=SESSIONS.go,
                kwargs={"session": session.id},
                width="stretch",
            )
    if pages > 1:
        with st.container(horizontal=True):
            st.button("Newer", disabled=not at, on_click=SESSIONS.go, kwargs={"at": at - 1})
            st.button("Older", disabled=at + 1 >= pages, on_click=SESSIONS.go,
                      kwargs={"at": at + 1})  # fmt: skip


def session_line(session: Session) -> Html:
    """Name, state and counts of a session."""
    each = session.spec.raters_per_item
    wanted = f" of {session.n_items * each:,}" if each else ""
    return tag(
        "div",
        tag("div", tag("b", session.spec.name), state_pill(session), class_="session-line"),
        tag("div", f"{counted(session.n_items, 'item')} · {counted(session.n_raters, 'rater')} · "
            f"{session.n_first_answers:,}{wanted} answers · made {day(session.created_at)}",
            class_="quiet small num"),
        class_="vx",
    )  # fmt: skip


def counted(n: int, noun: str) -> str:
    """A count and its noun.

    >>> counted(1, "rater"), counted(1200, "rater")
    ('1 rater', '1,200 raters')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def state_pill(session: Session) -> Html:
    """The state as a word in a frame."""
    said = "imported" if session.imported else session.state
    return tag("span", said, class_=f"pill {session.state}")


def day(seconds: float) -> str:
    """A moment to the minute, UTC."""
    return time_text(seconds)[:16].replace("T", " ") + " UTC"
