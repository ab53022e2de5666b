"""Which annotated concepts a caption mentions, as there or as absent, and by which words."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.caption_nouns import Noun, NounFinder, Sense
from vlmexplain.concepts.naming import leading_row
from vlmexplain.concepts.negation import negated_spans
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.records import Mention

RULE = 2
"""Changes whenever the same caption may mention other concepts: what was found is found anew."""

NEAR_STEPS = 2
"""So near above or below, any sense of a word counts; a person only by its leading sense."""

_ANY_DEPTH = 255
PERSON = "person.n.01"
TOPS = (
    *("person.n.01", "animal.n.01", "plant.n.02", "food.n.01", "food.n.02", "fruit.n.01"),
    *("conveyance.n.03", "furniture.n.01", "appliance.n.02", "vessel.n.03", "bag.n.01"),
    *("tableware.n.01", "utensil.n.01", "clothing.n.01", "footwear.n.02", "baggage.n.01"),
    *("plaything.n.01", "sports_equipment.n.01", "game_equipment.n.01", "musical_instrument.n.01"),
    *("electronic_equipment.n.01", "computer.n.01", "tool.n.01", "weapon.n.01", "timepiece.n.01"),
    *("plumbing_fixture.n.01", "publication.n.01", "sign.n.02", "building.n.01", "body_part.n.01"),
    *("geological_formation.n.01", "body_of_water.n.01"),
)
"""Below these a word's leading sense mentions what is above or below it at any depth; see
docs/decisions/0008-mentions.md."""

_Found = dict[int, tuple[int, Sense]]
"""Concept's place in the vocabulary -> signed steps to it and the sense it was found by."""

_finders: dict[int, tuple[WordNet, NounFinder]] = {}
_finders_lock = threading.Lock()


class MentionedSets(NamedTuple):
    """Caption i mentions ``places[offsets[i]:offsets[i + 1]]``, ascending, each once.

    Attributes:
        offsets: int64 [n + 1]; places: int32, in the vocabulary.
        negated_offsets, negated_places: the same for what it mentions as absent.
    """

    offsets: NDArray[np.int64]
    places: NDArray[np.int32]
    negated_offsets: NDArray[np.int64]
    negated_places: NDArray[np.int32]


