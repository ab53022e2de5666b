"""What a person did in a component, taken into the address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from vlmexplain.ui.shared.explore_address import EXPLORE, SORT_KEYS


def acting(key: str) -> Callable[[], None]:
    """The callback for the component with this key."""

    def take() -> None:
        act = getattr(st.session_state.get(key), "act", None)
        if isinstance(act, dict):
            changes = changes_of(act.get("kind"), act.get("value"))
            if changes:
                EXPLORE.go(**changes)

    return take


def changes_of(kind: object, value: object) -> dict[str, Any]:
    """The changes of the address for one act; nothing for what is not understood.

    >>> changes_of("concept", "zebra.n.01"), changes_of("query", 4), changes_of("query", "4")
    ({'concept': 'zebra.n.01'}, {'query': 4, 'place': 1, 'pair': 0}, {})
    """
    if kind == "concept":
        return {"concept": value if isinstance(value, str) and len(value) <= 200 else ""}
    if kind == "sort" and isinstance(value, str) and value in SORT_KEYS:
        before = EXPLORE.now()
        up = not before.up if before.sort == value else False
        return {"sort": value, "up": up, "page": 0}
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return {}
    if kind == "query":
        return {"query": value, "place": 1, "pair": 0}
    if kind == "place" and value >= 1:
        return {"place": value, "pair": 0}
    if kind in ("pair", "page"):
        return {str(kind): value}
    return {}
