"""People against the automatic metrics: rank correlations, and where they disagree most."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from vlmexplain.ratings.analysis.against_metrics import Correlation, Disagreement
from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.analysis.ratings import mean_rating_by_item
from vlmexplain.ratings.plan.rows import RatingData, first_answers
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ui.pages.rating_admin.figure_text import table
from vlmexplain.ui.pages.rating_admin.plain_chart import draw_chart
from vlmexplain.ui.shared.explore_address import query_link
from vlmexplain.ui.shared.html import Html, join, tag

TITLES = {
    "ca": "CA, concept agreement",
    "ncs": "NCS, non-common concept similarity",
    "ce": "CE, concept enumeration",
    "sd": "SD, size disagreement",
    "rank_1based": "Rank of the ground truth",
    "score_retrieved": "Similarity of the retrieved image",
    "score_ground_truth": "Similarity of the ground truth",
    "margin": "Margin of the similarities",
    "sd_raw": "SD, raw",
}
FIRST = ("ca", "ncs", "ce", "sd", "rank_1based", "score_retrieved")
"""The ones that stand above the others, in this order."""

JITTER = 0.06


def draw_metrics(data: RatingData, found: Analysis) -> None:
    """Correlations, one metric against the ratings, and the disagreements."""
    if not found.correlations:
        no_ratings = "There are no ratings: a choice is not set against single metrics."
        why = no_ratings if found.ratings is None else "The items of this session have no metrics."
        st.html(tag("div", tag("p", why, class_="quiet"), class_="vx"))
        return
    ordered = sorted(found.correlations, key=lambda one: _order(one.key))
    st.html(_correlations(ordered))
    key = st.selectbox(
        "Metric",
        [one.key for one in ordered],
        format_func=title,
        key="analysis-metric",
        filter_mode=None,
    )
    left, right = st.columns([2, 3], gap="large")
    with left:
        _draw_scatter(data, key)
    with right:
        st.html(_disagreements(data.spec, [one for one in found.disagreements if one.key == key]))


def title(key: str) -> str:
    """A metric's name; the query-informed ones say so."""
    if key.startswith("q_"):
        return f"{TITLES.get(key[2:], key[2:])}, query-informed"
    return TITLES.get(key, key)


def _order(key: str) -> tuple[int, bool]:
    return (FIRST.index(key) if key in FIRST else len(FIRST), key.startswith("q_"))


def _correlations(ordered: list[Correlation]) -> Html:
    main = [one for one in ordered if one.key in FIRST]
    rest = [one for one in ordered if one.key not in FIRST]
    more = tag("details", tag("summary", f"{len(rest):,} more"), _rho_table(rest))
    return tag(
        "div",
        tag("h3", "Spearman's ρ of the items' mean ratings with"),
        _rho_table(main) if main else None,
        more if rest else None,
        tag("p", "Where low is good, people and metric agree when ρ is negative. An item counts "
            "where it has a rating and the metric is defined.", class_="quiet small"),
        class_="vx",
    )  # fmt: skip


def _rho_table(shown: list[Correlation]) -> Html:
    rows: list[list[object]] = []
    for one in shown:
        good = tag(
            "span", "↑ high is good" if one.high_is_good else "↓ low is good", class_="quiet"
        )
        if one.rho is None or one.p_value is None:
            rho: object = tag("span", "n/a", class_="undefined")
            p: object = one.undefined_because or ""
        else:
            rho, p = f"{one.rho:.3f}", f"{one.p_value:.3g}"
        rows.append([join(title(one.key), " ", good), rho, p, f"{one.n:,}", f"{one.n_undefined:,}"])
    return table(["Metric", "ρ", "p", "Items", "Undefined"], rows)


def _draw_scatter(data: RatingData, key: str) -> None:
    answers = first_answers(data.rows)
    means = mean_rating_by_item(answers)
    values = {row.item: row.metrics.get(key) for row in answers}
    points = [(values[item], mean) for item, mean in means.items() if values[item] is not None]
    reach = JITTER * (data.spec.scale.highest - data.spec.scale.lowest) / 10
    shaken = np.array([mean for _, mean in points])
    shaken = shaken + np.random.default_rng(0).uniform(-reach, reach, len(points))
    dots = go.Figure(go.Scatter(
        x=[value for value, _ in points], y=shaken, mode="markers",
        marker={"size": 8, "opacity": 0.55}, customdata=[mean for _, mean in points],
        hovertemplate="%{x:.3f}, mean rating %{customdata:.2f}<extra></extra>",
    ))  # fmt: skip
    draw_chart(
        dots,
        f"{title(key)} (n = {len(points):,} items, {len(means) - len(points):,} undefined)",
        "mean rating of the item",
        "chart-metric",
        f"Mean rating of {len(points)} items against {title(key)}",
        400,
    )
    st.caption("One point an item; moved a little up or down so that equal ones can be told apart.")


def _disagreements(spec: SessionSpec, shown: list[Disagreement]) -> Html:
    if not shown:
        return tag("div", tag("p", "People and this metric do not disagree, or too few items have "
                              "both.", class_="quiet"), class_="vx")  # fmt: skip
    rows: list[list[object]] = [
        [query_anchor(spec, one.caption_index, one.query),
         f"{one.mean_rating:.2f} ({one.n_ratings})",
         f"{one.value:.3f}", f"{one.people:.2f}", f"{one.metric:.2f}", f"{one.difference:+.2f}"]
        for one in shown
    ]  # fmt: skip
    return tag(
        "div",
        tag("h3", "Where people and this metric disagree most"),
        table(["Query", "Rating (raters)", "Metric", "Place by people", "by metric", "Difference"],
              rows),
        tag("p", "Place among the items, 0 worst to 1 best, the metric's direction respected; a "
            "positive difference: people like what the metric does not.", class_="quiet small"),
        class_="vx",
    )  # fmt: skip


def query_anchor(spec: SessionSpec, caption_index: int, query: str) -> Html | str:
    """The query, opening all its evidence beside this page; as text where there is no run."""
    if spec.gallery is None or spec.run is None:
        return query
    link = query_link(spec.gallery, spec.run, caption_index)
    return tag("a", query, href=link, target="_blank", rel="noopener")
