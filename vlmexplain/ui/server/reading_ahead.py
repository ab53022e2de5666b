"""The first page's imports, made while the browser still fetches Streamlit's own scripts."""

from __future__ import annotations

import contextlib
import importlib
import threading

from vlmexplain.errors import VlmexplainError
from vlmexplain.ui.server.collector import set_aside_modules

NEEDED = (
    "vlmexplain.ui.shell",
    "vlmexplain.ui.pages.explore.page",
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
    _open_wordnet()
    set_aside_modules()


def _open_wordnet() -> None:
    from vlmexplain.concepts.mentions import mentions_in
    from vlmexplain.concepts.wordnet import load_wordnet
    from vlmexplain.concepts.wordnet_files import wordnet_root

    if wordnet_root().is_dir():  # setting it up is for a page to do, which says what goes wrong
        with contextlib.suppress(VlmexplainError):
            mentions_in("", (), load_wordnet())
