"""Pictures for the browser: handed to Streamlit's media store, which names them by content.

The browser then fetches each picture once and keeps it, and the page itself stays small.
"""

from __future__ import annotations

import streamlit.runtime


def media_address(content: bytes, mime: str, spot: str) -> str:
    """The address under which this session's browser finds a picture.

    Args:
        content: the bytes as they are served.
        mime: such as ``image/jpeg``.
        spot: where on the page it stands; a later picture there replaces it.
    """
    store = streamlit.runtime.get_instance().media_file_mgr
    address: str = store.add(content, mime, f"vlmexplain-{spot}")
    return address
