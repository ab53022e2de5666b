"""What all raters said, for a rater: after the organiser revealed it, without names or models."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.analysis.text import figure_text, interval_text
from vlmexplain.ratings.rater.results import results_for_rater
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.rating_store import rating_store

_FRESH_S = 30


def draw_results(ticket: str) -> None:
    """The session's figures, each with how many cases it rests on."""
    found = _results(rating_store(), ticket)
    st.html(
        tag(
            "div",
            tag("h2", "What all raters said"),
            tag("p", f"{found.n_answers:,} answers of {found.n_raters:,} raters on "
                f"{found.n_items_rated:,} of {found.n_items:,} items.", class_="quiet"),
            tag("dl", [(tag("dt", name), tag("dd", value)) for name, value in _figures(found)],
                class_="facts"),
            _classes(found),
            class_="vx stack",
        )
    )  # fmt: skip


@st.cache_data(ttl=_FRESH_S, max_entries=32, show_spinner=False)
def _results(_store: RatingStore, ticket: str) -> Analysis:
    return results_for_rater(_store, ticket)


def _figures(found: Analysis) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    if found.ratings is not None:
        rows += [
            ("Mean rating", figure_text(found.ratings.mean)),
            ("Median rating", figure_text(found.ratings.median)),
        ]
    if found.preference is not None:
        given = found.preference
        rows.append(
            (
                "Chosen",
                f"first model {given.n_retrieved:,}, second model {given.n_other:,}, "
                f"both equally {given.n_equal:,}",
            )
        )
    agreement = found.agreement.rating or found.agreement.preference
    if agreement is not None:
        rows.append(("Agreement (Krippendorff's alpha)", interval_text(agreement)))
    return rows


def _classes(found: Analysis) -> Html | str:
    if not found.class_frequencies:
        return ""
    rows = [
        tag(
            "tr",
            tag("td", tag("bdi", found.class_labels[one.key])),
            tag("td", figure_text(one.share_of_answers, "share"), class_="r"),
        )
        for one in found.class_frequencies
    ]
    head = tag("tr", tag("th", "Failure class"), tag("th", "Share of answers", class_="r"))
    return tag("table", tag("thead", head), tag("tbody", rows))
