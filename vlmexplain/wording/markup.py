"""HTML in which text can only be text: every string is escaped unless it is already `Html`.

This is the one door through which captions, names and file names reach a page. Nothing here
passes through Markdown, so ``$5``, ``:balloon:`` and ``<b>`` are shown as they were written.
"""

from __future__ import annotations

import html as _html
from collections.abc import Iterable
from urllib.parse import urlsplit

VOID_TAGS = frozenset({"br", "hr", "img", "input"})


class Html(str):
    """Markup made by this module; anything else is text."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Html:
    """One element; strings among the children and all attribute values are escaped.

    Attribute names: a trailing ``_`` is dropped and ``_`` becomes ``-`` (``class_``,
    ``data_concept``). None and False leave an attribute out, True writes it bare.

    >>> tag("b", "1 < 2", class_="x")
    '<b class="x">1 &lt; 2</b>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID_TAGS:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: object) -> Html:
    """The children one after another; None is nothing, lists are flattened."""
    return Html("".join(_markup(child) for child in children))


def text(value: object) -> Html:
    """Any value as text.

    >>> text("<b>:balloon: $5$")
    '&lt;b&gt;:balloon: $5$'
    """
    return Html(_html.escape(str(value)))


def safe_link(url: str | None) -> str | None:
    """The address if it is a plain http(s) one, else None.

    >>> safe_link("javascript:alert(1)") is None
    True
    """
    if not url:
        return None
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else None


def _markup(child: object) -> str:
    if child is None or child is False:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int | float):
        return _html.escape(str(child))
    assert isinstance(child, Iterable), type(child)
    return "".join(_markup(each) for each in child)


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_html.escape(str(value))}"'
