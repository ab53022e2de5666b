"""WordNet 3.0 as the program asks it: synsets, senses, base forms, distances and paths."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts import wordnet_files
from vlmexplain.concepts.morphology import base_forms
from vlmexplain.concepts.near_names import near_lemmas
from vlmexplain.concepts.path_lengths import Ancestors, shortest_path_lengths
from vlmexplain.concepts.wordnet_tables import Tables, open_tables
from vlmexplain.errors import UnknownName, VlmexplainError
from vlmexplain.records import PathStep

_NAME = re.compile(r"(.+)\.([nvasr])\.([0-9]{1,3})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Synset:
    """One synset.

    Attributes:
        name: such as ``zebra.n.01``.
        pos: n, v, a, s (satellite adjective) or r.
        gloss: its definition, without the quoted examples.
        lemmas: its words, blanks written ``_``, in WordNet's order and capitals.
        hypernyms: names of its hypernyms and instance hypernyms.
        examples: the quoted examples of its gloss.
    """

    name: str
    pos: str
    gloss: str
    lemmas: tuple[str, ...]
    hypernyms: tuple[str, ...]
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Antonym:
    """An opposite of an adjective.

    Attributes:
        word: the opposite, blanks written ``_``.
        synset: the sense of the opposite.
        of_synset: the sense of the adjective it is opposite to.
        through: the synset whose antonym it is: ``of_synset``, or a satellite's head.
        direct: True when WordNet joins the two words themselves.
    """

    word: str
    synset: str
    of_synset: str
    through: str
    direct: bool


class UnknownSynset(UnknownName):
    """A name that is no synset of WordNet 3.0; near ones are offered."""

    def __init__(self, name: str, near: Sequence[str], *, where: str | None = None):
        self.kind, self.name, self.known = "synset", name, tuple(near)
        shown = name if len(name) <= 80 else name[:80] + "..."
        hint = f"Did you mean {' or '.join(repr(n) for n in near[:3])}? " if near else ""
        VlmexplainError.__init__(
            self,
            f"unknown synset {shown!r}.",
            where=where,
            remedy=f"{hint}A name is word.part-of-speech.number of WordNet 3.0, as 'zebra.n.01'.",
        )


class WordNet:
    """WordNet 3.0, read-only: any number of threads may use one. Made by `load_wordnet`.

    Implements `vlmexplain.records.PathSimilarity`. Wherever a synset's name is asked for, any
    of its words will do (``automobile.n.01`` is ``car.n.01``); `canonical` gives the one name.
    """

    def __init__(self, tables: Tables):
        self._tables = tables
        self._rows: dict[str, int] = {}

    def has(self, name: str) -> bool:
        """Whether ``name`` names a synset."""
        return self._row(name) is not None

    def canonical(self, name: str) -> str:
        """The one name of the synset ``name``, by its first word.

        Raises:
            UnknownSynset: there is no such synset.
        """
        return self._tables.names[self.row(name)]

    def synset(self, name: str) -> Synset:
        """The synset of that name.

        Raises:
            UnknownSynset: there is no such synset.
        """
        tables, i = self._tables, self.row(name)
        canonical = tables.names[i]
        return Synset(
            canonical,
            canonical.rsplit(".", 2)[1],
            tables.glosses.text(i),
            self._words(i),
            tuple(tables.names[h] for h in tables.hypernyms.row(i)),  # type: ignore[call-overload]
            tuple(filter(None, tables.examples.text(i).split("\x1f"))),
        )

    def gloss(self, name: str) -> str:
        """The definition of a synset, without the quoted examples."""
        return self._tables.glosses.text(self.row(name))

    def lemmas(self, name: str) -> tuple[str, ...]:
        """The words of a synset, blanks written ``_``."""
        return self._words(self.row(name))

    def senses(self, lemma: str, pos: str = "n") -> tuple[str, ...]:
        """The synsets of a dictionary form in the order of its senses; empty when unknown.

        ``pos`` is n, v, a (all adjectives), s (satellite adjectives alone) or r.
        """
        names = self._tables.names
        found = tuple(names[i] for i in self.sense_rows(lemma, pos))
        return tuple(n for n in found if n.rsplit(".", 2)[1] == "s") if pos == "s" else found

    def sense_rows(self, lemma: str, pos: str = "n") -> tuple[int, ...]:
        """As `senses`, as row numbers of the tables."""
        at = self._lemmas(pos).get(lemma.lower().replace(" ", "_"))
        return () if at is None else tuple(self._tables.senses.row(at).tolist())

    def count(self, lemma: str, pos: str = "n") -> int:
        """How often a dictionary form was seen in WordNet's sense-tagged texts."""
        at = self._lemmas(pos).get(lemma.lower().replace(" ", "_"))
        return 0 if at is None else int(self._tables.counts[at])

    def lemmatize(self, word: str, pos: str = "n") -> tuple[str, ...]:
        """The dictionary forms of a word by WordNet's morphy; empty when it has none.

        The word itself comes first when it is one. Source: morphy(7WN).
        """
        form = word.lower().replace(" ", "_")
        file = "a" if pos == "s" else pos
        return base_forms(form, file, self._lemmas(pos), self._tables.exceptions[file])

    def hypernym_closure(self, name: str) -> dict[str, int]:
        """Every ancestor and the fewest steps to it, nearest first; the synset itself at 0."""
        ids, distances = self.ancestor_rows(self.row(name))
        names = self._tables.names
        return {names[i]: d for i, d in zip(ids.tolist(), distances.tolist(), strict=True)}

    def ancestor_rows(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Row numbers of the ancestors of a row, nearest first, and the steps to them."""
        table = self._tables.ancestors
        part = slice(int(table.offsets[row]), int(table.offsets[row + 1]))
        return table.ids[part], table.distances[part]

    def path_lengths(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.int16]:
        """Shortest path lengths in the hypernym graph, int16 [len(left), len(right)].

        -1 where there is no path: another part of speech, or no common ancestor.

        Raises:
            UnknownSynset: a name is not a synset's.
        """
        rows = self._ancestors(left)
        columns = rows if right is left else self._ancestors(right)
        return shortest_path_lengths(rows, columns)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """Path similarities 1 / (1 + length), float64 in (0, 1]; NaN where no path exists.

        Raises:
            UnknownSynset: a name is not a synset's.
        """
        lengths = self.path_lengths(left, right)
        return np.where(lengths < 0, np.nan, 1.0 / (1.0 + np.maximum(lengths, 0)))

    def path(self, left: str, right: str) -> tuple[PathStep, ...]:
        """The shortest path from ``left`` up to a common ancestor and down to ``right``.

        Empty when there is none. Several are equally short: the ancestor first in the alphabet,
        and the parents first in WordNet's order; so the way back is the same way.

        Raises:
            UnknownSynset: a name is not a synset's.
        """
        start, end = self.row(left), self.row(right)
        up, down = self._steps_up(start), self._steps_up(end)
        common = up.keys() & down.keys()
        if not common:
            return ()
        names = self._tables.names
        top = min(common, key=lambda i: (up[i] + down[i], names[i]))
        way = [*self._climb(start, top), *reversed(self._climb(end, top)[:-1])]
        text = self._tables.glosses.text
        return tuple(PathStep(names[i], text(i), is_ancestor=i == top) for i in way)

    def near_names(self, name: str, n: int = 3) -> tuple[str, ...]:
        """Synsets whose names are like ``name``, the likeliest first; at most ``n``."""
        match = _NAME.fullmatch(name.strip().lower())
        lemma, pos = (match[1], match[2]) if match else (name.strip().lower(), "n")
        lemma = re.sub(r"\s+", "_", lemma)
        found: dict[str, None] = {}
        for p in dict.fromkeys((pos, *"nvar")):
            forms = (lemma,) if lemma in self._lemmas(p) else self.lemmatize(lemma, p)
            for form in forms:
                found.update(dict.fromkeys(self.senses(form, p)))
        for form in () if found else near_lemmas(lemma, self._lemmas(pos), n):
            found.update(dict.fromkeys(self.senses(form, pos)[:1]))
        return tuple(found)[:n]

    def antonyms(self, adjective: str) -> tuple[Antonym, ...]:
        """All opposites of an adjective, in the order of its senses, direct ones first.

        A sense without an opposite of its own takes those of its synset's other words, and a
        satellite those of its head. Empty when there is none.
        """
        found: dict[str, Antonym] = {}
        word = adjective.lower().replace(" ", "_")
        for direct in (True, False):
            for row in self.sense_rows(word, "a"):
                for antonym in self._opposites(row, word, direct):
                    found.setdefault(antonym.word.lower(), antonym)
        found.pop(word, None)
        return tuple(found.values())

    def row(self, name: str) -> int:
        """The row number of a synset.

        Raises:
            UnknownSynset: there is no such synset.
        """
        row = self._row(name)
        if row is None:
            raise UnknownSynset(name, self.near_names(name))
        return row

    def names(self) -> tuple[str, ...]:
        """Every synset's name, by row number."""
        return self._tables.names

    def nouns(self) -> dict[str, int]:
        """Every noun lemma; do not change it."""
        return self._tables.lemmas["n"]

    def _lemmas(self, pos: str) -> dict[str, int]:
        if pos not in {"n", "v", "a", "s", "r"}:
            raise UnknownName("part of speech", pos, ("n", "v", "a", "s", "r"))
        return self._tables.lemmas["a" if pos == "s" else pos]

    def _row(self, name: str) -> int | None:
        row = self._rows.get(name)
        if row is None and (row := self._find_row(name)) is not None and name.islower():
            self._rows[name] = row  # a few spellings of what WordNet has
        return row

    def _find_row(self, name: str) -> int | None:
        match = _NAME.fullmatch(name.lower())
        if match is None:
            return None
        lemma, pos, number = match[1], match[2], int(match[3])
        at = self._lemmas(pos).get(lemma)
        senses = () if at is None else self._tables.senses.row(at)
        if not 1 <= number <= len(senses):
            return None
        row = int(senses[number - 1])
        # "a" finds satellites too, as in NLTK; "s" finds nothing else.
        return None if pos == "s" and self._tables.names[row].rsplit(".", 2)[1] != "s" else row

    def _words(self, row: int) -> tuple[str, ...]:
        return tuple(self._tables.words.text(row).split(" "))

    def _ancestors(self, names: Sequence[str]) -> Ancestors:
        table = self._tables.ancestors
        known = [*map(self._rows.get, names)]
        found = known if None not in known else [*map(self.row, names)]
        rows = np.array(found, np.int64)
        starts = table.offsets[rows]
        sizes = table.offsets[rows + 1] - starts
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
        return Ancestors(offsets, table.ids[where], table.distances[where])

    def _steps_up(self, row: int) -> dict[int, int]:
        ids, distances = self.ancestor_rows(row)
        return dict(zip(ids.tolist(), distances.tolist(), strict=True))

    def _climb(self, start: int, top: int) -> list[int]:
        """A shortest way up from ``start`` to its ancestor ``top``, both included."""
        way = [start]
        while way[-1] != top:
            left = self._steps_up(way[-1])[top]
            parents: list[int] = self._tables.hypernyms.row(way[-1]).tolist()
            way.append(next(p for p in parents if self._steps_up(p).get(top) == left - 1))
        return way

    def _opposites(self, row: int, word: str, direct: bool) -> list[Antonym]:
        names = self._tables.names
        if direct:
            pairs = [(row, w, o, t) for w, o, t in self._antonym_pairs(row) if w == word]
        else:
            heads = self._tables.heads
            through = [row, *heads[heads[:, 0] == row, 1].tolist()]
            pairs = [(h, w, o, t) for h in through for w, o, t in self._antonym_pairs(h)]
        return [Antonym(w, names[o], names[row], names[h], direct) for h, _, o, w in pairs]

    def _antonym_pairs(self, row: int) -> list[tuple[str, int, str]]:
        """(word of the synset, antonym's synset, antonym) of each antonym of ``row``."""
        table = self._tables.antonyms
        return [
            (self._words(row)[source].lower(), other, self._words(other)[target])
            for _, source, other, target in table[table[:, 0] == row].tolist()
        ]


_opened: dict[Path, WordNet] = {}
_opening = threading.Lock()


def load_wordnet(root: Path | None = None) -> WordNet:
    """WordNet 3.0, one for the process; the first use ever sets it up (some seconds).

    Args:
        root: where it is kept; default: ``wordnet`` under the program's home.

    Raises:
        WordNetError: WordNet 3.0 is not installed, or its files are damaged.
        StoreError: the folder cannot be written.
    """
    place = (root or wordnet_files.wordnet_root()).resolve()
    found = _opened.get(place)
    if found is None:
        with _opening:
            found = _opened.get(place)
            if found is None:
                found = _opened[place] = WordNet(open_tables(place))
    return found
