"""The one door through which text reaches a page; see `vlmexplain.wording.markup`."""

from __future__ import annotations

from vlmexplain.wording.markup import VOID_TAGS, Html, join, safe_link, tag, text

__all__ = ["VOID_TAGS", "Html", "join", "safe_link", "tag", "text"]
