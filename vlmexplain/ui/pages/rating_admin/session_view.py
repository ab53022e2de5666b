"""One session: its code, its state and what may be done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from vlmexplain.errors import VlmexplainError
from vlmexplain.ratings.organiser.sessions import (
    Session,
    change_state,
    delete_session,
    edit_classes,
    events_of,
    items_of,
    set_revealed,
)
from vlmexplain.ratings.organiser.state import MOVES, State
from vlmexplain.ratings.plan.classes import FailureClass
from vlmexplain.ratings.plan.spec_toml import ItemRequest
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.pages.rating_admin.access import require_change, sessions_fixed
from vlmexplain.ui.pages.rating_admin.address import ANALYSIS, SESSIONS, AnalysisAddress
from vlmexplain.ui.pages.rating_admin.basis import basis, begin, follow_run
from vlmexplain.ui.pages.rating_admin.class_table import draw_class_table
from vlmexplain.ui.pages.rating_admin.downloads import draw_downloads
from vlmexplain.ui.pages.rating_admin.preview import preview
from vlmexplain.ui.pages.rating_admin.progress_view import draw_progress
from vlmexplain.ui.pages.rating_admin.session_list import day, session_line
from vlmexplain.ui.shared.address import own_root
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import told
from vlmexplain.ui.shared.rating_pictures import session_gallery

MEANING: dict[State, str] = {
    "draft": "Nobody can join yet; questions and items can still change.",
    "open": "Raters join with the code and answer. Questions and items are fixed.",
    "paused": "No answers are taken until it is opened again; those given are kept.",
    "closed": "No more answers, for good; those given are kept.",
}
LABELS: dict[State, tuple[str, str]] = {
    "open": ("Open for raters", ":material/play_arrow:"),
    "paused": ("Pause", ":material/pause:"),
    "closed": ("Close for good", ":material/stop:"),
}


def draw_session(store: RatingStore, session: Session) -> None:
    """Head and buttons, then progress, preview, classes, downloads, history."""
    st.html(session_line(session))
    st.html(tag("div", tag("p", MEANING[session.state], class_="quiet"), class_="vx"))
    _draw_states(store, session)
    if not session.imported:
        _draw_code(session)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            "pages/rating_analysis.py",
            label="Analysis",
            icon=":material/analytics:",
            query_params=ANALYSIS.write(AnalysisAddress(session=session.id)),
        )
        st.button("Use as a template", icon=":material/content_copy:", on_click=_template,
                  args=(store, session, False), disabled=sessions_fixed())  # fmt: skip
        if session.state == "draft":
            st.button("Change questions or items", icon=":material/edit:", on_click=_template,
                      args=(store, session, True), disabled=sessions_fixed())  # fmt: skip
    draw_progress(store, session)
    with st.expander("What the rater gets", icon=":material/visibility:"), told():
        _draw_preview(store, session)
    if not session.n_answers and not session.imported and session.state in ("open", "paused"):
        with st.expander("Failure classes (can change until the first answer)"), told():
            _draw_classes(store, session)
    draw_downloads(store, session)
    with st.expander("History", icon=":material/history:"):
        _draw_history(store, session)


def act(do: Callable[[], object]) -> None:
    """Do something as the organiser; a refusal is told, not raised."""
    with told():
        require_change()
        do()


def rater_link(code: str) -> str:
    """The address to give to raters, of the server as this browser reached it."""
    return f"{own_root()}rate?{urlencode({'code': code})}"


def _draw_states(store: RatingStore, session: Session) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        for wanted in MOVES[session.state]:
            label, icon = LABELS[wanted]
            if wanted == "closed":
                with st.popover(label, icon=icon, disabled=sessions_fixed()):
                    st.html(tag("div", tag("p", "A closed session takes no more answers and cannot "
                                           "be opened again. Pause it to go on later."),
                                class_="vx"))  # fmt: skip
                    _state_button(store, session, wanted, "Close it", None)
            else:
                _state_button(store, session, wanted, label, icon)
        st.toggle(
            "Raters see the results",
            value=session.revealed,
            key=f"reveal-{session.id}-{session.revealed}",
            on_change=act,
            args=(lambda: set_revealed(store, session.id, not session.revealed),),
            disabled=sessions_fixed(),
            help="Figures only, without names and comments.",
        )
        if session.imported or not session.n_answers:
            st.button("Delete", icon=":material/delete:", on_click=_delete, args=(store, session),
                      disabled=sessions_fixed(), help="While there are no answers; imported ones "
                      "always.")  # fmt: skip


def _state_button(
    store: RatingStore, session: Session, wanted: State, label: str, icon: str | None
) -> None:
    st.button(
        label,
        icon=icon,
        type="primary" if wanted == "open" else "secondary",
        key=f"state-{wanted}",
        on_click=act,
        args=(lambda: change_state(store, session.id, wanted),),
        disabled=sessions_fixed(),
    )


def _draw_code(session: Session) -> None:
    left, right = st.columns([1, 2])
    left.caption("Code for raters")
    left.code(session.code, language=None)
    right.caption("Link for raters")
    right.code(rater_link(session.code), language=None, wrap_lines=True)


def _template(store: RatingStore, session: Session, editing: bool) -> None:
    def start() -> None:
        items = items_of(store, session.id)
        name = session.spec.name if editing else f"{session.spec.name[:190]} (copy)"
        from_run = session.spec.run is not None
        captions = tuple(item.caption_index for item in items) if from_run else ()
        begin(
            replace(session.spec, name=name),
            ItemRequest(captions=captions, failures_only=False),
            () if from_run else items,
            session.id if editing else None,
        )
        SESSIONS.go(session="", new=True, at=0)
        follow_run(session.spec)

    act(start)


def _delete(store: RatingStore, session: Session) -> None:
    def delete() -> None:
        delete_session(store, session.id)
        SESSIONS.go(session="")

    act(delete)


def _draw_preview(store: RatingStore, session: Session) -> None:
    try:
        gallery = session_gallery(session.spec.gallery)
    except VlmexplainError:
        gallery = None
    st.html(preview(session.spec, items_of(store, session.id)[0], gallery))
    if session.spec.guidelines:
        st.caption("Guidelines, as the rater reads them")
        with st.container(border=True):
            st.markdown(session.spec.guidelines)


def _draw_classes(store: RatingStore, session: Session) -> None:
    classes: tuple[FailureClass, ...] = draw_class_table(
        replace(basis(), number=-abs(hash((session.id, session.spec.classes)))),
        session.spec.classes,
    )
    if classes != session.spec.classes:
        st.button("Keep these classes", type="primary", on_click=act, disabled=sessions_fixed(),
                  args=(lambda: edit_classes(store, session.id, classes),))  # fmt: skip


def _draw_history(store: RatingStore, session: Session) -> None:
    rows = [tag("tr", tag("td", day(one.at)), tag("td", one.what))
            for one in events_of(store, session.id)]  # fmt: skip
    st.html(tag("div", tag("table", tag("tbody", rows)), class_="vx"))
