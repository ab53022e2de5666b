"""The controls of the list of queries."""

from __future__ import annotations

from typing import Any

import streamlit as st

from vlmexplain.metrics.table import METRIC
from vlmexplain.ui.shared.explore_address import EXPLORE, FILTER_METRICS, ExploreAddress
from vlmexplain.ui.shared.query_list import SORT_NAMES
from vlmexplain.ui.shared.widgets import follow, leads
from vlmexplain.ui.shared.words import short_name

NOTHING: dict[str, Any] = {
    "search": "", "failures": True, "rank_from": 1, "rank_to": None, "has": "", "got": "",
    "metric": "", "low": None, "high": None, "undefined": "", "page": 0,
}  # fmt: skip


def draw_filters(address: ExploreAddress, concepts: tuple[str, ...]) -> None:
    """The controls: search, failures only, order, and the rest in a pop-over."""
    search, order, failures, more = st.columns([5, 3, 2, 2], vertical_alignment="bottom")
    follow("search", address.search)
    search.text_input(
        "Search in captions",
        key="search",
        type="search",
        placeholder="words that must all occur",
        live="300ms",
        max_chars=500,
        on_change=leads("search", lambda text: {"search": text or "", "page": 0}),
    )
    follow("sort", address.sort)
    order.selectbox(
        "Sort by",
        list(SORT_NAMES),
        format_func=SORT_NAMES.__getitem__,
        key="sort",
        filter_mode=None,
        on_change=leads("sort", lambda key: {"sort": key, "page": 0}),
    )
    follow("failures", address.failures)
    failures.toggle(
        "Failures only",
        key="failures",
        on_change=leads("failures", lambda on: {"failures": on, "page": 0}),
    )
    n_set = n_filters(address)
    label = f"Filters ({n_set})" if n_set else "Filters"
    with more.popover(label, icon=":material/filter_list:", width="stretch"):
        _more_filters(address, concepts)


def n_filters(address: ExploreAddress) -> int:
    """How many filters of the pop-over are set."""
    return sum(
        (
            address.rank_from > 1 or address.rank_to is not None,
            bool(address.has),
            bool(address.got),
            bool(address.metric),
            bool(address.undefined),
        )
    )


def _more_filters(address: ExploreAddress, concepts: tuple[str, ...]) -> None:
    one, two = st.columns(2)
    _number(one, "Rank from", "rank_from", address.rank_from, 1)
    _number(two, "Rank to", "rank_to", address.rank_to, None)
    _concept(one, "In the ground truth", "has", address.has, concepts)
    _concept(two, "In the retrieved image", "got", address.got, concepts)
    follow("metric", address.metric)
    one.selectbox(
        "Metric in a range",
        ["", *FILTER_METRICS],
        format_func=_metric_name,
        key="metric",
        filter_mode=None,
        on_change=leads("metric", lambda key: {"metric": key, "page": 0}),
    )
    follow("undefined", address.undefined)
    two.selectbox(
        "Undefined metric",
        ["", *FILTER_METRICS],
        format_func=_metric_name,
        key="undefined",
        filter_mode=None,
        on_change=leads("undefined", lambda key: {"undefined": key, "page": 0}),
    )
    if address.metric:
        percent = METRIC[address.metric].unit == "share"
        for spot, label, name in ((one, "From", "low"), (two, "To", "high")):
            _bound(spot, label, name, getattr(address, name), percent)
    st.button("Clear all filters", on_click=lambda: EXPLORE.go(**NOTHING), width="stretch")


def _number(spot: Any, label: str, name: str, value: int | None, empty: int | None) -> None:
    follow(name, value)
    spot.number_input(
        label,
        min_value=1,
        step=1,
        key=name,
        value=None,
        placeholder="any",
        on_change=leads(name, lambda n: {name: empty if n is None else int(n), "page": 0}),
    )


def _bound(spot: Any, label: str, name: str, value: float | None, percent: bool) -> None:
    factor = 100.0 if percent else 1.0
    follow(name, None if value is None else value * factor)
    spot.number_input(
        f"{label} (%)" if percent else label,
        key=name,
        value=None,
        step=5.0 if percent else 0.1,
        placeholder="any",
        on_change=leads(name, lambda n: {name: None if n is None else n / factor, "page": 0}),
    )


def _concept(spot: Any, label: str, name: str, value: str, concepts: tuple[str, ...]) -> None:
    follow(name, value)
    spot.selectbox(
        label,
        ["", *concepts] if value in ("", *concepts) else ["", value, *concepts],
        format_func=lambda synset: f"{short_name(synset)} ({synset})" if synset else "any concept",
        key=name,
        on_change=leads(name, lambda synset: {name: synset or "", "page": 0}),
    )


def _metric_name(key: str) -> str:
    return f"{METRIC[key].short}: {METRIC[key].title}" if key else "any"
