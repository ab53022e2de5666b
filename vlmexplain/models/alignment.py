"""Where in a text the pieces of its cleaned form came from."""

from __future__ import annotations

import difflib
import string
from collections.abc import Sequence

_SKIPPED = set(string.punctuation)


def align(original: str, cleaned: str) -> list[int | None]:
    """For each character of ``cleaned`` its place in ``original``; None where it has none.

    ``cleaned`` is what a tokenizer made of ``original``: lower case, blanks collapsed,
    punctuation dropped, entities and broken encodings mended.

    >>> align("  A  Dog", "a dog")
    [2, None, 5, 6, 7]
    """
    places: list[int | None] = []
    at = 0
    for letter in cleaned:
        if letter == " ":
            places.append(None)
            continue
        while at < len(original) and not _same(original[at], letter):
            if not (original[at].isspace() or original[at] in _SKIPPED):
                return _align_loosely(original, cleaned)
            at += 1
        if at == len(original):
            return _align_loosely(original, cleaned)
        places.append(at)
        at += 1
    return places


def span_of(places: Sequence[int | None], start: int, end: int) -> tuple[int | None, int | None]:
    """The span in the original of ``cleaned[start:end]``; (None, None) where it has none.

    >>> span_of([2, None, 5, 6, 7], 2, 5)
    (5, 8)
    """
    found = [place for place in places[start:end] if place is not None]
    return (min(found), max(found) + 1) if found else (None, None)


def _same(left: str, right: str) -> bool:
    return left == right or left.lower() == right.lower()


def _align_loosely(original: str, cleaned: str) -> list[int | None]:
    # Letter by letter, because lower() may lengthen a text.
    matcher = difflib.SequenceMatcher(
        None, [c.lower() for c in original], [c.lower() for c in cleaned], autojunk=False
    )
    places: list[int | None] = [None] * len(cleaned)
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            places[block.b + step] = block.a + step
    return places
