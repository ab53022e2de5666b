"""Background jobs on a page: bar, rate, time left, and a way to stop."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui.server.jobs import JobView, job_registry
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.messages import problem


@st.fragment(run_every=1.0)
def watch_jobs(kind: str) -> None:
    """Show the running jobs of a kind, drawn anew each second; the page once one ends."""
    views = [view for view in job_registry().views(kind) if view.status == "running"]
    seen = st.session_state.setdefault(f"running-{kind}", set())
    for view in views:
        _running(view)
    now = {view.number for view in views}
    ended = seen - now
    st.session_state[f"running-{kind}"] = now
    if ended:
        st.rerun()


def show_ended(kind: str) -> list[JobView]:
    """Say how the latest jobs of a kind ended; those that are done."""
    ended = [view for view in job_registry().views(kind) if view.status != "running"][:3]
    for view in ended:
        if view.status == "failed" and view.error is not None:
            st.html(tag("div", tag("p", f"{view.title} did not end well:"), class_="vx"))
            problem(view.error)
        elif view.status == "cancelled":
            st.html(tag("div", tag("p", f"{view.title}: {view.error}"), class_="vx quiet"))
    return [view for view in ended if view.status == "done"]


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(0.4), duration(75), duration(7500)
    ('under a second', '1 min 15 s', '2 h 5 min')
    """
    if seconds < 1:
        return "under a second"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _running(view: JobView) -> None:
    bar, stop = st.columns([5, 1], vertical_alignment="center")
    bar.html(_bar(view))
    if stop.button("Stop", key=f"stop-{view.number}", width="stretch"):
        job_registry().cancel(view.number)


def _bar(view: JobView) -> Html:
    progress = view.progress
    if progress is None:
        line, share = "starting", 0.0
    else:
        share = min(1.0, progress.done / progress.total) if progress.total else 0.0
        line = f"{progress.stage}: {progress.done:,} of {progress.total:,} {progress.unit}".rstrip()
        if view.per_second:
            line += f" · {view.per_second:,.3g} a second"
        if view.left_s is not None:
            line += f" · {duration(view.left_s)} left"
    return tag(
        "div",
        tag("p", tag("b", view.title), tag("span", f" · {line}", class_="quiet num")),
        tag(
            "div",
            tag("i", style=f"width:{100 * share:.1f}%"),
            class_="meter",
            role="progressbar",
            aria_label=view.title,
            aria_valuemin=0,
            aria_valuemax=100,
            aria_valuenow=round(100 * share),
        ),
        class_="vx",
    )
