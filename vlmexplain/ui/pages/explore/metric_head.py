"""What every metric's section starts with, and the four of them at a glance."""

from __future__ import annotations

import streamlit as st

from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.metrics.table import METRIC
from vlmexplain.ui.pages.explore.adds_up import sum_of
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.words import value_text

SHOWN = ("ca", "ncs", "ce", "sd")
_GATHERED = r"\begin{gathered}%s\end{gathered}"
ARROW = {"high": "↑", "low": "↓"}


def draw_head(pair: PairExplanation, key: str) -> None:
    """A section's heading with its formula and what was decided where the paper is silent."""
    left, right = st.columns([1, 1], vertical_alignment="center")
    left.html(tag("div", head(pair, key), class_="vx"))
    right.latex(_in_lines(METRIC[key].latex))
    if METRIC[key].note:
        note = tag("details", tag("summary", "What was decided"), tag("p", METRIC[key].note))
        st.html(tag("div", note, class_="vx"))


def cards(pair: PairExplanation) -> Html:
    """The four metrics at a glance; each leads to its section."""
    return tag("div", [_card(pair, key) for key in SHOWN], class_="cards")


def head(pair: PairExplanation, key: str) -> Html:
    """A section's heading: name, value, direction, meaning."""
    metric, result = METRIC[key], pair.result(key)
    undefined = result.value is None
    return tag(
        "div",
        tag(
            "div",
            tag("h3", f"{metric.title} ({metric.short})", id=f"metric-{key}"),
            tag(
                "span",
                value_text(key, result.value),
                class_="value undefined" if undefined else "value",
                data_metric=key,
            ),
            tag("span", ARROW[metric.good], " ", metric.good_text(), class_="dir"),
            class_="metric-head",
        ),
        tag("p", metric.meaning, style="margin:2px 0 0"),
    )


def adds_up(pair: PairExplanation, key: str, beside: str = "") -> Html:
    """The evidence as a sum with its result; where there is none, why."""
    result = pair.result(key)
    if result.value is None:
        return tag(
            "p",
            tag("span", "undefined", class_="undefined"),
            f": {result.undefined_because}.",
            class_="adds-up",
        )
    return tag(
        "p",
        f"{METRIC[key].short} = {sum_of(pair, key)} = ",
        tag("b", value_text(key, result.value)),
        tag("span", f"  {beside}", class_="quiet") if beside else None,
        class_="adds-up",
    )


def _in_lines(latex: str) -> str:
    r"""A formula with each of its parts on a line of its own, so that none runs out of sight.

    >>> print(_in_lines(r"a = b, \quad b = c"))
    \begin{gathered}a = b \\[4pt] b = c\end{gathered}
    """
    parts = latex.split(r", \quad ")
    return latex if len(parts) == 1 else _GATHERED % r" \\[4pt] ".join(parts)


def _card(pair: PairExplanation, key: str) -> Html:
    metric, result = METRIC[key], pair.result(key)
    value = result.value
    bounded = metric.high == 1
    return tag(
        "a",
        tag(
            "div",
            metric.title,
            tag("span", f"{metric.short} {ARROW[metric.good]}", title=metric.good_text()),
            class_="name",
        ),
        tag(
            "div",
            value_text(key, value),
            class_="value undefined" if value is None else "value",
            data_card=key,
        ),
        tag("div", tag("i", style=f"width:{100 * value:.1f}%"), class_="scale", aria_hidden="true")
        if bounded and value is not None
        else None,
        tag("div", sum_of(pair, key), class_="sum") if value is not None else None,
        tag("div", metric.meaning if value is not None else result.undefined_because, class_="why"),
        href=f"#metric-{key}",
        class_="card",
    )
