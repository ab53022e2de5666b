"""Near matches of a word among very many."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 60


def near_lemmas(word: str, lemmas: Iterable[str], n: int = 3) -> list[str]:
    """At most ``n`` lemmas spelled like ``word``, the nearest first.

    Only lemmas of about the same length that share a beginning or an end are compared: one
    slip of the pen changes no more, and comparing all would take seconds.

    >>> near_lemmas("zebar", ["zebra", "zero", "giraffe"])
    ['zebra']
    """
    if not 1 < len(word) <= _LONGEST:
        return []
    start, end = word[:2], word[-2:]
    shortest, longest = len(word) - 2, len(word) + 2
    near = [
        lemma
        for lemma in lemmas
        if shortest <= len(lemma) <= longest and (lemma.startswith(start) or lemma.endswith(end))
    ]
    return difflib.get_close_matches(word, near, n=n, cutoff=0.7)
