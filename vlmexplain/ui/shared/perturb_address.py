"""What the address says about the Perturb page, beside what it shares with the Explore page.

Data set, run, query and place are those of `vlmexplain.ui.shared.state`; its other parts are
carried along, so that the way back leads to the same list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

from vlmexplain.live.occlusion import MOST_CELLS
from vlmexplain.perturb.rules import MODES, Mode
from vlmexplain.ui.shared import state

MOST_CHARACTERS = 2000
SHARED = ("gallery", "run", "query", "place")


@dataclass(frozen=True, slots=True)
class PerturbAddress:
    """The state of the Perturb page; the defaults are left out of the address.

    Attributes:
        caption: the text that is tried; None for that of the query.
        image: the image a typed caption belongs to, where there is no query.
        other: the image it is compared with; None for the one that was retrieved.
        mode: which of the two sets of LGIP rules.
        seed: of the rules' draws.
        pick: which perturbation is looked at; "" for the caption itself.
        model: the model where the data set has no run; "" for the run's.
        second: the model beside it; "" for none.
        cells: parts of the shorter side in the image weights.
        offered: whether all that the rules offer is scored, and not only what was drawn.
    """

    caption: str | None = None
    image: int | None = None
    other: int | None = None
    mode: Mode = "careful"
    seed: int = 0
    pick: str = ""
    model: str = ""
    second: str = ""
    cells: int = 6
    offered: bool = False


def read(parameters: Mapping[str, str]) -> tuple[PerturbAddress, tuple[str, ...]]:
    """The address's state, and a sentence for each part of it that makes no sense.

    >>> read({"mode": "bold", "seed": "3"})
    (PerturbAddress(caption=None, image=None, other=None, mode='careful', seed=3, pick='', \
model='', second='', cells=6, offered=False), ("mode='bold' in the address is not understood.",))
    """
    found: dict[str, Any] = {}
    problems = []
    for name, value in parameters.items():
        if name not in _PARSERS:
            continue
        try:
            found[name] = _PARSERS[name](value)
        except ValueError:
            shown = value if len(value) <= 60 else value[:60] + "…"
            problems.append(f"{name}={shown!r} in the address is not understood.")
    return PerturbAddress(**found), tuple(problems)


def write(address: PerturbAddress) -> dict[str, str]:
    """The parameters that `read` turns back into this state, defaults left out.

    >>> write(PerturbAddress(caption="a dog", offered=True))
    {'caption': 'a dog', 'offered': 'yes'}
    """
    return {
        field.name: "yes" if value is True else str(value)
        for field in fields(PerturbAddress)
        if (value := getattr(address, field.name)) != field.default
    }


def current() -> PerturbAddress:
    """The state of this session's address."""
    return read(st.query_params.to_dict())[0]


def go(**changes: Any) -> None:
    """Change the address, its shared parts included; nothing when nothing changes."""
    before = st.query_params.to_dict()
    shared = {name: changes.pop(name) for name in SHARED if name in changes}
    after = {name: value for name, value in before.items() if name not in _PARSERS}
    for name, value in shared.items():
        after.pop(name, None)
        if value is not None:
            after[name] = str(value)
    after |= write(replace(current(), **changes))
    if after != before:
        st.query_params.from_dict(after)


def link_from_explore(address: state.Address) -> dict[str, str]:
    """The parameters that lead from a failure on the Explore page to this page."""
    return state.write(address)


def link_to_explore() -> dict[str, str]:
    """The parameters that lead back to the Explore page as it was."""
    return state.write(state.current())


def _number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1
        if not least <= number <= most:
            raise ValueError(text)
        return number

    return parse


def _text(longest: int) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if len(text) > longest or "\x00" in text:
            raise ValueError(text)
        return text

    return parse


def _mode(text: str) -> str:
    if text not in MODES:
        raise ValueError(text)
    return text


def _flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


def _key(text: str) -> str:
    if not re.fullmatch(r"[a-z-]{1,40}\.[0-9]{1,4}", text):
        raise ValueError(text)
    return text


_PARSERS: dict[str, Callable[[str], Any]] = {
    "caption": _text(MOST_CHARACTERS),
    "image": _number(0, 10**9),
    "other": _number(0, 10**9),
    "mode": _mode,
    "seed": _number(0, 10**6),
    "pick": _key,
    "model": _text(400),
    "second": _text(400),
    "cells": _number(1, MOST_CELLS),
    "offered": _flag,
}
assert set(_PARSERS) == {field.name for field in fields(PerturbAddress)}
assert not set(_PARSERS) & {field.name for field in fields(state.Address)}
