"""The one door through which text reaches a page; see `vlmexplain.wording.markup`."""

from __future__ import annotations

from vlmexplain.wording.markup import VOID_TAGS, Html, join, safe_link, tag, text

__all__ = ["VOID_TAGS", "Html", "join", "safe_link", "tag", "text", "wide"]


def wide(label: str, *content: object, also: str = "") -> Html:
    """A frame for what may be wider than the screen: it scrolls sideways, also by keyboard.

    Args:
        label: what a screen reader calls it.
        also: further classes.

    >>> wide("Sizes", "...", also="rows")
    '<div class="wide rows" tabindex="0" role="region" aria-label="Sizes">...</div>'
    """
    classes = f"wide {also}".strip()
    return tag("div", *content, class_=classes, tabindex=0, role="region", aria_label=label)
