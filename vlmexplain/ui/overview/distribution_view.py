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
from vlmexplain.ui.html import tag
from vlmexplain.ui.overview import address, kept
from vlmexplain.ui.overview.failure_list import draw_queries
from vlmexplain.ui.overview.scope import rows_of
from vlmexplain.ui.widgets import follow

VALUES = {
    "ca": "Concept agreement",
    "ncs": "Non-common concept similarity",
    "ce": "Concept enumeration",
    "sd": "Size disagreement",
    "sd_raw": "Size disagreement, raw",
    "rank_1based": "Rank of the ground truth",
    "margin": "Margin of the scores",
    "n_words": "Words of the caption",
}
BINS = 30
MOST_POINTS = 4000
CLIP = 0.995


def draw_distributions(gallery: Gallery, run: Run) -> None:
    """Two choices, the histogram of the first, the scatter plot, and what is selected."""
    columns = kept.run_columns(run.key)
    rows = np.flatnonzero(rows_of(gallery, columns) & columns.failure)
    x, y = (_choice(name, label, default) for name, label, default in (
        ("x", "Histogram, and across", "ca"), ("y", "Upwards", "ncs")))  # fmt: skip
    values = columns.column(x)[rows].astype(np.float64)
    defined = ~np.isnan(values)
    st.html(tag("div", tag("p", f"{int(defined.sum()):,} of {len(rows):,} failures have a value; "
                "select with box or lasso to list the failures.", class_="quiet small"),
                class_="vx"))  # fmt: skip
    if not defined.any():
        st.html(tag("div", tag("p", f"{VALUES[x]} is undefined for all of them."), class_="vx"))
        return
    left, right = st.columns(2)
    with left:
        bars = st.plotly_chart(histogram(values[defined], VALUES[x]), key="histogram",
                               on_select="rerun", selection_mode="box")  # fmt: skip
    with right:
        dots = st.plotly_chart(scatter(columns, rows, x, y), key="scatter", on_select="rerun",
                               selection_mode=("box", "lasso"))  # fmt: skip
    chosen = selected(columns, rows, x, y, bars, dots)
    if chosen is not None:
        st.html(tag("div", tag("h2", f"{len(chosen):,} selected failures"), class_="vx"))
        order = chosen[np.argsort(-columns.rank_1based[chosen], kind="stable")]
        draw_queries("overview", gallery, run, order.tolist())


def histogram(values: NDArray[np.float64], title: str) -> go.Figure:
    """Bars of counts; the longest 0.5 % of a tail are put into the last bar."""
    high = float(np.quantile(values, CLIP))
    counts, edges = np.histogram(np.minimum(values, high), bins=BINS)
    middle = (edges[:-1] + edges[1:]) / 2
    figure = go.Figure(go.Bar(x=middle, y=counts, width=np.diff(edges)))
    return _plain(figure, title, "failures")


def scatter(columns: RunColumns, rows: NDArray[np.intp], x: str, y: str) -> go.Figure:
    """One point a failure where both have a value; of many a seeded sample."""
    one, other = (columns.column(name)[rows].astype(np.float64) for name in (x, y))
    both = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
    total = len(both)
    if total > MOST_POINTS:
        both = np.sort(np.random.default_rng(0).choice(both, MOST_POINTS, replace=False))
    points = go.Scattergl(
        x=one[both], y=other[both], mode="markers", customdata=rows[both],
        marker={"size": 5, "opacity": 0.5},
    )  # fmt: skip
    figure = go.Figure(points)
    title = VALUES[x] if len(both) == total else f"{VALUES[x]} ({len(both):,} of {total:,} drawn)"
    return _plain(figure, title, VALUES[y])


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
    return None


def _between(values: NDArray[np.float64], ends: list[float]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (values >= min(ends)) & (values <= max(ends))
    return found


def _choice(name: str, label: str, default: str) -> str:
    value = address.part(name, VALUES, default)
    follow(f"axis-{name}", value)
    st.selectbox(
        label,
        list(VALUES),
        format_func=VALUES.__getitem__,
        key=f"axis-{name}",
        filter_mode=None,
        on_change=lambda: address.put(**{name: st.session_state[f"axis-{name}"]}),
    )
    return value


def _plain(figure: go.Figure, x: str, y: str) -> go.Figure:
    figure.update_layout(
        margin={"l": 50, "r": 10, "t": 10, "b": 45}, height=340, dragmode="select",
        xaxis_title=x, yaxis_title=y, showlegend=False, bargap=0.02,
    )  # fmt: skip
    return figure
