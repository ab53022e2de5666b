"""What the address says: the whole state of the Explore page as one value.

The address is the only place this state is kept. A control changes it, the page reads it, so a
link reproduces the page and the browser's Back and Forward work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

import streamlit as st

from vlmexplain.records import RelativeTo

MOST_THRESHOLD = 1e9
_SENT = "address-sent"
SORT_KEYS = ("query", "text", "rank", "margin", "score", "ca", "ncs", "ce", "sd", "sd_raw")
FILTER_METRICS = ("ca", "ncs", "ce", "sd")


@dataclass(frozen=True, slots=True)
class Address:
    """The state of the Explore page; the defaults are left out of the address.

    Attributes:
        gallery, run: beginning of the content hash, or "" for the first there is.
        query: place of the caption in the gallery, or None for the first of the list.
        place: which image of the ranking stands on the right, 1-based.
        threshold: T_D.
        relative_to: what area differences are relative to.
        informed: whether the metrics look only at what the query mentions.
        concept: the concept kept lit.
        pair: which matched pair's WordNet path is shown, 0-based.
        search, failures, rank_from, rank_to, has, got, metric, low, high, undefined: the filter.
        sort, up: the order of the list.
        page: which page of the list, 0-based.
    """

    gallery: str = ""
    run: str = ""
    query: int | None = None
    place: int = 1
    threshold: float = 1.0
    relative_to: RelativeTo = "smaller"
    informed: bool = False
    concept: str = ""
    pair: int = 0
    search: str = ""
    failures: bool = True
    rank_from: int = 1
    rank_to: int | None = None
    has: str = ""
    got: str = ""
    metric: str = ""
    low: float | None = None
    high: float | None = None
    undefined: str = ""
    sort: str = "rank"
    up: bool = False
    page: int = 0


def read(parameters: Mapping[str, str]) -> tuple[Address, tuple[str, ...]]:
    """The address's state, and a sentence for each part of it that makes no sense.

    A part that makes no sense is left at its default; parts of other pages are passed over.

    >>> read({"place": "3", "threshold": "much"})[1]
    ("threshold='much' in the address is not understood; 1.0 is used.",)
    """
    found: dict[str, Any] = {}
    problems = []
    for name, value in parameters.items():
        if name not in _PARSERS:
            continue
        try:
            found[name] = _PARSERS[name](value)
        except ValueError:
            default = _DEFAULTS[name]
            used = "nothing" if default in (None, "") else default
            shown = value if len(value) <= 60 else value[:60] + "…"
            problems.append(f"{name}={shown!r} in the address is not understood; {used} is used.")
    return Address(**found), tuple(problems)


def write(address: Address) -> dict[str, str]:
    """The parameters that `read` turns back into this state, defaults left out.

    >>> write(Address(query=7, informed=True))
    {'query': '7', 'informed': 'yes'}
    """
    return {
        field.name: _shown(getattr(address, field.name))
        for field in fields(Address)
        if getattr(address, field.name) != _DEFAULTS[field.name]
    }


def current() -> Address:
    """The state of this session's address."""
    return read(st.query_params.to_dict())[0]


def go(**changes: Any) -> None:
    """Change the address: one step in the browser's history, and none when nothing changed."""
    before = st.query_params.to_dict()
    # what the address says of other pages is carried along
    after = {name: value for name, value in before.items() if name not in _PARSERS}
    after |= write(replace(current(), **changes))
    # Who presses two keys at once makes the browser ask again before it has the new address: it
    # is told once more when it asks with another than it was given last.
    if after != before or st.session_state.get(_SENT, after) != after:
        _send(after)


def start_over(gallery: str) -> None:
    """Go to another data set: only the options of the metrics are kept."""
    before = current()
    after = Address(
        gallery=gallery,
        threshold=before.threshold,
        relative_to=before.relative_to,
        informed=before.informed,
    )
    _send(write(after))


def _send(parameters: dict[str, str]) -> None:
    st.query_params.from_dict(parameters)
    st.session_state[_SENT] = parameters


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


def _whole(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else -1
        if number < least:
            raise ValueError(text)
        return number

    return parse


def _number(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        number = float(text)
        if not math.isfinite(number) or not least <= number <= most:
            raise ValueError(text)
        return number

    return parse


def _one_of(*allowed: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return parse


def _text(longest: int) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if len(text) > longest or "\x00" in text:
            raise ValueError(text)
        return text

    return parse


_PARSERS: dict[str, Callable[[str], Any]] = {
    "gallery": _text(80),
    "run": _text(80),
    "query": _whole(0),
    "place": _whole(1),
    "threshold": _number(0, MOST_THRESHOLD),
    "relative_to": _one_of(*get_args(RelativeTo)),
    "informed": _flag,
    "concept": _text(200),
    "pair": _whole(0),
    "search": _text(500),
    "failures": _flag,
    "rank_from": _whole(1),
    "rank_to": _whole(1),
    "has": _text(200),
    "got": _text(200),
    "metric": _one_of("", *FILTER_METRICS),
    "low": _number(-MOST_THRESHOLD, MOST_THRESHOLD),
    "high": _number(-MOST_THRESHOLD, MOST_THRESHOLD),
    "undefined": _one_of("", *FILTER_METRICS),
    "sort": _one_of(*SORT_KEYS),
    "up": _flag,
    "page": _whole(0),
}
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Address)}
assert set(_PARSERS) == set(_DEFAULTS)
