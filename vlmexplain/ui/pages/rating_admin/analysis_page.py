"""The analysis page: what the raters said, as they go on, or of an exported file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from vlmexplain.datasets.gallery import list_galleries
from vlmexplain.ratings.analysis.analyse import Analysis, analyse
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.exchange.import_files import data_of_export
from vlmexplain.ratings.organiser.sessions import Session, list_sessions
from vlmexplain.ratings.organiser.watch import revision
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.report import DRAWN
from vlmexplain.ui.pages.rating_admin.access import admitted, require_organiser
from vlmexplain.ui.pages.rating_admin.address import ANALYSIS
from vlmexplain.ui.pages.rating_admin.agreement_view import draw_agreement
from vlmexplain.ui.pages.rating_admin.alternatives_view import draw_alternatives
from vlmexplain.ui.pages.rating_admin.answers_view import draw_answers
from vlmexplain.ui.pages.rating_admin.class_view import draw_classes
from vlmexplain.ui.pages.rating_admin.metrics_view import draw_metrics
from vlmexplain.ui.pages.rating_admin.page import add_admin_style
from vlmexplain.ui.pages.rating_admin.session_list import state_pill
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note, tells, told
from vlmexplain.ui.shared.rating_store import rating_store
from vlmexplain.ui.shared.widgets import follow

EVERY_S = 10
LARGEST_MB = 100
FILE = "an exported file"
VIEWS = {
    "answers": ("Answers", draw_answers),
    "classes": ("Classes", draw_classes),
    "agreement": ("Agreement", draw_agreement),
    "metrics": ("Against the metrics", draw_metrics),
    "alternatives": ("Successful alternatives", draw_alternatives),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Whose answers are analysed: a session of the store, or a file."""

    session: Session | None
    content: bytes | None = None
    name: str = ""


@tells
def rating_analysis_page() -> None:
    """Draw the page for a chosen session or an uploaded export."""
    add_admin_style()
    st.html(tag("div", tag("h1", "Rating analysis"), class_="vx"))
    if not admitted():
        return
    store = rating_store()
    source = _choose(list_sessions(store))
    if source is None:
        return
    live = source.session is not None and source.session.state == "open"
    watching = live and st.toggle(
        f"Keep up to date (every {EVERY_S} s)", value=True, key="analysis-live"
    )
    if live and not watching:
        st.button("Refresh", icon=":material/refresh:")
    view = ANALYSIS.now().view
    follow("analysis-view", view)
    st.segmented_control(
        "View",
        list(VIEWS),
        format_func=lambda key: VIEWS[key][0],
        key="analysis-view",
        label_visibility="collapsed",
        wrap=True,
        on_change=lambda: ANALYSIS.go(view=st.session_state["analysis-view"] or view),
    )

    @st.fragment(run_every=EVERY_S if watching else None)
    def draw() -> None:
        with told():
            require_organiser()
            data, found = _analysed(store, source)
            st.html(_head(source, data, found))
            VIEWS[view][1](data, found)

    draw()


def _choose(sessions: tuple[Session, ...]) -> Source | None:
    """The session that is chosen, or the file that is uploaded."""
    known = {one.id: one for one in sessions}
    asked = ANALYSIS.now().session
    chosen = asked if asked in known else next(iter(known), FILE)
    if asked and asked not in (*known, FILE):
        note(tag("p", "There is no rating session ", tag("code", asked), " here."))
    if asked == FILE:
        chosen = FILE
    follow("analysis-session", chosen)
    st.selectbox(
        "Session",
        [*known, FILE],
        format_func=lambda key: _label(known[key]) if key in known else f"{FILE} …",
        key="analysis-session",
        filter_mode=None,
        on_change=lambda: ANALYSIS.go(session=st.session_state["analysis-session"]),
    )
    if chosen != FILE:
        return Source(known[chosen])
    uploaded = st.file_uploader(
        "An export: CSV, JSON lines or Parquet; it is looked at and not kept",
        type=["csv", "jsonl", "parquet"],
        max_upload_size=LARGEST_MB,
        key="analysis-file",
    )
    return None if uploaded is None else Source(None, uploaded.getvalue(), uploaded.name)


def _analysed(store: RatingStore, source: Source) -> tuple[RatingData, Analysis]:
    found: tuple[RatingData, Analysis]
    if source.session is not None:
        found = of_session(store, source.session.id, revision(store, source.session.id))
    else:
        assert source.content is not None
        found = of_file(source.content, source.name)
    return found


@st.cache_resource(max_entries=16, show_spinner="Analysing ...")
def of_session(
    _store: RatingStore, session_id: str, seen: tuple[int, int, int]
) -> tuple[RatingData, Analysis]:
    """A session's rows without names, and their analysis; ``seen`` tells when they changed."""
    assert seen
    data = session_data(_store, session_id, anonymous=True)
    return data, analyse(data)


@st.cache_resource(max_entries=4, show_spinner="Analysing ...")
def of_file(content: bytes, name: str) -> tuple[RatingData, Analysis]:
    """An export's rows, and their analysis."""
    data = data_of_export(content, name)
    return data, analyse(data)


def _label(session: Session) -> str:
    return f"{session.spec.name} ({session.state}, {session.n_first_answers:,} answers)"


def _head(source: Source, data: RatingData, found: Analysis) -> Any:
    drawn = any(one.drawn for one in list_galleries() if one.id == data.spec.gallery)
    facts = (
        f"{found.n_answers:,} answers of {found.n_raters:,} raters on {found.n_items_rated:,} of "
        f"{found.n_items:,} items; {found.n_repeated:,} repeated, {found.n_skipped:,} skipped, "
        f"{found.n_edited:,} edited"
    )
    return tag(
        "div",
        tag("div", tag("h2", found.name), state_pill(source.session) if source.session else None,
            class_="session-line"),
        tag("p", facts, class_="quiet small num"),
        tag("p", tag("span", DRAWN, class_="pill drawn")) if drawn else None,
        class_="vx",
    )  # fmt: skip
