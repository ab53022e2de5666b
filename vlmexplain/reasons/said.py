"""What a caption says of things: colours, numbers, sizes, negations, and words nobody annotated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vlmexplain.concepts.mentions import nouns_in
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.perturb.careful_number import VALUES
from vlmexplain.perturb.colours import colour_uses, coloured_word
from vlmexplain.perturb.size import LARGE, SMALL
from vlmexplain.perturb.words import Words, words_of
from vlmexplain.records import Mention

Span = tuple[int, int]
_NOT = frozenset(["no", "without"])
_WORDS_BETWEEN = 3


@dataclass(frozen=True, slots=True)
class Saying:
    """A word that says something of a thing.

    Attributes:
        kind: ``colour``, ``count``, ``size`` or ``negated``.
        first, last: which words of the caption.
        value: the colour's name, the number, the size word or the negation.
        noun: the span of the thing's word; None when no annotated thing was found.
        concepts: annotated concepts that the noun mentions; empty when it names none.
    """

    kind: str
    first: int
    last: int
    value: str
    noun: Span | None
    concepts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Said:
    """A caption taken apart.

    Attributes:
        words: its words.
        sayings: colours, numbers, sizes and negations, in order.
        nouns: spans of its nouns, each with the annotated concepts that it mentions.
    """

    words: Words
    sayings: tuple[Saying, ...]
    nouns: tuple[tuple[Span, frozenset[str]], ...]

    def of_kind(self, kind: str) -> tuple[Saying, ...]:
        """The sayings of one kind."""
        return tuple(one for one in self.sayings if one.kind == kind)

    def text(self, span: Span) -> str:
        """What stands there."""
        return self.words.caption[span[0] : span[1]]

    def phrase(self, one: Saying) -> str:
        """The words of a saying with its noun: "purple suitcase"."""
        own = self.words.all[one.first].start, self.words.all[one.last].end
        if one.noun is None:
            return self.text(own)
        if one.noun[0] >= own[1]:
            return f"{self.text(own)} {self.text(one.noun)}"
        return f"{self.text(one.noun)} ({self.text(own)})"


def what_is_said(caption: str, mentions: Iterable[Mention]) -> Said:
    """Take a caption apart.

    Args:
        caption: the query.
        mentions: words that name annotated concepts of either image.

    >>> said = what_is_said("Two red dogs without a ball", [])
    >>> [(one.kind, one.value) for one in said.sayings]
    [('count', '2'), ('colour', 'red'), ('negated', 'without')]
    """
    words = words_of(caption)
    lexicon = load_wordnet()
    concepts: dict[Span, set[str]] = {}
    for mention in mentions:
        concepts.setdefault((mention.start, mention.end), set()).add(mention.concept)
    for noun in nouns_in(caption, lexicon):
        concepts.setdefault((noun.start, noun.end), set())
    nouns = tuple((span, frozenset(found)) for span, found in sorted(concepts.items()))
    found = [_coloured(words, use.first, use.last, use.name, nouns)
             for use in colour_uses(words, lexicon)]  # fmt: skip
    for i, word in enumerate(words.all):
        if word.lower in VALUES:
            found.append(_ahead("count", words, i, str(VALUES[word.lower]), nouns))
        elif word.lower in LARGE or word.lower in SMALL:
            found.append(_ahead("size", words, i, word.lower, nouns))
        elif word.lower in _NOT:
            found.append(_ahead("negated", words, i, word.lower, nouns))
    found = [one for one in found if one.kind == "colour" or one.noun is not None]
    return Said(words, tuple(sorted(found, key=lambda one: one.first)), nouns)


Nouns = tuple[tuple[Span, frozenset[str]], ...]


def _coloured(words: Words, first: int, last: int, name: str, nouns: Nouns) -> Saying:
    head = coloured_word(words, last)
    if head is None:  # "an apple that is green": the noun before
        before = [(s, c) for s, c in nouns if s[1] <= words.all[first].start]
        noun, concepts = before[-1] if before else (None, frozenset())
        return Saying("colour", first, last, name, noun, concepts)
    one = _ahead("colour", words, last, name, nouns)
    return Saying("colour", first, last, name, one.noun, one.concepts)


def _ahead(kind: str, words: Words, at: int, value: str, nouns: Nouns) -> Saying:
    """The noun right behind a word, with few words and no mark between; annotated ones first."""
    reach = [words.all[at]]
    for j in range(at + 1, min(at + 2 + _WORDS_BETWEEN, len(words.all))):
        if not words.joined(j - 1):
            break
        reach.append(words.all[j])
    near = [(s, c) for s, c in nouns if reach[0].end <= s[0] and s[1] <= reach[-1].end]
    annotated = [one for one in near if one[1]]
    if not near:
        return Saying(kind, at, at, value, None, frozenset())
    noun, concepts = (annotated or near)[0]
    return Saying(kind, at, at, value, noun, concepts)
