"""Distributions on the Overview page: a histogram, and two metrics against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.html import tag
from vlmexplain.ui.overview import address, kept
from vlmexplain.ui.overview.failure_list import draw_queries
from vlmexplain.ui.overview.scope import current_scope, rows_of
from vlmexplain.ui.widgets import follow

VALUES = {
    "ca": "Concept agreement",
    "ncs": "Non-common concept similarity",
    "ce": "Concept enumeration",
    "sd": "Size disagreement",
    "sd_raw": "Size disagreement, raw",
    "rank_1based": "Rank of the ground truth",
    "margin": "Margin of the scores",
    "n_words": "Caption length",
}
UNITS = {
    "ca": "0 to 1, high is good",
    "ncs": "0 to 1, high is good",
    "ce": "count, low is good",
    "sd": "0 to 1, low is good",
    "sd_raw": "mean relative difference, low is good",
    "rank_1based": "1 is best",
    "margin": "first image minus ground truth",
    "n_words": "words",
}
BINS = 30
MOST_POINTS = 4000
CLIP = 0.995
TOOLS = {
    "displaylogo": False,
    "displayModeBar": True,
    "modeBarButtonsToRemove": ["toImage", "zoom", "pan", "zoomIn", "zoomOut", "autoScale"],
}


def draw_distributions(gallery: Gallery, run: Run) -> None:
    """Two choices, the histogram of the first, the scatter plot, and what is selected."""
    columns = kept.run_columns(run.key)
    rows = np.flatnonzero(rows_of(gallery, columns) & columns.failure)
    spots = st.columns(2)
    x = _choice(spots[0], "x", "Histogram, and across in the scatter plot", "ca")
    y = _choice(spots[1], "y", "Upwards in the scatter plot", "ncs")
    values = columns.column(x)[rows].astype(np.float64)
    defined = ~np.isnan(values)
    said = f"{int(defined.sum()):,} of {len(rows):,} failures have a value of {VALUES[x].lower()}. "
    said += "Choose a bar, or drag a box or a lasso over either chart, to list the failures in it."
    st.html(tag("div", tag("p", said, class_="quiet small"), class_="vx"))
    if not defined.any():
        nothing = f"{VALUES[x]} is undefined for all {len(rows):,} failures."
        st.html(tag("div", tag("p", nothing), class_="vx"))
        return
    # a selection belongs to what it was made in
    key = content_key([run.key, current_scope(gallery.id).key, x, y])[:16]
    left, right = st.columns(2)
    with left:
        bars = st.plotly_chart(histogram(values[defined], _axis(x)), key=f"histogram-{key}",
                               on_select="rerun", selection_mode=("points", "box"),
                               config=TOOLS)  # fmt: skip
    with right:
        dots = st.plotly_chart(scatter(columns, rows, x, y), key=f"scatter-{key}",
                               on_select="rerun", selection_mode=("points", "box", "lasso"),
                               config=TOOLS)  # fmt: skip
    chosen = selected(columns, rows, x, y, bars, dots)
    if chosen is not None:
        title = f"{len(chosen):,} selected failures, the lowest ranked first"
        st.html(tag("div", tag("h2", title), class_="vx"))
        order = chosen[np.argsort(-columns.rank_1based[chosen], kind="stable")]
        draw_queries("overview", gallery, run, order.tolist())


def histogram(values: NDArray[np.float64], title: str) -> go.Figure:
    """Bars of counts; the longest 0.5 % of a tail are put into the last bar."""
    high = float(np.quantile(values, CLIP))
    counts, edges = np.histogram(np.minimum(values, high), bins=BINS)
    tail = int(np.count_nonzero(values > high))
    ends = np.append(edges[1:-1], max(float(values.max()), float(edges[-1])))
    bars = go.Bar(
        x=(edges[:-1] + edges[1:]) / 2, y=counts, width=np.diff(edges),
        customdata=np.stack([edges[:-1], ends], axis=1),
        hovertemplate="%{customdata[0]:.3~f} to %{customdata[1]:.3~f}: %{y:,} failures"
        "<extra></extra>",
    )  # fmt: skip
    more = f" (last bar: all from {edges[-2]:.3g})" if tail else ""
    return _plain(go.Figure(bars), f"{title}{more}", "Failures")


def scatter(columns: RunColumns, rows: NDArray[np.intp], x: str, y: str) -> go.Figure:
    """One point a failure where both have a value; of many a seeded sample."""
    one, other = (columns.column(name)[rows].astype(np.float64) for name in (x, y))
    both = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
    total = len(both)
    if total > MOST_POINTS:
        both = np.sort(np.random.default_rng(0).choice(both, MOST_POINTS, replace=False))
    points = go.Scattergl(
        x=one[both], y=other[both], mode="markers", customdata=rows[both],
        marker={"size": 6, "opacity": 0.5},
        hovertemplate="%{x:.3~f}, %{y:.3~f}<extra></extra>",
    )  # fmt: skip
    figure = go.Figure(points)
    drawn = "" if len(both) == total else f" · {len(both):,} of {total:,} drawn"
    return _plain(figure, f"{_axis(x)}{drawn}", _axis(y))


def selected(
    columns: RunColumns, rows: NDArray[np.intp], x: str, y: str, bars: Any, dots: Any
) -> NDArray[np.intp] | None:
    """The failures in the selection: of a box all, also those not drawn; of a lasso the points."""
    one, other = (columns.column(name)[rows].astype(np.float64) for name in (x, y))
    if dots.selection.box:
        box = dots.selection.box[0]
        return rows[_between(one, box["x"]) & _between(other, box["y"])]
    if dots.selection.points:
        picked = {int(np.ravel(point["customdata"])[0]) for point in dots.selection.points}
        return rows[np.isin(rows, list(picked))]
    if bars.selection.box:
        return rows[_between(one, bars.selection.box[0]["x"])]
    if bars.selection.points:
        return rows[_in_bars(one, [point["customdata"] for point in bars.selection.points])]
    return None


def _in_bars(values: NDArray[np.float64], bars: list[list[float]]) -> NDArray[np.bool_]:
    """Which values are in any of the bars: the last bar of all holds its upper end too."""
    found = np.zeros(len(values), dtype=bool)
    last = np.nanmax(values)
    for low, high in bars:
        found |= (values >= low) & ((values < high) | ((values == high) & (high == last)))
    return found


def _between(values: NDArray[np.float64], ends: list[float]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (values >= min(ends)) & (values <= max(ends))
    return found


def _choice(spot: Any, name: str, label: str, default: str) -> str:
    value = address.part(name, VALUES, default)
    follow(f"axis-{name}", value)
    spot.selectbox(
        label,
        list(VALUES),
        format_func=VALUES.__getitem__,
        key=f"axis-{name}",
        filter_mode=None,
        on_change=lambda: address.put(**{name: st.session_state[f"axis-{name}"], "at": None}),
    )
    return value


def _axis(name: str) -> str:
    return f"{VALUES[name]} ({UNITS[name]})"


def _plain(figure: go.Figure, x: str, y: str) -> go.Figure:
    figure.update_layout(
        margin={"l": 50, "r": 10, "t": 10, "b": 45}, height=340, dragmode="select",
        xaxis_title=x, yaxis_title=y, showlegend=False, bargap=0.02,
    )  # fmt: skip
    return figure
