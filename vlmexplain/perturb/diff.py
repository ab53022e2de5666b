"""The edits between two texts, word by word."""

from __future__ import annotations

import difflib
import re

from vlmexplain.perturb.perturbation import Edit

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits of ``before`` that give exactly ``after``, along words; none when they are equal.

    >>> edits_between("a red bus", "a big red car")
    (Edit(start=1, end=1, before='', after=' big'), Edit(start=6, end=9, before='bus', after='car'))
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    assert "".join(old) == before and "".join(new) == after
    places = [0]
    for piece in old:
        places.append(places[-1] + len(piece))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(places[i], places[j], "".join(old[i:j]), "".join(new[k:m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    )
