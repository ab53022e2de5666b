"""The nouns and compounds of a caption, with exact places and the senses they may have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from vlmexplain.concepts.caption_words import own_words
from vlmexplain.concepts.closed_class import CLOSED_CLASS, COPULAS, DEGREE_WORDS
from vlmexplain.concepts.wordnet import WordNet

_WORD = re.compile(r"[^\W_]+(?:['’ʼ＇][^\W_]+)*")
_HYPHENS = frozenset("-‐‑")
_APOSTROPHES = str.maketrans("’ʼ＇", "'''")
_LONGEST_COMPOUND = 3
_PLURALS = {"people": "person"}
"""Plurals of another stem, which WordNet's exceptions lack; the word itself is looked up too."""
_LONGEST_WORD = 64
"""Characters; a longer run of letters is no English word and is not looked up."""
_CACHE_ENTRIES = 400_000

Sense = tuple[str, int]
"""A lemma and the row number of one of its noun synsets."""


class Noun(NamedTuple):
    """A noun or compound at ``caption[start:end]``; ``senses`` in the order of preference."""

    start: int
    end: int
    senses: tuple[Sense, ...]


class _Facts(NamedTuple):
    """What WordNet knows of one written word."""

    length: int  # without a possessive ending
    possessive: bool
    whole: str  # lower case, as written
    bare: str  # without a possessive ending
    closed: bool
    senses: tuple[Sense, ...]
    may_begin: bool  # a compound, without a hyphen
    begins_compound: bool
    is_adjective: bool  # used as an adjective often enough to be one before a noun
    only_adjective: bool
    reads_as_noun: bool  # not mostly a verb


class _Place(NamedTuple):
    start: int
    joint: str  # what joins it to the word before: "_" blanks, "-" a hyphen, "" neither
    facts: _Facts


