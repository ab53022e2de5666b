"""The addresses of pages: what each may say, how it is read, written and linked to.

A page declares the parts of its address once, as the fields of a frozen dataclass made with
`part`: name, default and parser. `Codec` does the rest. The address is the only place where a
page's state is kept: a control changes it, the page reads it, so a link reproduces the page and
the browser's Back and Forward work. Parts of other pages are carried along.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode, urlsplit

import streamlit as st

SHOWN_DIGITS = 12
"""How much of a content hash stands in an address."""
LONGEST = 200
_SENT = "address-sent"
_PARSE = "parse"

A = TypeVar("A", bound="PageAddress")
V = TypeVar("V")


def part(default: V, parse: Callable[[str], Any]) -> V:
    """A part of an address; the default is left out of it.

    Args:
        default: its value where the address says nothing, or nothing that makes sense.
        parse: from the address's text to a value; ValueError when the text makes no sense.
    """
    made: V = field(default=default, metadata={_PARSE: parse})
    return made


def text(longest: int = LONGEST) -> Callable[[str], str]:
    """A parser of any text up to a number of characters."""

    def parse(said: str) -> str:
        if len(said) > longest or "\x00" in said:
            raise ValueError(said)
        return said

    return parse


def whole(least: int = 0, most: int = 10**11) -> Callable[[str], int]:
    """A parser of whole numbers, both ends included."""

    def parse(said: str) -> int:
        number = int(said) if re.fullmatch("[0-9]{1,11}", said) else -1
        if not least <= number <= most:
            raise ValueError(said)
        return number

    return parse


def number(least: float, most: float) -> Callable[[str], float]:
    """A parser of finite numbers, both ends included."""

    def parse(said: str) -> float:
        found = float(said)
        if not math.isfinite(found) or not least <= found <= most:
            raise ValueError(said)
        return found

    return parse


def one_of(*allowed: str) -> Callable[[str], Any]:
    """A parser that takes some words and no other."""

    def parse(said: str) -> str:
        if said not in allowed:
            raise ValueError(said)
        return said

    return parse


def like(pattern: str) -> Callable[[str], str]:
    """A parser of texts that a regular expression fits from end to end."""

    def parse(said: str) -> str:
        if not re.fullmatch(pattern, said):
            raise ValueError(said)
        return said

    return parse


def flag(said: str) -> bool:
    """The parser of ``yes`` and ``no``."""
    if said not in ("yes", "no"):
        raise ValueError(said)
    return said == "yes"


@dataclass(frozen=True, slots=True)
class PageAddress:
    """What every page about a data set or a run has in its address.

    Attributes:
        gallery, run: beginning of the content hash, or "" for what was chosen last.
    """

    gallery: str = part("", text(80))
    run: str = part("", text(80))


@dataclass(frozen=True, slots=True)
class ListAddress(PageAddress):
    """The address of a page with a list.

    Attributes:
        at: which page of the list, 0-based.
    """

    at: int = part(0, whole())


class Codec(Generic[A]):
    """Reads, writes and links to one kind of address.

    Args:
        kind: the dataclass that declares the parts.
        page: the page's path in the app; "" for the first page.
    """

    def __init__(self, kind: type[A], page: str) -> None:
        self.kind, self.page = kind, page
        self._fields: dict[str, Field[Any]] = {each.name: each for each in fields(kind)}

    def read(self, parameters: Mapping[str, str]) -> tuple[A, tuple[str, ...]]:
        """The state that the parameters hold, and a sentence for each that makes no sense.

        >>> Codec(ListAddress, "audit").read({"at": "two"})[1]
        ("at='two' in the address is not understood; 0 is used.",)
        """
        found: dict[str, Any] = {}
        problems = []
        for name, said in parameters.items():
            declared = self._fields.get(name)
            if declared is None:
                continue
            try:
                found[name] = declared.metadata[_PARSE](said)
            except ValueError:
                used = "nothing" if declared.default in (None, "") else declared.default
                shown = said if len(said) <= 60 else said[:60] + "…"
                problems.append(
                    f"{name}={shown!r} in the address is not understood; {used} is used."
                )
        return self.kind(**found), tuple(problems)

    def write(self, address: A) -> dict[str, str]:
        """The parameters that `read` turns back into this state, defaults left out."""
        return self._written({name: getattr(address, name) for name in self._fields})

    def now(self) -> A:
        """The state of this session's address."""
        return self.read(st.query_params.to_dict())[0]

    def problems(self) -> tuple[str, ...]:
        """A sentence for each part of this session's address that makes no sense."""
        return self.read(st.query_params.to_dict())[1]

    def go(self, **changes: Any) -> None:
        """Change the address: one step in the browser's history, and none when nothing changed.

        None takes a part away, as its default does.
        """
        after = self._changed(changes)
        # Who presses two keys at once makes the browser ask again before it has the new address:
        # it is told once more when it asks with another than it was given last.
        known = st.session_state.get(_SENT, after)
        if after != st.query_params.to_dict() or known != after:
            send(after)

    def here(self, **changes: Any) -> str:
        """A link to this session's page with some parts changed."""
        return _link(self.page, self._changed(changes))

    def link(self, **state: Any) -> str:
        """A link to the page with a state, relative to any page of the app.

        >>> Codec(ListAddress, "audit").link(gallery="ab&c", at=2)
        './audit?gallery=ab%26c&at=2'
        """
        return _link(self.page, self._written(state))

    def _changed(self, changes: Mapping[str, Any]) -> dict[str, str]:
        before = st.query_params.to_dict()
        others = {name: said for name, said in before.items() if name not in self._fields}
        state = {name: getattr(self.now(), name) for name in self._fields}
        return others | self._written({**state, **changes})

    def _written(self, state: Mapping[str, Any]) -> dict[str, str]:
        written = {}
        for name, value in state.items():
            default = self._fields[name].default
            if value is not None and (default is None or _shown(value) != _shown(default)):
                written[name] = _shown(value)
        return written


def send(parameters: dict[str, str]) -> None:
    """Make these the whole address of this session."""
    st.query_params.from_dict(parameters)
    st.session_state[_SENT] = parameters


def short(key: str) -> str:
    """As much of a content hash as stands in an address."""
    return key[:SHOWN_DIGITS]


def app_root(url: str) -> str:
    """Where the app's pages lie, from the address of one of them; "" when that is not known.

    >>> app_root("https://host/tools/vlm/overview"), app_root("")
    ('https://host/tools/vlm/', '')
    """
    here = urlsplit(url)
    folder = here.path.rpartition("/")[0]
    return f"{here.scheme}://{here.netloc}{folder}/" if here.netloc else ""


def own_root() -> str:
    """Where the app's pages lie, as this browser reached them; "" when that is not known."""
    return app_root(st.context.url or "")


def _link(page: str, parameters: Mapping[str, str]) -> str:
    return f"./{page}?{urlencode(parameters)}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
