"""The rating store and who is asking, for the pages of rating sessions."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from vlmexplain.ratings.database import database_url
from vlmexplain.ratings.store import RatingStore, open_store

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
FORWARDING = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")


def rating_store() -> RatingStore:
    """The store of this process; opened by the first call, for all its threads.

    Raises:
        StoreError: the database is locked, full, unreachable, damaged, or from a newer version;
            the next call tries again.
    """
    return _opened(database_url().render_as_string(hide_password=False))


@st.cache_resource(max_entries=4, show_spinner=False)
def _opened(url: str) -> RatingStore:
    return open_store(url)


def client_source() -> str:
    """Where this visitor comes from, to slow down wrong codes and secrets from there.

    The connection's own address. A proxy on this machine is looked through (the server takes the
    address that the proxy itself appended to ``X-Forwarded-For``), one elsewhere is not.
    """
    return st.context.ip_address or "this machine"


def is_local() -> bool:
    """Whether the visitor sits at this machine: no proxy between, and its own name in the address.

    A proxy on this machine connects from this machine too; then the name that the browser asked
    for, or the page it came from, is another one, or the proxy says for whom it asks.
    """
    headers = st.context.headers
    names = [headers.get("Host"), urlsplit(headers.get("Origin") or "").netloc]
    return (
        st.context.ip_address is None
        and not any(headers.get(name) for name in FORWARDING)
        and all(_is_local_name(name) for name in names if name)
    )


def _is_local_name(host_and_port: str) -> bool:
    try:
        return urlsplit(f"//{host_and_port}").hostname in LOCAL_NAMES
    except ValueError:
        return False
