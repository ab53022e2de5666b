"""What the charts of the analysis share."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from vlmexplain.ui.shared.charts import in_app_colour

HEIGHT = 320


def draw_chart(figure: go.Figure, x: str, y: str, key: str, alt: str, height: int = HEIGHT) -> None:
    """Draw a chart with titled axes; ``alt`` says in words what it shows."""
    in_app_colour(figure).update_layout(
        margin={"l": 10, "r": 10, "t": 10, "b": 10}, height=height, showlegend=False, bargap=0.15
    )
    figure.update_xaxes(title=x, automargin=True)
    figure.update_yaxes(title=y, automargin=True)
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)


def plain_label(text: str, longest: int = 40) -> str:
    """A person's words for a chart, without the signs that Plotly takes for markup.

    >>> plain_label("<b>not</b> relevant")
    '‹b›not‹/b› relevant'
    """
    plain = text.translate(str.maketrans("<>$&", "‹›＄＆"))
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
