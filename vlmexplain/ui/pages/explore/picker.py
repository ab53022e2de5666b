"""Choosing a query: filters, one page of the list, and steps to the one before and after."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from vlmexplain.metrics.table import METRIC
from vlmexplain.scoring.queries import Neighbours, QueryFilter, QueryRow, QuerySort, QueryTable
from vlmexplain.ui.pages.explore.act import acting
from vlmexplain.ui.pages.explore.filters import draw_filters
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.explore_address import EXPLORE, FILTER_METRICS, ExploreAddress
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.query_list import SORT_NAMES, filter_of, sort_of
from vlmexplain.ui.shared.words import percent

ROWS = 6
NOT_A_FAILURE = "not computed: the first image is a ground truth"

_component = register("query_table")


def draw_picker(
    table: QueryTable, address: ExploreAddress, concepts: tuple[str, ...]
) -> int | None:
    """Draw the list and the steps; the query that is shown, or None when there is none."""
    chosen, sort = filter_of(address), sort_of(address)
    query = address.query
    if query is None:
        order = table.order(chosen, sort)
        query = int(order[0]) if len(order) else None
    with st.expander("Choose a query", expanded=True, icon=":material/list:"):
        draw_filters(address, concepts)
        page = _turned(table, chosen, sort, address)
        _component(
            key="queries",
            data=table_data(page.rows, page.total, replace(address, query=query)),
            on_act_change=acting("queries"),
        )
    if query is not None:
        _steps(table.neighbours(chosen, sort, query), address)
    return query


def table_data(rows: tuple[QueryRow, ...], total: int, address: ExploreAddress) -> dict[str, Any]:
    """What the table component draws."""
    prefix = "q_" if address.informed else ""
    columns = [("text", "Query", False), ("rank", "Rank", True)]
    columns += [(key, METRIC[key].short, True) for key in FILTER_METRICS]
    pages = -(-total // ROWS)
    page = min(address.page, max(0, pages - 1))
    first = page * ROWS
    noun = "failures" if address.failures else "queries"
    return {
        "columns": [
            {"key": key, "title": title, "numeric": numeric, "sortable": True}
            for key, title, numeric in columns
        ],
        "rows": [
            {"query": row.caption_index, "cells": [{"text": row.text}, _rank(row)]
             + [_value(row, key, prefix) for key in FILTER_METRICS]}
            for row in rows
        ],
        "sort": address.sort,
        "up": address.up,
        "chosen": address.query,
        "page": page,
        "pages": pages,
        "shown": f"{first + 1:,}–{min(first + ROWS, total):,} of {total:,} {noun}"
        if total
        else f"0 {noun}",
    }  # fmt: skip


def _turned(
    table: QueryTable, chosen: QueryFilter, sort: QuerySort, address: ExploreAddress
) -> Any:
    """The page of the list that the address names, or the last there is."""
    page = table.page(chosen, sort, address.page * ROWS, ROWS)
    if not page.rows and page.total:
        last = (page.total - 1) // ROWS
        page = table.page(chosen, sort, last * ROWS, ROWS)
    return page


def _rank(row: QueryRow) -> dict[str, Any]:
    if row.rank_1based is None:
        return {"text": "unranked", "undefined": True, "title": row.unranked_because}
    tie = " tie" if row.n_tied else ""
    return {"text": f"{row.rank_1based:,}{tie}"}


def _value(row: QueryRow, key: str, prefix: str) -> dict[str, Any]:
    value = row.metrics[prefix + key]
    if value is None:
        reason = row.undefined.get(prefix + key)
        if reason is None:
            return {"text": "–", "title": NOT_A_FAILURE}
        return {"text": "undefined", "undefined": True, "title": reason}
    if METRIC[key].unit == "share":
        return {"text": percent(value)}
    return {"text": METRIC[key].show(value)}


def _steps(beside: Neighbours, address: ExploreAddress) -> None:
    noun = "failures" if address.failures else "queries"
    if beside.position_1based is None:
        where = f"This query is not among the {beside.total:,} of the list"
    else:
        order = SORT_NAMES[address.sort]
        arrow = "ascending" if address.up else "descending"
        where = f"{beside.position_1based:,} of {beside.total:,} {noun} · {order}, {arrow}"
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        place = beside.position_1based
        _step("Previous", "K", beside.previous, "left", (place or 1) - 1)
        _step("Next", "J", beside.next, "right", (place or 0) + 1)
        st.html(tag("div", tag("p", where, class_="quiet num", style="margin:0"), class_="vx"))


def _step(label: str, key: str, query: int | None, side: str, place: int) -> None:
    """A button to the query at a place of the list; the list turns to its page."""
    page = max(0, place - 1) // ROWS
    st.button(
        label,
        icon=f":material/chevron_{side}:",
        icon_position="left" if side == "left" else "right",
        shortcut=key,
        key=f"step-{side}",
        disabled=query is None,
        on_click=lambda: EXPLORE.go(query=query, place=1, pair=0, page=page),
    )
