"""Ratings or choices, and how long they took."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.analysis.consistency import TimePerItem
from vlmexplain.ratings.analysis.preference import PreferenceSummary
from vlmexplain.ratings.analysis.ratings import RatingSummary
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.ui.pages.rating_admin.figure_text import (
    interval_cells,
    rests_on,
    table,
    tiles,
    value,
)
from vlmexplain.ui.pages.rating_admin.plain_chart import draw_chart, plain_label
from vlmexplain.ui.shared.html import Html, tag


def draw_answers(data: RatingData, found: Analysis) -> None:
    """The ratings with their histogram, or the choices; then the times."""
    if found.ratings is not None:
        _draw_ratings(data, found, found.ratings)
    if found.preference is not None:
        _draw_preference(found.preference)
    st.html(_times(found.time))


def _draw_ratings(data: RatingData, found: Analysis, given: RatingSummary) -> None:
    st.html(tag("div", tiles(
        ("Mean rating", given.mean, "number"),
        ("Median rating", given.median, "number"),
        ("Mean of the items' means", given.mean_of_items, "number"),
        ("Standard deviation", given.spread, "number"),
    ), class_="vx"))  # fmt: skip
    counts, scale = given.counts, data.spec.scale
    bars = go.Figure(go.Bar(x=list(counts), y=list(counts.values()),
                            hovertemplate="rating %{x}: %{y} answers<extra></extra>"))  # fmt: skip
    bars.update_xaxes(dtick=1 if len(counts) <= 20 else None)
    bars.update_yaxes(rangemode="tozero", dtick=1 if max(counts.values(), default=0) < 5 else None)
    said = ", ".join(f"{n} at {step}" for step, n in counts.items() if n)
    draw_chart(
        bars,
        f"rating<br>{scale.lowest}: {plain_label(scale.lowest_label)}<br>"
        f"{scale.highest}: {plain_label(scale.highest_label)}",
        f"answers (n = {found.n_answers:,})",
        "chart-ratings",
        f"Histogram of the ratings: {said or 'none'}",
    )
    rows: list[list[object]] = [
        [found.class_labels[key], value(mean), f"{mean.n:,}"]
        for key, mean in given.mean_by_class.items()
    ]
    if rows:
        st.html(tag("div", tag("h3", "Mean rating of the answers that mark a class"),
                    table(["Class", "Mean rating", "Answers"], rows), class_="vx"))  # fmt: skip


def _draw_preference(given: PreferenceSummary) -> None:
    share, interval, rests = interval_cells(given.share_retrieved)
    rows: list[list[object]] = [
        ["Answers for the run", f"{given.n_retrieved:,}", "", ""],
        ["Answers for the other run", f"{given.n_other:,}", "", ""],
        ["Both fit equally", f"{given.n_equal:,}", "", ""],
        ["Share for the run, of those that choose one", share, interval, rests],
        ["p of both as often (exact binomial)", value(given.p_value), "", rests_on(given.p_value)],
        ["Items for the run", f"{given.items_retrieved:,}", "", "more of their raters chose it"],
        ["Items for the other run", f"{given.items_other:,}", "", ""],
        ["Items tied", f"{given.items_tied:,}", "", ""],
        ["Chosen on the left", value(given.share_left, "share"), "", rests_on(given.share_left)],
    ]
    st.html(tag("div", table(["Figure", "Value", "95 % interval", "Rests on"], rows), class_="vx"))


def _times(time: TimePerItem) -> Html:
    rows: list[list[object]] = [
        [f"Rater {rater}", value(median), f"{median.n:,}"]
        for rater, median in time.median_by_rater.items()
    ]
    unknown = f" {time.n_unknown:,} answers have no known time." if time.n_unknown else ""
    return tag(
        "div",
        tag("h3", "Seconds per item", style="margin-bottom:8px"),
        tiles(("Median", time.median, "number"), ("Mean", time.mean, "number"),
              ("Lower quartile", time.quartile_low, "number"),
              ("Upper quartile", time.quartile_high, "number")),
        tag("p", "Of the first time an answer is given; edits do not count.", unknown,
            class_="quiet small"),
        tag("details", tag("summary", "By rater"),
            table(["Rater", "Median seconds", "Answers"], rows)) if rows else None,
        class_="vx",
    )  # fmt: skip
