"""Ids as JSON files carry them: one text form, one order."""

from __future__ import annotations

import re
from typing import Any

LONGEST_ID = 100
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,100}")


def id_text(value: Any) -> str | None:
    """An id as text, the same for 139, 139.0 and "139"; None when it cannot be an id.

    >>> id_text(139), id_text("139"), id_text(True), id_text("")
    ('139', '139', None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = int(value) if value.is_integer() else None
    if isinstance(value, int):
        return str(value) if abs(value) < 10**LONGEST_ID else None
    if isinstance(value, str):
        text = value.strip()
        return text if 0 < len(text) <= LONGEST_ID and clean_text(text) == text else None
    return None


def id_order(text: str) -> tuple[int, int, str]:
    """Sort key: numbers by their value, then everything else by its letters.

    >>> sorted(["10", "9", "b", "a"], key=id_order)
    ['9', '10', 'a', 'b']
    """
    number = _WHOLE_NUMBER.fullmatch(text)
    return (0, int(text), text) if number else (1, 0, text)


def int64_or_none(value: Any) -> int | None:
    """A whole number that fits 64 bits, else None."""
    if type(value) is int:
        return value if -(2**63) < value < 2**63 else None
    text = id_text(value)
    if text is None or not _WHOLE_NUMBER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) < number < 2**63 else None


def clean_text(text: str) -> str:
    """The text with lone surrogates, which no encoding can carry, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
