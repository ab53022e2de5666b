"""What the program says to a person: notes, and errors that say what to do."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import streamlit as st

from vlmexplain.errors import VlmexplainError
from vlmexplain.ui.server.logs import log_error
from vlmexplain.ui.shared.html import Html, tag

P = ParamSpec("P")


def note(*children: object) -> None:
    """A box with something worth knowing."""
    st.html(tag("div", tag("div", *children, class_="box note", role="status"), class_="vx"))


def problem(error: VlmexplainError | str) -> None:
    """A box with what went wrong, where, and what to do; shown as text, whatever it holds.

    An error is logged, and the box names the id of its line in the log.
    """
    st.html(tag("div", tag("div", _parts(error), class_="box error", role="alert"), class_="vx"))


def unexpected(error: BaseException) -> None:
    """A box for what should not happen: the id says where in the log the rest is."""
    known = log_error(error)
    st.html(
        tag(
            "div",
            tag(
                "div",
                tag("p", tag("b", f"Something unexpected went wrong ({type(error).__name__}).")),
                tag("p", "Load the page anew; if it comes back, tell whoever runs this server."),
                _quote(known),
                class_="box error",
                role="alert",
            ),
            class_="vx",
        )
    )


@contextmanager
def told() -> Iterator[None]:
    """Show an error of ours as a box instead of letting it end the page."""
    try:
        yield
    except VlmexplainError as error:
        problem(error)


def tells(function: Callable[P, None]) -> Callable[P, None]:
    """As `told`, for a whole function."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        with told():
            function(*args, **kwargs)

    return wrapped


def _parts(error: VlmexplainError | str) -> list[Html]:
    if isinstance(error, str):
        return [tag("p", error)]
    message = error.message[:1].upper() + error.message[1:]
    return [
        tag("p", tag("b", message)),
        *([tag("p", error.remedy)] if error.remedy else []),
        *([tag("p", "Where: ", tag("code", error.where), class_="small")] if error.where else []),
        _quote(log_error(error, level=logging.WARNING)),
    ]


def _quote(known: str) -> Html:
    return tag("p", "Error ", tag("code", known), class_="small quiet")
