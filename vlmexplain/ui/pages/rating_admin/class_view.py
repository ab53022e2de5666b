"""How often classes are marked, how many at once, and which go together."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.ui.pages.rating_admin.figure_text import share, table, value
from vlmexplain.ui.pages.rating_admin.plain_chart import draw_chart, plain_label
from vlmexplain.ui.shared.html import Html, tag

FIRST_RULES = 10


def draw_classes(_: RatingData, found: Analysis) -> None:
    """Frequencies, numbers of classes at once, co-occurrence, rules."""
    if not found.class_labels:
        st.html(tag("div", tag("p", "This session asks for no classes.", class_="quiet"),
                    class_="vx"))  # fmt: skip
        return
    st.html(_frequencies(found))
    left, right = st.columns([2, 3], gap="large")
    left.html(_counts(found))
    with right:
        st.html(tag("div", tag("h3", "Marked together"), class_="vx"))
        _draw_heat_map(found)
    st.html(_rules(found))


def _frequencies(found: Analysis) -> Html:
    rows: list[list[object]] = [
        [found.class_labels[one.key], share(one.share_of_answers), f"{one.n_answers:,}",
         f"{one.n_items_any:,}", f"{one.n_items_most:,}", f"{one.n_items_tied:,}"]
        for one in found.class_frequencies
    ]  # fmt: skip
    return tag(
        "div",
        table(["Class", f"Share of {found.n_answers:,} answers", "Answers", "Items, any rater",
               "Items, most raters", "Items tied"], rows),
        class_="vx",
    )  # fmt: skip


def _counts(found: Analysis) -> Html:
    rows: list[list[object]] = [
        [f"{one.n_classes}", f"{one.n_answers:,}", value(one.share, "share"),
         value(one.share_of_marked, "share") if one.n_classes else "–"]
        for one in found.class_counts
    ]  # fmt: skip
    marked = sum(one.n_answers for one in found.class_counts if one.n_classes)
    return tag(
        "div",
        tag("h3", "Classes at once"),
        table(["Classes", "Answers", f"Of all {found.n_answers:,}", f"Of {marked:,} with any"],
              rows),
        class_="vx",
    )  # fmt: skip


def _draw_heat_map(found: Analysis) -> None:
    keys = list(found.class_labels)
    labels = [plain_label(found.class_labels[key], 20) for key in keys]
    counts = [[found.co_occurrence[a][b] for b in keys] for a in keys]
    heat = go.Figure(go.Heatmap(
        z=counts, x=labels, y=labels, text=counts, texttemplate="%{text}",
        xgap=2, ygap=2, showscale=False,
        hovertemplate="%{y} and %{x}: %{z} answers<extra></extra>",
    ))  # fmt: skip
    heat.update_yaxes(autorange="reversed")
    draw_chart(
        heat,
        f"class (n = {found.n_answers:,} answers)",
        "class",
        "chart-together",
        "Heat map of classes marked together; the rules below hold the same counts",
        110 + 34 * len(keys),
    )
    st.caption("Answers that mark both classes; on the diagonal, that mark the class.")


def _rules(found: Analysis) -> Html:
    if not found.rules:
        return tag("div", tag("p", "No two classes were marked together, so there are no rules.",
                              class_="quiet"), class_="vx")  # fmt: skip
    heads = ["If", "then", "Answers with both", "Support", "Confidence", "of answers", "Lift"]
    rows: list[list[object]] = [
        [found.class_labels[rule.if_class], found.class_labels[rule.then_class],
         f"{rule.n_both:,}", value(rule.support, "share"), value(rule.confidence, "share"),
         f"{rule.n_if:,}", value(rule.lift)]
        for rule in found.rules
    ]  # fmt: skip
    rest = rows[FIRST_RULES:]
    return tag(
        "div",
        tag("h3", "If one class, then another"),
        table(heads, rows[:FIRST_RULES], 2),
        tag("details", tag("summary", f"{len(rest):,} rules with less confidence"),
            table(heads, rest, 2)) if rest else None,
        tag("p", f"Support: of all {found.n_answers:,} answers. Confidence: of the answers with "
            "the first class. Lift: confidence over the share of the second; 1 when the first says "
            "nothing about it.", class_="quiet small"),
        class_="vx",
    )  # fmt: skip
