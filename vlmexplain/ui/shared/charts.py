"""The colour of a chart's one series: the app's own in both themes."""

from __future__ import annotations

import plotly.graph_objects as go


def in_app_colour(figure: go.Figure) -> go.Figure:
    """The same figure, its bars or points in the first of the theme's chart colours.

    Plotly's own blue would stay otherwise: only Plotly Express takes the template's colours over.
    Streamlit puts the colour of ``.streamlit/config.toml`` (`theme.CHART_SERIES`) in its place when
    the chart is first drawn.
    """
    colours = figure.layout.template.layout.colorway
    if colours:
        figure.update_traces(marker_color=colours[0], selector=lambda one: one.type != "heatmap")
    return figure
