"""Registers the rater's component: scripts that share one scope, in this order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from vlmexplain.ui.shared.components.mount import FOLDER as SHARED_FOLDER

FOLDER = Path(__file__).parent
SCRIPTS = (
    SHARED_FOLDER / "dom.js",
    FOLDER / "memory.js",
    FOLDER / "outbox.js",
    FOLDER / "keys.js",
    FOLDER / "figures.js",
    FOLDER / "form.js",
    FOLDER / "frame.js",
    FOLDER / "screen.js",
    FOLDER / "rater.js",
)


def register_rater() -> Any:
    """The mounting function of the rater's component."""
    return st.components.v2.component(
        "vlmexplain.rater",
        css=(FOLDER / "rater.css").read_text(encoding="utf-8"),
        js="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
    )
