"""The edits between two texts, word by word."""

from __future__ import annotations

import difflib
import re

from vlmexplain.perturb.perturbation import Edit

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits of ``before`` that give exactly ``after``, along words; none when they are equal.

    >>> edits_between("a red bus", "a big red car")
    (Edit(start=2, end=2, before='', after='big '), Edit(start=6, end=9, before='bus', after='car'))
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    assert "".join(old) == before and "".join(new) == after
    # What both begin and end with is no edit. Left to the matcher, a caption that repeats itself
    # is aligned with another of its repeats, and a long one takes it a second.
    first = _n_shared(old, new)
    last = _n_shared(old[first:][::-1], new[first:][::-1])
    places = [sum(map(len, old[:first]))]
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    for piece in old:
        places.append(places[-1] + len(piece))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(places[i], places[j], "".join(old[i:j]), "".join(new[k:m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    )


def _n_shared(one: list[str], other: list[str]) -> int:
    """How many pieces both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(one), len(other)))
