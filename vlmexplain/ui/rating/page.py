"""A rater joins a session and answers one item after the other."""

from __future__ import annotations

import streamlit as st


def rate_page() -> None:
    """The rater's page."""
    st.title("Rate")