class NounFinder:
    """Finds the nouns of captions; remembers words, so one finder is for many captions.

    - The longest compound in WordNet wins (three words, then two; the leftmost of equals), and
      its words are not used again: a *hot dog* is no dog. When a sense of its last word is a
      hypernym of the compound, the compound has that sense too: a *young man* is a man.
    - Of each word all base forms count, and of each base form all senses; *people* is a plural of
      *person* too, which WordNet's exceptions lack.
    - A word of a closed class (*a*, *in*, *can* ...), a number or a single letter is no noun. It
      does not end a compound, and a word of a closed class does not begin one, unless a hyphen
      joins them (*A-line* but not *a line*; *can opener* is the exception).
    - Words that WordNet lacks, or names otherwise than data sets do, are those of `caption_words`.
    - An adjective right before a noun is no noun, nor one after *is*, *very* ...: the *white*
      of *white dog* is no white person, the *orange* of *orange cup* no fruit. By the counts of
      WordNet's tagged texts it must be used as an adjective at least half as often as as a noun.

    Threads may share a finder.
    """

    def __init__(self, wordnet: WordNet):
        self._wordnet = wordnet
        self._nouns = wordnet.nouns()
        self._own = {word: wordnet.row(synset) for word, synset in own_words().items()}
        self._first_words, self._first_pairs = _compound_beginnings([*self._nouns, *self._own])
        self._facts: dict[str, _Facts] = {}
        self._compounds: dict[str, tuple[Sense, ...]] = {}

    def nouns_in(self, caption: str) -> list[Noun]:
        """The nouns of a caption from left to right; their places do not overlap.

        >>> from vlmexplain.concepts.wordnet import load_wordnet
        >>> text = "A man's hot dogs"
        >>> [text[n.start:n.end] for n in NounFinder(load_wordnet()).nouns_in(text)]
        ['man', 'hot dogs']
        """
        places = self._places(caption)
        nouns: list[Noun] = []
        used = self._take_compounds(places, nouns)
        for i, place in enumerate(places):
            facts = place.facts
            if i in used or not facts.senses or self._is_modifier(places, i, used):
                continue
            nouns.append(Noun(place.start, place.start + facts.length, facts.senses))
        if used:
            nouns.sort()
        return nouns

    def _places(self, caption: str) -> list[_Place]:
        places = []
        known = self._facts
        end = -1
        for match in _WORD.finditer(caption):
            start, next_end = match.span()
            gap = caption[end:start] if end >= 0 else ""
            if gap == " ":
                joint = "_"
            elif gap in _HYPHENS:
                joint = "-"
            else:
                joint = "_" if gap.isspace() else ""
            word = match.group()
            places.append(_Place(start, joint, known.get(word) or self._learn(word)))
            end = next_end
        return places

    def _take_compounds(self, places: list[_Place], nouns: list[Noun]) -> set[int]:
        """Add the compounds to ``nouns``; the places they use."""
        found = []
        for i in range(len(places) - 1):
            if not places[i].facts.begins_compound or not places[i + 1].joint:
                continue
            first, second = places[i].facts.whole, places[i + 1].facts.whole
            if (
                i + 2 < len(places)
                and places[i + 2].joint
                and (first, second) in self._first_pairs
                and (senses := self._compound(places[i : i + 3]))
            ):
                found.append((-3, i, senses))
            if senses := self._compound(places[i : i + 2]):
                found.append((-2, i, senses))
        used: set[int] = set()
        for minus_length, i, senses in sorted(found):
            words = range(i, i - minus_length)
            if used.isdisjoint(words):
                used.update(words)
                last = places[words[-1]]
                nouns.append(Noun(places[i].start, last.start + last.facts.length, senses))
        return used

    def _compound(self, places: list[_Place]) -> tuple[Sense, ...]:
        """The senses of these words as one compound; empty when WordNet has none."""
        first, last = places[0], places[-1]
        if places[1].joint != "-" and not first.facts.may_begin:
            return ()
        if last.joint != "-" and last.facts.closed:
            return ()
        key = first.facts.whole + "".join(p.joint + p.facts.whole for p in places[1:])
        known = self._compounds.get(key)
        if known is None:
            start = key[: len(key) - len(last.facts.whole)]
            known = self._compound_senses(start, last.facts)
            _remember(self._compounds, key, known)
        return known

    def _compound_senses(self, start: str, last: _Facts) -> tuple[Sense, ...]:
        starts = dict.fromkeys((start, start.replace("-", "_"), start.replace("_", "-")))
        for ending in dict.fromkeys((last.whole, last.bare)):
            for begin in starts:
                forms = dict.fromkeys(self._wordnet.lemmatize(begin + ending))
                # The rules look at the end of the whole: irregular plurals need the last word.
                forms.update((begin + base, None) for base in self._wordnet.lemmatize(ending))
                forms.update((begin + base, None) for base in (ending, *_stems(ending)))
                lemmas = [form for form in forms if form in self._nouns or form in self._own]
                if lemmas:
                    own = self._senses(lemmas)
                    return own + self._head_senses(own, last)
        return ()

    def _head_senses(self, compound: tuple[Sense, ...], last: _Facts) -> tuple[Sense, ...]:
        """The senses of the last word that are hypernyms of the compound."""
        own = {row for _, row in compound}
        above = {a for row in own for a in self._wordnet.ancestor_rows(row)[0].tolist()} - own
        return tuple(sense for sense in last.senses if sense[1] in above)

    def _is_modifier(self, places: list[_Place], i: int, used: set[int]) -> bool:
        """Whether the word at ``i`` is an adjective that modifies what stands by it."""
        if not places[i].facts.is_adjective:
            return False
        k = i + 1
        while k < len(places) and places[k].joint == "_":
            facts = places[k].facts
            if k in used or (facts.reads_as_noun and not facts.closed):
                return True
            if not facts.only_adjective:
                break
            k += 1
        before = places[i - 1].facts.whole if i and places[i].joint == "_" else ""
        return before in COPULAS or before in DEGREE_WORDS

    def _learn(self, word: str) -> _Facts:
        whole = word.lower().translate(_APOSTROPHES)
        possessive = whole.endswith("'s") and len(whole) > 2
        bare = whole[:-2] if possessive else whole
        length = len(word) - 2 if possessive else len(word)
        closed = bare in CLOSED_CLASS or len(bare) == 1 or bare.isnumeric()
        if len(word) > _LONGEST_WORD:
            facts = _Facts(length, possessive, whole, bare, True, (), *[False] * 5)
        else:
            facts = self._look_up(length, possessive, whole, bare, closed)
        _remember(self._facts, word, facts)
        return facts

    def _look_up(
        self, length: int, possessive: bool, whole: str, bare: str, closed: bool
    ) -> _Facts:
        wordnet = self._wordnet
        forms = {pos: wordnet.lemmatize(bare, pos) for pos in "nva"}
        if bare in _PLURALS:
            forms["n"] += (_PLURALS[bare],)
        forms["n"] += tuple(
            word for word in (bare, *_stems(bare)) if word in self._own and word not in forms["n"]
        )
        uses = {
            pos: max((wordnet.count(form, pos) for form in forms[pos]), default=-1) for pos in "nva"
        }
        return _Facts(
            length,
            possessive,
            whole,
            bare,
            closed,
            () if closed else self._senses(forms["n"]),
            bare == "can" or bare not in CLOSED_CLASS,
            whole in self._first_words,
            not closed and not possessive and bool(forms["a"]) and 2 * uses["a"] >= uses["n"],
            not closed and bool(forms["a"]) and not forms["n"] and not forms["v"],
            bool(forms["n"]) and 2 * uses["n"] >= uses["v"],
        )

    def _senses(self, lemmas: list[str] | tuple[str, ...]) -> tuple[Sense, ...]:
        senses: dict[int, str] = {}
        for lemma in lemmas:
            for row in self._wordnet.sense_rows(lemma):
                senses.setdefault(row, lemma)
            if lemma in self._own:
                senses.setdefault(self._own[lemma], lemma)
        return tuple((lemma, row) for row, lemma in senses.items())


def _remember(cache: dict, key: str, value: object) -> None:  # type: ignore[type-arg]
    # Emptying it all is crude and bounds the memory; words in use come back at once.
    if len(cache) >= _CACHE_ENTRIES:
        cache.clear()
    cache[key] = value


def _stems(word: str) -> tuple[str, ...]:
    """What a regular plural that WordNet does not know may be the plural of."""
    return (word[:-1],) if word.endswith("s") and len(word) > 3 else ()


def _compound_beginnings(nouns: Iterable[str]) -> tuple[set[str], set[tuple[str, str]]]:
    """The first words of WordNet's compounds, and the first two of those of three words."""
    first: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    for lemma in nouns:
        words = lemma.replace("-", "_").split("_", _LONGEST_COMPOUND)
        if 2 <= len(words) <= _LONGEST_COMPOUND:
            first.add(words[0])
            if len(words) == _LONGEST_COMPOUND:
                pairs.add((words[0], words[1]))
    return first, pairs
