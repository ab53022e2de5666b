"""The Explore page."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui import state
from vlmexplain.ui.explore.evidence import draw_evidence
from vlmexplain.ui.explore.worked_example import worked_example
from vlmexplain.ui.messages import problem, told


def explore_page() -> None:
    """Draw the page for what the address says."""
    address, problems = state.read(st.query_params.to_dict())
    for each in problems:
        problem(each)
    with told():
        draw_evidence(worked_example(address), address)
