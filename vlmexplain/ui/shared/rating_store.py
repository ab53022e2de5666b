"""The rating store and who is asking, for the pages of rating sessions."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ratings.access.locality import is_local
from vlmexplain.ratings.store.database import database_url
from vlmexplain.ratings.store.store import RatingStore, open_store


def rating_store() -> RatingStore:
    """The store of this process; opened by the first call, for all its threads.

    Raises:
        StoreError: the database is locked, full, unreachable, damaged, or from a newer version;
            the next call tries again.
    """
    opened: RatingStore = _opened(database_url().render_as_string(hide_password=False))
    return opened


@st.cache_resource(max_entries=4, show_spinner=False)
def _opened(url: str) -> RatingStore:
    return open_store(url)


def client_source() -> str:
    """Where this visitor comes from, to slow down wrong codes and secrets from there.

    The connection's own address. A proxy on this machine is looked through (the server takes the
    address that the proxy itself appended to ``X-Forwarded-For``), one elsewhere is not.
    """
    return st.context.ip_address or "this machine"


def visitor_is_local() -> bool:
    """Whether the visitor sits at this machine, see `ratings.locality.is_local`."""
    headers = st.context.headers
    pairs = [(name, value) for name in headers for value in headers.get_all(name)]
    # Streamlit gives no address for this machine's own; without headers nobody is connected.
    peer = (st.context.ip_address or "127.0.0.1") if pairs else None
    return is_local(peer, pairs)
