"""Who may see the organiser's pages, and what stands there for everyone else."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from vlmexplain.errors import ReadOnly, StoreError
from vlmexplain.ratings.access.attempts import check_attempts, note_failure
from vlmexplain.ratings.access.organiser import (
    SECRET_VARIABLE,
    Access,
    configured_secret,
    organiser_access,
    secret_is_right,
)
from vlmexplain.ratings.plan.refusals import NotOrganiser
from vlmexplain.ratings.store.database import database_url
from vlmexplain.storage import home, read_only, refuse_read_only
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note, problem, told
from vlmexplain.ui.shared.rating_store import client_source, rating_store, visitor_is_local

ORGANISERS = "organisers"
"""In the secrets file: the e-mail addresses that may organise, where a login is configured."""

_TYPED, _FIELD = "organiser-typed", "organiser-secret"
_READ_ONLY_WAIT_S = 1.0


def admitted() -> bool:
    """Whether this visitor may organise; if not, draws what is missing."""
    access = access_now()
    if access == "granted":
        return True
    if access == "only-local":
        note(
            tag("p", tag("b", "Rating sessions are organised on the machine itself.")),
            tag("p", "No secret is set, so this page opens only in a browser on the machine that "
                "runs the server. To organise from elsewhere, or through a proxy, set ",
                tag("code", SECRET_VARIABLE), " in ", tag("code", ".streamlit/secrets.toml"),
                " or in the environment and start the server again."),
        )  # fmt: skip
        return False
    if access == "secret-needed":
        _draw_secret()
    if organisers() is not None:
        _draw_login()
    return False


def access_now() -> Access:
    """Whether this visitor may organise, worked out anew."""
    typed = st.session_state.get(_TYPED)
    secret = configured_secret(_text(secrets().get(SECRET_VARIABLE)))
    return organiser_access(secret, typed, visitor_is_local(), logged_in())


def require_organiser() -> None:
    """Refuse an act of somebody who may not organise; every act of these pages asks first.

    Raises:
        NotOrganiser: the visitor may not.
    """
    if access_now() != "granted":
        raise NotOrganiser()


def require_change() -> None:
    """As `require_organiser`, for what changes a session.

    Raises:
        NotOrganiser: the visitor may not.
        ReadOnly: in read-only mode, where the database lies in the server's folder.
    """
    require_organiser()
    url = database_url()
    if url.get_backend_name() == "sqlite":
        refuse_read_only(Path(str(url.database)))


def sessions_fixed() -> bool:
    """Whether this server changes no sessions: it is read-only and the database is its own."""
    url = database_url()
    return (
        read_only()
        and url.get_backend_name() == "sqlite"
        and Path(str(url.database)).is_relative_to(home())
    )


def organisers() -> tuple[str, ...] | None:
    """Who may organise after logging in; None where no login is configured for it."""
    configured = secrets()
    named = configured.get(ORGANISERS)
    if "auth" not in configured or named is None:
        return None
    if isinstance(named, str) or not all(isinstance(one, str) for one in named):
        raise StoreError(
            f"{ORGANISERS} is no list of e-mail addresses.", where=".streamlit/secrets.toml"
        )
    return tuple(one.strip().casefold() for one in named)


def logged_in() -> bool | None:
    """Whether the visitor has logged in as an organiser; None where there is no such login."""
    named = organisers()
    if named is None:
        return None
    user = st.user.to_dict()
    email = _text(user.get("email")) or ""
    # A provider that says that it has not checked an address is taken at its word.
    checked = user.get("email_verified", True) in (True, "true")
    return bool(user.get("is_logged_in")) and checked and email.strip().casefold() in named


def secrets() -> Mapping[str, Any]:
    """The secrets file's content; empty without one.

    Raises:
        StoreError: there is one and it cannot be read; then nobody is let in by mistake.
    """
    if st.secrets.load_if_toml_exists():
        found: Mapping[str, Any] = st.secrets.to_dict()
        return found
    for path in st.config.get_option("secrets.files"):
        if Path(path).exists():
            raise StoreError(
                "the secrets file cannot be read.",
                where=Path(path).name,
                remedy="Mend it and start the server again; its log says what is wrong.",
            )
    return {}


def _draw_secret() -> None:
    with st.form("organiser-form", width=420):
        st.text_input(
            "Organiser's secret", type="password", key=_FIELD, autocomplete="current-password"
        )
        st.form_submit_button("Continue", type="primary", on_click=_enter)
    st.html(tag("div", tag("p", "You want to rate? Open the link that the organiser gave you.",
                           class_="quiet small"), class_="vx"))  # fmt: skip


def _enter() -> None:
    with told():
        typed = st.session_state.get(_FIELD) or ""
        secret = configured_secret(_text(secrets().get(SECRET_VARIABLE)))
        store, source = rating_store(), f"organise {client_source()}"
        check_attempts(store, source)
        if secret and secret_is_right(typed, secret):
            st.session_state[_TYPED] = typed
            return
        try:
            note_failure(store, source)
        except ReadOnly:
            time.sleep(_READ_ONLY_WAIT_S)  # nothing can be counted there
        problem("That is not the organiser's secret.")


def _draw_login() -> None:
    user = st.user.to_dict()
    if user.get("is_logged_in"):
        email = _text(user.get("email")) or "somebody without an e-mail address"
        note(tag("p", "You are logged in as ", tag("b", email), ", who does not organise here."))
        st.button("Log out", on_click=st.logout)
    else:
        st.button("Log in", type="primary", on_click=st.login)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
