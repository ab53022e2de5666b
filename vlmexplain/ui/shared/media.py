"""Pictures for the browser: handed to Streamlit's media store, which names them by content.

The browser then fetches each picture once and keeps it, and the page itself stays small.
"""

from __future__ import annotations

import base64

import streamlit as st

from vlmexplain.ui.server.streamlit_insides import stored_address


def media_address(content: bytes, mime: str, spot: str) -> str:
    """The address under which this session's browser finds a picture.

    Args:
        content: the bytes as they are served.
        mime: such as ``image/jpeg``.
        spot: where on the page it stands; a later picture there replaces it.
    """
    address = stored_address(content, mime, f"vlmexplain-{spot}")
    if address is None:  # then the image stands in the address itself
        return f"data:{mime};base64,{base64.b64encode(content).decode('ascii')}"
    return under_base(address, st.get_option("server.baseUrlPath"))


def under_base(address: str, base_path: str) -> str:
    """An address of this server as a page finds it, whatever stands before the server's paths.

    Every page lies right below the app's root, so that an address from there also holds behind a
    proxy that takes a folder's name away; a server that knows its base path names it.

    >>> under_base("/media/a.png", ""), under_base("/media/a.png", "tools/vlm/")
    ('./media/a.png', '/tools/vlm/media/a.png')
    """
    base = base_path.strip("/")
    return f"/{base}{address}" if base else f".{address}"
