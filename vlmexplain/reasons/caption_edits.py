"""Edits of a caption for tests: words flipped to what is plainly different, or taken out."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.concepts.closed_class import CLOSED_CLASS
from vlmexplain.perturb.careful_number import NUMBERS
from vlmexplain.perturb.colours import COMMON, rgb_distance
from vlmexplain.perturb.english import article, plural, singular
from vlmexplain.perturb.perturbation import Edit, apply
from vlmexplain.perturb.size import LARGE, SMALL
from vlmexplain.perturb.words import Words, in_case_of, replace, with_articles, words_of
from vlmexplain.reasons.said import Said, Saying, Span

FAR_IN_RGB = 200.0
MOST_FLIPS = 6


def flips(said: Said, one: Saying, first: str | None = None) -> tuple[str, ...]:
    """The caption with one word flipped, each flip a text; empty where there is none to flip to.

    Args:
        said: the caption.
        one: a colour, a number or a size.
        first: what to flip to before all else, such as what the retrieved image shows.
    """
    if one.kind == "colour":
        return tuple(
            _recoloured(said.words, one, name) for name in _other_colours(said, one, first)
        )
    if one.kind == "count":
        value = int(one.value)
        near = sorted((n for n in range(1, 7) if n != value), key=lambda n: (abs(n - value), n))
        wanted = [int(first)] if first and first.isdigit() and 1 <= int(first) <= 10 else []
        numbers = [n for n in dict.fromkeys([*wanted, *near]) if n != value][:MOST_FLIPS]
        return tuple(_recounted(said.words, one, number) for number in numbers)
    if one.kind == "size":
        other = SMALL if one.value in LARGE else LARGE
        word = said.words.all[one.first]
        return tuple(_applied(said.words, [replace(word, new)]) for new in other)
    return ()


def without_negation(said: Said, one: Saying) -> str:
    """The caption with "no dog" as "a dog", "without" as "with"."""
    word = said.words.all[one.first]
    if one.value == "without":
        return _applied(said.words, [replace(word, "with")])
    assert one.noun is not None
    noun = said.text(one.noun)
    if singular(noun.lower) is not None:
        return without_span(said.words.caption, (word.start, word.end))
    following = said.words.all[one.first + 1].text if one.first + 1 < len(said.words.all) else noun
    return _applied(said.words, [replace(word, article(following))])


def without_span(caption: str, span: Span) -> str:
    """The caption without the words there; blanks and an article before are put right.

    >>> without_span("There is an orange cup.", (12, 18))
    'There is a cup.'
    """
    head, tail = caption[: span[0]].rstrip(), caption[span[1] :].lstrip()
    words = words_of(head)
    if words.all and words.all[-1].lower in ("a", "an") and words.all[-1].end == len(head):
        own = words.all[-1]
        following = words_of(tail).all[:1]
        if following and tail.startswith(following[0].text):
            new = article(following[0].lower)
            head = head[: own.start] + in_case_of(own.text, new)
        else:
            head = head[: own.start].rstrip()
    joint = "" if not head or not tail or tail[0] in ".,;:!?" else " "
    return head + joint + tail


def content_words(said: Said) -> tuple[tuple[str, Span], ...]:
    """Every content word with its kind: colour, count, size, noun or other."""
    of_word: dict[int, str] = {}
    for one in said.sayings:
        of_word |= dict.fromkeys(range(one.first, one.last + 1), one.kind)
    found: list[tuple[str, Span]] = []
    for n, word in enumerate(said.words.all):
        kind = of_word.get(n)
        inside = any(s[0] <= word.start and word.end <= s[1] for s, _ in said.nouns)
        if kind is None and (word.lower in CLOSED_CLASS or len(word.lower) < 3):
            continue
        found.append((kind or ("noun" if inside else "other"), (word.start, word.end)))
    return tuple(found)


def to_the_front(caption: str, start: int) -> str:
    """The caption with what stands from ``start`` on moved to its front."""
    tail = caption[start:].strip().rstrip(".")
    return f"{tail}, {caption[:start].strip()}" if tail else caption


def _other_colours(said: Said, one: Saying, first: str | None) -> Sequence[str]:
    taken = {other.value for other in said.of_kind("colour")}
    far = [
        name for name in COMMON if name not in taken and rgb_distance(one.value, name) >= FAR_IN_RGB
    ]
    wanted = [first] if first and first not in taken else []
    return list(dict.fromkeys([*wanted, *far]))[:MOST_FLIPS]


def _recoloured(words: Words, one: Saying, name: str) -> str:
    start, end = words.all[one.first].start, words.all[one.last].end
    before = words.caption[start:end]
    return _applied(words, [Edit(start, end, before, in_case_of(before, name))])


def _recounted(words: Words, one: Saying, number: int) -> str:
    word = words.all[one.first]
    new = str(number) if word.text.isdigit() else NUMBERS[number - 1]
    edits = [replace(word, new)]
    assert one.noun is not None
    if (int(one.value) == 1) != (number == 1):
        last = next(w for w in reversed(words.all) if w.end <= one.noun[1])
        other = plural(last.lower) if int(one.value) == 1 else singular(last.lower) or last.lower
        edits.append(replace(last, other))
    return _applied(words, edits)


def _applied(words: Words, edits: Sequence[Edit]) -> str:
    return apply(words.caption, with_articles(words, sorted(edits, key=lambda e: e.start)))
