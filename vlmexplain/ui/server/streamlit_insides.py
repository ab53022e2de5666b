"""Every use of what Streamlit does not document, each with what is done when it is not there.

Written for Streamlit 1.67; a version that moves these must cost comfort, never a page.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

DRAWS = "ScriptRunner.scriptThread"
"""The name of Streamlit's threads that draw pages; a test holds it to Streamlit."""


def stored_address(content: bytes, mime: str, spot: str) -> str | None:
    """The path at which this server serves an image, from its media store; None: no store.

    Args:
        content: the bytes as they are served.
        mime: such as ``image/jpeg``.
        spot: where on the page it stands; a later image there replaces it.
    """
    try:
        import streamlit.runtime

        store = streamlit.runtime.get_instance().media_file_mgr
        return str(store.add(content, mime, spot))
    except (ImportError, AttributeError, TypeError):
        return None


def resource_entries() -> dict[str, int] | None:
    """How many entries each resource cache has, by its function's name; None: not told.

    Streamlit tells the number of entries as a length as long as it is not asked to measure.
    """
    found: dict[str, int] = {}
    try:
        from streamlit.runtime.caching import get_resource_cache_stats_provider

        for stat in _stats(get_resource_cache_stats_provider()):
            found[stat.cache_name] = found.get(stat.cache_name, 0) + stat.byte_length
    except (ImportError, AttributeError, TypeError):
        return None
    return found


def data_bytes() -> int | None:
    """What all data caches hold together; None: not told."""
    try:
        from streamlit.runtime.caching import get_data_cache_stats_provider

        return sum(int(stat.byte_length) for stat in _stats(get_data_cache_stats_provider()))
    except (ImportError, AttributeError, TypeError):
        return None


def _stats(provider: Any) -> Iterator[Any]:
    for stats in provider.get_stats().values():
        yield from stats


def session_id() -> str | None:
    """The name of the session that is drawn now; None outside of one, and where it is not told."""
    try:
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        context = get_script_run_ctx(suppress_warning=True)
        return None if context is None else str(context.session_id)
    except (ImportError, AttributeError, TypeError):
        return None


def ask_draws_to_end() -> None:
    """Ask the pages that are drawn now to end; without that they are only waited for."""
    try:
        from streamlit import runtime

        if runtime.exists():
            runtime.get_instance().stop()
    except (ImportError, AttributeError, TypeError):
        return


def drawing_threads() -> list[threading.Thread]:
    """The threads that draw pages now; none is found where Streamlit names them otherwise."""
    return [thread for thread in threading.enumerate() if thread.name == DRAWS]


def plain_logs() -> None:
    """Keep Streamlit from printing errors in colour, with what the code held, to stdout."""
    try:
        from streamlit import config

        config.set_option("logger.enableRich", False)
    except (ImportError, AttributeError, RuntimeError):  # RuntimeError: no such option
        return