def mentions_in(caption: str, concepts: Iterable[str], wordnet: WordNet) -> tuple[Mention, ...]:
    """The concepts a caption mentions, one `Mention` for each word and concept, left to right.

    A noun or compound mentions a concept when one of its senses equals it; when its leading
    sense (as `naming` has it) is above or below it at any depth, below one of `TOPS`; or, for a
    word that names no concept of the vocabulary itself, when another of its senses is above or
    below it within two steps, a person excepted. Of several senses
    the one with the fewest steps is named, then the one WordNet lists first. What counts as a
    noun: `vlmexplain.concepts.caption_nouns`; what is negated: `vlmexplain.concepts.negation`.

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
    spans = negated_spans(caption)
    return tuple(
        Mention(
            noun.start,
            noun.end,
            caption[noun.start : noun.end],
            lemma,
            names[row],
            vocabulary[concept],
            steps,
            _within(noun, spans),
        )
        for noun in finder(wordnet).nouns_in(caption)
        for concept, (steps, (lemma, row)) in sorted(matcher.match(noun).items())
    )


def denied_concepts(mentions: Iterable[Mention]) -> frozenset[str]:
    """The concepts that count as mentioned as absent.

    Those of a negated word that is the concept or a kind of it, unless another word mentions
    the concept as there. A more general word (*no animals*) denies too many to be counted.
    """
    found = tuple(mentions)
    there = {m.concept for m in found if not m.negated}
    return frozenset(m.concept for m in found if m.negated and m.steps <= 0) - there


def nouns_in(caption: str, wordnet: WordNet) -> tuple[Noun, ...]:
    """The nouns and compounds of a caption, whatever they name; see `caption_nouns.NounFinder`."""
    return tuple(finder(wordnet).nouns_in(caption))


def mentioned_concept_sets(
    captions: Iterable[str], concepts: Sequence[str], wordnet: WordNet
) -> MentionedSets:
    """For many captions: what `mentions_in` and `denied_concepts` have, by places.

    Args:
        concepts: synsets, each once; the result counts by their places.

    Raises:
        UnknownSynset: a concept is not a synset.
    """
    matcher = _Matcher(concepts, wordnet)
    nouns_in = finder(wordnet).nouns_in
    known: dict[tuple[Sense, ...], tuple[tuple[int, ...], tuple[int, ...]]] = {}
    offsets, places, denied_offsets, denied_places = [0], [], [0], []
    for caption in captions:
        mentioned: set[int] = set()
        denied: set[int] = set()
        spans = negated_spans(caption)
        for noun in nouns_in(caption):
            of_noun = known.get(noun.senses)
            if of_noun is None:
                found = matcher.match(noun)
                of_noun = tuple(found), tuple(p for p, (steps, _) in found.items() if steps <= 0)
                known[noun.senses] = of_noun
            if spans and _within(noun, spans):
                denied.update(of_noun[1])
            else:
                mentioned.update(of_noun[0])
        places += sorted(mentioned)
        denied_places += sorted(denied - mentioned)
        offsets.append(len(places))
        denied_offsets.append(len(denied_places))
    return MentionedSets(
        np.array(offsets, np.int64),
        np.array(places, np.int32),
        np.array(denied_offsets, np.int64),
        np.array(denied_places, np.int32),
    )


class _Matcher:
    """Compares the senses of nouns with a vocabulary of concepts."""

    def __init__(self, vocabulary: Sequence[str], wordnet: WordNet):
        self._wordnet = wordnet
        rows = [wordnet.row(name) for name in vocabulary]
        self._place = {row: place for place, row in enumerate(rows)}
        self._tops = frozenset(wordnet.row(name) for name in TOPS)
        self._person = wordnet.row(PERSON)
        self._under: dict[int, bool] = {}
        # ancestor -> the concepts below it and how far they are
        self._below: dict[int, list[tuple[int, int]]] = {}
        for place, row in enumerate(rows):
            for ancestor, steps in self._ancestors(row):
                self._below.setdefault(ancestor, []).append((place, steps))

    def match(self, noun: Noun) -> _Found:
        """The concepts a noun mentions, each by its best sense."""
        found: _Found = {}
        lemmas = dict.fromkeys(lemma for lemma, _ in noun.senses)
        leading = {leading_row(lemma, noun.senses, self._wordnet) for lemma in lemmas}
        exact = any(row in self._place for _, row in noun.senses)
        for sense in noun.senses:
            leads = sense[1] in leading
            for place, steps in self._around(sense[1], leads, near=leads or not exact):
                if place not in found or abs(steps) < abs(found[place][0]):
                    found[place] = steps, sense
        return found

    def _around(self, row: int, leads: bool, near: bool) -> list[tuple[int, int]]:
        """The concepts that a sense mentions, and the signed steps to them."""
        under = self._is_under_top(row)
        leads_up = leads or (row in self._tops and row != self._person)
        most_up = _ANY_DEPTH if leads_up and under else NEAR_STEPS if near else 0
        found = [(place, steps) for place, steps in self._below.get(row, ()) if steps <= most_up]
        for ancestor, steps in self._ancestors(row):
            if steps and ancestor in self._place:
                any_depth = leads and self._is_under_top(ancestor)
                if any_depth or (near and steps <= NEAR_STEPS and ancestor != self._person):
                    found.append((self._place[ancestor], -steps))
        return found

    def _is_under_top(self, row: int) -> bool:
        known = self._under.get(row)
        if known is None:
            ancestors = self._wordnet.ancestor_rows(row)[0].tolist()
            known = self._under[row] = not self._tops.isdisjoint(ancestors)
        return known

    def _ancestors(self, row: int) -> list[tuple[int, int]]:
        ids, distances = self._wordnet.ancestor_rows(row)
        return list(zip(ids.tolist(), distances.tolist(), strict=True))


def _within(noun: Noun, spans: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= noun.start < end for start, end in spans)


def finder(wordnet: WordNet) -> NounFinder:
    """The finder of this WordNet; it is kept, for it remembers words."""
    known = _finders.get(id(wordnet))
    if known is None:
        with _finders_lock:
            known = _finders.setdefault(id(wordnet), (wordnet, NounFinder(wordnet)))
    return known[1]
