"""Addresses of other pages: every number leads to the failures behind it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from vlmexplain.ui.shared.choice import SHOWN_DIGITS


def explore_link(gallery_id: str, run_key: str, state: Mapping[str, object]) -> str:
    """The Explore page with a filter, relative to any page of the app.

    >>> explore_link("abcdef", "123456", {"query": 7})
    './?gallery=abcdef&run=123456&query=7'
    """
    return run_link("", gallery_id, run_key, state)


def run_link(page: str, gallery_id: str, run_key: str, state: Mapping[str, object]) -> str:
    """A page about a run.

    >>> run_link("present", "abcdef", "123456", {"list": "7,12"})
    './present?gallery=abcdef&run=123456&list=7%2C12'
    """
    both = {"gallery": gallery_id[:SHOWN_DIGITS], "run": run_key[:SHOWN_DIGITS]}
    return page_link(page, {**both, **state})


def page_link(page: str, parameters: Mapping[str, object]) -> str:
    """A page of the app by its path, relative to any other.

    >>> page_link("compare", {"a": "x&y"})
    './compare?a=x%26y'
    """
    return f"./{page}?{urlencode({key: str(value) for key, value in parameters.items()})}"
