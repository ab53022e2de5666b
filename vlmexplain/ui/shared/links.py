"""Addresses of other pages: every number leads to the failures behind it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

import streamlit as st

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
