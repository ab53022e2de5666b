"""The parts of the address that the whole-model pages add, read and written one by one."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from vlmexplain.ui.shared.links import page_link

LONGEST = 200


def part(name: str, allowed: Iterable[str] | None = None, default: str = "") -> str:
    """A part of the address; the default where it is absent or not allowed."""
    value = str(st.query_params.get(name, default))[:LONGEST]
    return value if allowed is None or value in allowed else default


def number(name: str, default: int | None = None, least: int = 0) -> int | None:
    """A whole number of the address; the default where it is absent or none."""
    text = part(name)
    fits = text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least
    return int(text) if fits else default


def put(**changes: object) -> None:
    """Change parts of the address; None or "" takes a part away."""
    before = st.query_params.to_dict()
    after = with_parts(before, changes)
    if after != before:
        st.query_params.from_dict(after)


def same_page(page: str, **changes: object) -> str:
    """A link to this page with some parts changed."""
    return page_link(page, with_parts(st.query_params.to_dict(), changes))


def with_parts(before: dict[str, str], changes: dict[str, object]) -> dict[str, str]:
    """The parts with the changes made.

    >>> with_parts({"a": "1", "b": "2"}, {"a": None, "c": 3})
    {'b': '2', 'c': '3'}
    """
    merged = before | {name: "" if value is None else str(value) for name, value in changes.items()}
    return {name: value for name, value in merged.items() if value != ""}
