"""Which annotated concepts a caption mentions, and by which words."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.caption_nouns import Noun, NounFinder, Sense
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.records import Mention

MOST_STEPS = 2
"""A word mentions a concept at most this many hypernym steps above or below it."""

_Found = dict[int, tuple[int, Sense]]
"""Concept's place in the vocabulary -> signed steps to it and the sense it was found by."""

_finders: dict[int, tuple[WordNet, NounFinder]] = {}
_finders_lock = threading.Lock()


def mentions_in(caption: str, concepts: Iterable[str], wordnet: WordNet) -> tuple[Mention, ...]:
    """The concepts a caption mentions, one `Mention` for each word and concept, left to right.

    A noun or compound mentions a concept when one of its senses equals it, or is its hypernym
    or hyponym within two steps. Of several senses the one with the fewest steps is named, then
    the one WordNet lists first. What counts as a noun: `vlmexplain.concepts.caption_nouns`.

    Raises:
        UnknownSynset: a concept is not a synset.

    >>> from vlmexplain.concepts.wordnet import load_wordnet
    >>> found = mentions_in("A boy rides", ["person.n.01", "dog.n.01"], load_wordnet())
    >>> [(m.text, m.lemma, m.synset, m.concept, m.steps) for m in found]
    [('boy', 'boy', 'male_child.n.01', 'person.n.01', -2)]
    """
    vocabulary = sorted(set(concepts))
    matcher = _Matcher(vocabulary, wordnet)
    names = wordnet.names()
    return tuple(
        Mention(
            noun.start,
            noun.end,
            caption[noun.start : noun.end],
            lemma,
            names[row],
            vocabulary[concept],
            steps,
        )
        for noun in _finder(wordnet).nouns_in(caption)
        for concept, (steps, (lemma, row)) in sorted(matcher.match(noun).items())
    )


def nouns_in(caption: str, wordnet: WordNet) -> tuple[Noun, ...]:
    """The nouns and compounds of a caption, whatever they name; see `caption_nouns.NounFinder`."""
    return tuple(_finder(wordnet).nouns_in(caption))


def mentioned_concept_sets(
    captions: Iterable[str], concepts: Sequence[str], wordnet: WordNet
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """For many captions: which concepts of a vocabulary each mentions, as `mentions_in` has it.

    Args:
        concepts: synsets, each once; the result counts by their places.

    Returns:
        offsets int64 [n + 1] and places int32, ascending in each row: caption i mentions
        ``concepts[places[offsets[i]:offsets[i + 1]]]``.

    Raises:
        UnknownSynset: a concept is not a synset.
    """
    matcher = _Matcher(concepts, wordnet)
    nouns_in = _finder(wordnet).nouns_in
    by_senses: dict[tuple[Sense, ...], tuple[int, ...]] = {}
    offsets, places = [0], []
    for caption in captions:
        mentioned: set[int] = set()
        for noun in nouns_in(caption):
            known = by_senses.get(noun.senses)
            if known is None:
                known = by_senses[noun.senses] = tuple(matcher.match(noun))
            mentioned.update(known)
        places += sorted(mentioned)
        offsets.append(len(places))
    return np.array(offsets, np.int64), np.array(places, np.int32)


class _Matcher:
    """Compares the senses of nouns with a vocabulary of concepts."""

    def __init__(self, vocabulary: Sequence[str], wordnet: WordNet):
        self._wordnet = wordnet
        rows = [wordnet.row(name) for name in vocabulary]
        self._place = {row: place for place, row in enumerate(rows)}
        # ancestor -> the concepts below it and how far they are
        self._below: dict[int, list[tuple[int, int]]] = {}
        for place, row in enumerate(rows):
            for ancestor, steps in self._near_ancestors(row):
                self._below.setdefault(ancestor, []).append((place, steps))

    def match(self, noun: Noun) -> _Found:
        """The concepts a noun mentions, each by its best sense."""
        found: _Found = {}
        for sense in noun.senses:
            for place, steps in self._around(sense[1]):
                if place not in found or abs(steps) < abs(found[place][0]):
                    found[place] = steps, sense
        return found

    def _around(self, row: int) -> list[tuple[int, int]]:
        below = self._below.get(row, [])
        above = [
            (self._place[ancestor], -steps)
            for ancestor, steps in self._near_ancestors(row)
            if steps and ancestor in self._place
        ]
        return below + above

    def _near_ancestors(self, row: int) -> list[tuple[int, int]]:
        ids, distances = self._wordnet.ancestor_rows(row)
        # Nearest first: the end of the near ones is the end of the search.
        n = int(np.searchsorted(distances, MOST_STEPS, side="right"))
        return list(zip(ids[:n].tolist(), distances[:n].tolist(), strict=True))


def _finder(wordnet: WordNet) -> NounFinder:
    """The finder of this WordNet; it is kept, for it remembers words."""
    known = _finders.get(id(wordnet))
    if known is None:
        with _finders_lock:
            known = _finders.setdefault(id(wordnet), (wordnet, NounFinder(wordnet)))
    return known[1]
