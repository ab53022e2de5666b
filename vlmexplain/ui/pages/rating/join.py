"""The way in: a session's code and a name, and "is that you?" when the name has been here."""

from __future__ import annotations

import streamlit as st

from vlmexplain.errors import ReadOnly, VlmexplainError
from vlmexplain.ratings.access.codes import plain_code
from vlmexplain.ratings.plan.refusals import TooManyAttempts, WrongCode
from vlmexplain.ratings.rater.joining import Invitation, Joined, invitation, join
from vlmexplain.ui.pages.rating.visit import Visit
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note, problem
from vlmexplain.ui.shared.rating_store import client_source, rating_store

VISIT = "rating-visit"
CODE, NAME = "rating-code", "rating-name"
_WAITING, _REFUSAL = "rating-is-that-you", "rating-refusal"
_INVITED = "rating-invited"
LONGEST_CODE = 100
STATES = {
    "draft": "It is not open yet.",
    "paused": "It is paused at the moment.",
    "closed": "It is closed: only who has been in it gets in, to look at the answers.",
}


def address_code() -> str:
    """The session's code in the address, as it is compared; "" when there is none."""
    return plain_code(st.query_params.get("code", "")[:LONGEST_CODE])


def shown_code(plain: str) -> str:
    """A code as it is read out, four signs at a time.

    >>> shown_code("K7QFX2MA9TPCVW3D")
    'K7QF-X2MA-9TPC-VW3D'
    """
    return "-".join(plain[start : start + 4] for start in range(0, len(plain), 4))


def draw_join(lost: str = "") -> None:
    """The form, or the question whether a known name is this visitor's.

    Args:
        lost: why an earlier visit cannot go on, if there was one.
    """
    st.html(
        tag(
            "div",
            tag("h1", "Rate retrieved images"),
            tag(
                "p",
                "Join with the code that the organiser gave you, and a name of your choice. "
                "With the same name you can go on from any device.",
            ),
            class_="vx",
        )
    )
    if lost:
        note(tag("p", lost))
    waiting = st.session_state.get(_WAITING)
    if waiting is not None:
        _is_that_you(*waiting)
        return
    _say_where_the_link_leads()
    with st.form("rating-join", border=False, width=460):
        st.text_input(
            "Code",
            shown_code(address_code()),
            key=CODE,
            placeholder="XXXX-XXXX-XXXX-XXXX",
            autocomplete="off",
        )
        st.text_input("Name", key=NAME, autocomplete="nickname")
        st.form_submit_button("Join", type="primary", on_click=_join)
    refusal = st.session_state.pop(_REFUSAL, None)
    if refusal is not None:
        problem(refusal)
        if isinstance(refusal, ReadOnly):
            note(tag("p", "Raters can still be served by a database of its own: ",
                     tag("code", "VLMEXPLAIN_DATABASE_URL"), "."))  # fmt: skip


def _say_where_the_link_leads() -> None:
    code = address_code()
    if not code:
        return
    try:
        invited = _invited(code)
    except TooManyAttempts:
        return  # pressing Join says how long to wait
    except VlmexplainError as error:
        problem(error)
        return
    if invited is None:
        note(tag("p", "No rating session has the code of this link. Ask the organiser for it."))
    else:
        name = tag("bdi", tag("b", invited.name))
        note(tag("p", "This link leads to the session ", name, ". ", STATES.get(invited.state)))


def _invited(code: str) -> Invitation | None:
    """The session with this code, if any; asked once a visit, for a wrong code counts as a try."""
    kept: dict[str, Invitation | None] = st.session_state.setdefault(_INVITED, {})
    if code not in kept:
        kept.clear()
        try:
            kept[code] = invitation(rating_store(), code, client_source())
        except WrongCode:
            kept[code] = None
    return kept[code]


def _is_that_you(joined: Joined, code: str) -> None:
    answers = "1 answer" if joined.n_answers == 1 else f"{joined.n_answers} answers"
    note(
        tag("p", tag("b", "Is that you? "), tag("bdi", joined.name), f" is in this session, "
            f"with {answers}."),
        tag("p", "If it is somebody else, take another name: both would be one rater."),
    )  # fmt: skip
    with st.container(horizontal=True):
        st.button("Yes, go on", type="primary", on_click=_enter, args=(joined, code))
        st.button("No, another name", on_click=_other_name)


def _join() -> None:
    code = st.session_state[CODE][:LONGEST_CODE]
    try:
        joined = join(rating_store(), code, st.session_state[NAME], client_source())
    except VlmexplainError as error:
        st.session_state[_REFUSAL] = error
        return
    st.query_params["code"] = shown_code(plain_code(code))
    if joined.returning:
        st.session_state[_WAITING] = joined, code
    else:
        _enter(joined, code)


def _enter(joined: Joined, code: str) -> None:
    st.session_state.pop(_WAITING, None)
    st.session_state[VISIT] = Visit(
        joined.ticket, asked=True, code=plain_code(code), resumed=joined.returning
    )


def _other_name() -> None:
    st.session_state.pop(_WAITING, None)
    st.session_state[NAME] = ""
