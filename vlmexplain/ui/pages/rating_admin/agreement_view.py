"""Do raters agree with each other, and with themselves."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.ui.pages.rating_admin.figure_text import interval_cells, rests_on, table, value
from vlmexplain.ui.shared.html import Html, tag


def draw_agreement(_: RatingData, found: Analysis) -> None:
    """Krippendorff's alpha with intervals, and self-consistency."""
    st.html(_alphas(found))
    st.html(_consistency(found))


def _alphas(found: Analysis) -> Html:
    agreement = found.agreement
    shown = []
    if agreement.rating is not None:
        shown.append(("Rating", "ordinal", agreement.rating))
    if agreement.preference is not None:
        shown.append(("Choice", "nominal", agreement.preference))
    shown += [
        (found.class_labels[key], "nominal", alpha) for key, alpha in agreement.by_class.items()
    ]
    rows: list[list[object]] = [
        [name, level, *interval_cells(alpha)] for name, level, alpha in shown
    ]
    return tag(
        "div",
        tag("h3", "Between raters"),
        table(["What", "Measure", "Krippendorff's α", "95 % interval", "Items"], rows, 2),
        tag("p", "1: full agreement; 0: as by chance; below 0: worse than chance. n: items with "
            "the answers of two raters or more "
            f"({agreement.n_pairable_items:,} of {agreement.n_raters:,} raters). Interval: "
            "percentiles over items drawn with replacement.", class_="quiet small"),
        class_="vx",
    )  # fmt: skip


def _consistency(found: Analysis) -> Html:
    same = found.consistency
    shown = (
        [("Same rating", same.same_rating, "share"),
         ("At most one step apart", same.within_one, "share"),
         ("Mean difference of the ratings", same.mean_difference, "number")]
        if found.ratings is not None
        else [("Same choice", same.same_preference, "share")]
    )  # fmt: skip
    shown.append(("Same classes, all of them", same.same_classes, "share"))
    shown += [
        (f"{found.class_labels[key]}: marked both times or neither", one, "share")
        for key, one in same.same_by_class.items()
    ]
    rows: list[list[object]] = [
        [name, value(figure, unit), rests_on(figure)] for name, figure, unit in shown
    ]
    return tag(
        "div",
        tag("h3", "Of a rater with themselves"),
        tag("p", f"{same.n_pairs:,} items answered twice, by {same.n_raters:,} raters.",
            class_="quiet small num"),
        table(["What", "Value", "Pairs"], rows),
        class_="vx",
    )  # fmt: skip
