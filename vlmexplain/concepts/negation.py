"""Where a caption says that a thing is not there: *no cars*, *without a tie*, *empty of people*."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’ʼ＇-][^\W_]+)*")
_BREAK = re.compile(r"[,.;:!?()\"]")
_NEGATION = re.compile(
    r"\b(no|without|lack|sans|empty|free|devoid|void|bare|missing|not)|n['’]t", re.I
)
_ABSENT = frozenset(["without", "lacking", "lacks", "sans"])
_EMPTY = frozenset(["empty", "free", "devoid", "void", "bare"])
_FIXED = frozenset(["longer", "matter", "doubt", "less", "more"])
_AFTER_NOT = frozenset(
    ["a", "an", "any", "the", "have", "has", "having", "wearing", "holding", "containing", "many"]
)
_DETERMINERS = frozenset(["a", "an", "the", "its", "his", "her", "their", "any"])
_PREPOSITIONS = """in on at of with to from by near next under over behind beside between for as
except besides"""
_OTHERS = "and but while that which who whose is are was were be being has have can"
_STOPS = frozenset(f"{_PREPOSITIONS} {_OTHERS}".split())
_LONGEST = 7
"""Words; what follows farther off is not negated."""


def negated_spans(caption: str) -> tuple[tuple[int, int], ...]:
    """The stretches of a caption whose nouns are mentioned as absent, (start, end) each.

    A negation (*no*, *not a*, *without*, *empty of*, *missing a* ...) reaches to the end of its
    phrase: to a preposition, conjunction, verb or punctuation; *or* and *nor* carry it on. A sign
    that forbids (*no parking sign*, *no entry sign*) is there.

    >>> [("A street with no cars or people, and a dog")[a:b] for a, b in negated_spans(
    ...     "A street with no cars or people, and a dog")]
    ['cars or people']
    """
    if not _NEGATION.search(caption):
        return ()
    words = [(m.start(), m.end(), m.group().lower()) for m in _WORD.finditer(caption)]
    spans = []
    for i in range(len(words)):
        first = _after_negation(words, i)
        if first is not None:
            end = _end_of_phrase(caption, words, first)
            if end > first and words[end - 1][2] not in ("sign", "signs"):
                spans.append((words[first][0], words[end - 1][1]))
    return tuple(spans)


def _after_negation(words: list[tuple[int, int, str]], i: int) -> int | None:
    """The place of the first word that a negation at ``i`` reaches; None where there is none."""
    word = words[i][2]
    following = words[i + 1][2] if i + 1 < len(words) else ""
    if word == "no" and following not in _FIXED:
        return i + 1
    if word in _ABSENT:
        return i + 1
    if word in _EMPTY and following == "of":
        return i + 2
    if word == "missing" and following in _DETERMINERS:
        return i + 1
    negates = word == "not" or word.endswith(("n't", "n’t"))
    return i + 1 if negates and following in _AFTER_NOT else None


def _end_of_phrase(caption: str, words: list[tuple[int, int, str]], first: int) -> int:
    """The place after the last word that the negation reaches."""
    j = first
    while j < min(len(words), first + _LONGEST):
        word = words[j][2]
        if j > first and _BREAK.search(caption[words[j - 1][1] : words[j][0]]):
            break
        if word in _STOPS and word not in _AFTER_NOT:
            break
        if word.endswith("ing") and len(word) > 4 and word not in _AFTER_NOT:
            break
        j += 1
    return j
