"""Registers a component made of the files beside this one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(__file__).parent


def register(name: str, *, shared: bool = True) -> Any:
    """The mounting function of ``name.js`` and ``name.css``; all share ``dom.js``, ``wide.css``.

    Args:
        shared: False for a script that draws nothing: no ``dom.js``, no stylesheet.
    """
    script = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    if not shared:
        return st.components.v2.component(f"vlmexplain.{name}", js=script)
    script = (FOLDER / "dom.js").read_text(encoding="utf-8") + script
    parts = (FOLDER / f"{part}.css" for part in ("wide", name))
    style = "".join(part.read_text(encoding="utf-8") for part in parts)
    return st.components.v2.component(f"vlmexplain.{name}", css=style, js=script)
