"""Distributions on the Overview page: a histogram, and two metrics against each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.pages.overview.failure_list import draw_queries
from vlmexplain.ui.pages.overview.selection import (
    Selection,
    chosen_failures,
    of_bars,
    of_dots,
    read_selection,
    selection_text,
    shape_of,
)
from vlmexplain.ui.shared import kept
from vlmexplain.ui.shared.charts import in_app_colour
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.scope import current_scope, rows_of
from vlmexplain.ui.shared.widgets import follow

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
    now = OVERVIEW.now()
    x = _choice(spots[0], "x", now.x, "Histogram, and across in the scatter plot")
    y = _choice(spots[1], "y", now.y, "Upwards in the scatter plot")
    across, upwards = (columns.column(name)[rows].astype(np.float64) for name in (x, y))
    defined = ~np.isnan(across)
    _say(_cases(defined, ~np.isnan(upwards), x, y))
    if not defined.any():
        _say(f"{VALUES[x]} is undefined for all {len(rows):,} failures.")
        return
    asked = _asked()
    # a selection belongs to what it was made in
    key = content_key([run.key, current_scope(gallery.id).key, x, y])[:16]
    left, right = st.columns(2)
    _chart(left, "bars", key, histogram(across[defined], _axis(x)), of_bars, asked)
    _chart(right, "dots", key, scatter(columns, rows, x, y), of_dots, asked)
    if asked is not None:
        chosen = chosen_failures(asked, rows, across, upwards)
        title = f"{len(chosen):,} selected failures, the lowest ranked first"
        st.html(tag("div", tag("h2", title), class_="vx"))
        said = selection_text(asked, VALUES[x], VALUES[y].lower())
        _say(f"{said}. A copy of the address opens this list.")
        order = chosen[np.argsort(-columns.rank_1based[chosen], kind="stable")]
        draw_queries(gallery, run, order.tolist())


def _cases(across: NDArray[np.bool_], upwards: NDArray[np.bool_], x: str, y: str) -> str:
    """How many failures each chart rests on, and what to do with them."""
    both = int((across & upwards).sum())
    return (
        f"{int(across.sum()):,} of {len(across):,} failures have a value of {VALUES[x].lower()}, "
        f"{both:,} of {VALUES[y].lower()} too. Choose a bar, or drag a box or a lasso over either "
        "chart, to list the failures in it."
    )


def _say(text: str) -> None:
    st.html(tag("div", tag("p", text, class_="quiet small"), class_="vx"))


def _asked() -> Selection | None:
    """The selection that the address names."""
    said = OVERVIEW.now().within
    return read_selection(said) if said else None


def _chart(
    spot: Any,
    name: str,
    key: str,
    figure: go.Figure,
    read: Callable[[Any], Selection | None],
    asked: Selection | None,
) -> None:
    """One chart; what is selected in it goes into the address.

    A chart that shows another selection than the address (after a link, Back, or a selection in
    the chart beside it) is drawn anew, with the address's selection outlined.
    """
    turns = st.session_state.setdefault(f"turns-{name}", 0)
    own = f"{name}-{key}-{turns}"
    here = asked is not None and asked.in_bars == (name == "bars")
    before = st.session_state.get(own)
    drawn = None if before is None else read(before)
    if drawn is not None and (asked is None or drawn.text != asked.text):
        st.session_state[f"turns-{name}"] = turns + 1
        own, drawn = f"{name}-{key}-{turns + 1}", None
    if here and asked is not None and drawn is None:
        shape = shape_of(asked)
        if shape is not None:
            figure.add_shape(shape)
    modes = ("points", "box") if name == "bars" else ("points", "box", "lasso")
    spot.plotly_chart(
        figure,
        key=own,
        on_select=lambda: _select(read(st.session_state[own])),
        selection_mode=modes,
        config=TOOLS,
    )


def _select(made: Selection | None) -> None:
    OVERVIEW.go(within="" if made is None else made.text, at=0)


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


def _choice(spot: Any, name: str, value: str, label: str) -> str:
    follow(f"axis-{name}", value)
    spot.selectbox(
        label,
        list(VALUES),
        format_func=VALUES.__getitem__,
        key=f"axis-{name}",
        filter_mode=None,
        on_change=lambda: OVERVIEW.go(**{name: st.session_state[f"axis-{name}"]}, within="", at=0),
    )
    return value


def _axis(name: str) -> str:
    return f"{VALUES[name]} ({UNITS[name]})"


def _plain(figure: go.Figure, x: str, y: str) -> go.Figure:
    in_app_colour(figure).update_layout(
        margin={"l": 50, "r": 10, "t": 36, "b": 45}, height=366, dragmode="select",
        xaxis_title=x, yaxis_title=y, showlegend=False, bargap=0.02,
    )  # fmt: skip
    return figure
