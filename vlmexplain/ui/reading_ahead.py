"""What the first page needs is imported while the browser still fetches Streamlit's own scripts."""

from __future__ import annotations

import importlib
import threading

from vlmexplain.ui.collector import set_aside_modules

NEEDED = (
    "vlmexplain.ui.shell",
    "vlmexplain.ui.explore.page",
    "pandas",  # pyarrow imports it with the first array that it makes of a list
)
"""Of the Explore page; nothing that only a model needs."""


def read_ahead() -> threading.Thread:
    """Start importing; a page that needs a module meanwhile waits for that module alone."""
    thread = threading.Thread(target=_import, name="read-ahead", daemon=True)
    thread.start()
    return thread


def _import() -> None:
    for name in NEEDED:
        importlib.import_module(name)
    set_aside_modules()
