"""Watching jobs only while there are any: a page at rest asks the server nothing."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.shared.job_list import watch_jobs


def watch_while_running(kind: str) -> None:
    """Show the jobs of a kind each second, until the last of them has ended."""
    running = any(view.status == "running" for view in job_registry().views(kind))
    if running or st.session_state.get(f"running-{kind}"):
        watch_jobs(kind)
