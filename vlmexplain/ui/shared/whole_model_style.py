"""The stylesheet of the whole-model pages, beside the one that all pages share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st


def add_style() -> None:
    """Put the stylesheet on the page."""
    st.html(f"<style>{_rules()}</style>")


@cache
def _rules() -> str:
    return Path(__file__).with_name("whole_model.css").read_text(encoding="utf-8")
