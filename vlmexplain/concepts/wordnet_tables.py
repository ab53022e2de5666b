"""Compact tables made once from the WordNet files, so that opening WordNet is a read.

A synset is a row number: nouns, verbs, adjectives, adverbs, each in the order of its file.

Satellite adjectives are numbered among all adjective senses of their first word
(``good.s.06`` is the sixth sense of *good*), as WordNet does, as NLTK did for years and as the
data sets in use have it. NLTK since 3.9.2 numbers them among the satellites alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlmexplain import storage
from vlmexplain.concepts import wordnet_files
from vlmexplain.concepts.path_lengths import Ancestors
from vlmexplain.concepts.wordnet_parse import Database, SynsetLine, read_database
from vlmexplain.errors import WordNetError

FOLDER = "tables-1"
"""Counts up when what is in the tables changes."""

_EXAMPLE_GAP = "\x1f"
_HYPERNYM_SYMBOLS = ("@", "@i")


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: NDArray[np.int64]
    values: NDArray[np.generic]

    def row(self, i: int) -> NDArray[np.generic]:
        """The values of row ``i``."""
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def text(self, i: int) -> str:
        """Row ``i`` of UTF-8 bytes as text."""
        return self.row(i).tobytes().decode("utf-8")


@dataclass(frozen=True, slots=True)
class Tables:
    """All of WordNet that the program uses; arrays are memory-mapped and not writable.

    Attributes:
        names: the synsets' names, such as ``zebra.n.01``.
        lemmas: part of speech (n, v, a, r) -> lemma -> row of ``senses`` and ``counts``.
        senses: synsets of each lemma in the order of its senses.
        counts: how often each lemma was seen in the sense-tagged texts.
        words, glosses, examples: text of each synset; words are separated by blanks.
        hypernyms: hypernyms and instance hypernyms of each synset.
        ancestors: the closure over them with the fewest steps, nearest first.
        antonyms: int32 [n, 4]: synset, place of its word, antonym's synset, place of its word.
        heads: int32 [n, 2]: satellite and head adjective.
        exceptions: part of speech -> inflected form -> base forms.
    """

    names: tuple[str, ...]
    lemmas: dict[str, dict[str, int]]
    senses: Ragged
    counts: NDArray[np.int32]
    words: Ragged
    glosses: Ragged
    examples: Ragged
    hypernyms: Ragged
    ancestors: Ancestors
    antonyms: NDArray[np.int32]
    heads: NDArray[np.int32]
    exceptions: dict[str, dict[str, list[str]]]


def open_tables(root: Path) -> Tables:
    """The tables under ``root``, made first when they are not there.

    Raises:
        WordNetError: WordNet 3.0 is missing, or the tables are damaged.
        StoreError: the folder cannot be written.
    """
    target = root / FOLDER
    if not target.is_dir():
        corpus = wordnet_files.set_up_wordnet(root)
        with storage.locked(target):
            if not target.is_dir():
                storage.sweep_partial(root)
                database = read_database(corpus)
                with storage.publish_folder(target) as scratch:
                    _write(database, scratch)
    try:
        return _read(target)
    except (OSError, ValueError, KeyError) as error:
        raise WordNetError(
            f"the WordNet tables are damaged ({error}).",
            where=str(target),
            remedy="Remove this folder; it is made again.",
        ) from error


def _read(folder: Path) -> Tables:
    def array(name: str) -> NDArray[np.generic]:
        # allow_pickle stays off: an array of objects is refused.
        loaded: NDArray[np.generic] = np.load(folder / f"{name}.npy", mmap_mode="r")
        return loaded.view(np.ndarray)

    def ragged(name: str) -> Ragged:
        return Ragged(array(f"{name}_offsets"), array(name))  # type: ignore[arg-type]

    lemmas: dict[str, dict[str, int]] = {}
    first = 0
    for pos in "nvar":
        words = (folder / f"lemmas_{pos}.txt").read_text(encoding="utf-8").split("\n")
        lemmas[pos] = dict(zip(words, range(first, first + len(words)), strict=True))
        first += len(words)
    ancestors = ragged("ancestors")
    return Tables(
        names=tuple((folder / "names.txt").read_text(encoding="utf-8").split("\n")),
        lemmas=lemmas,
        senses=ragged("senses"),
        counts=array("counts"),  # type: ignore[arg-type]
        words=ragged("words"),
        glosses=ragged("glosses"),
        examples=ragged("examples"),
        hypernyms=ragged("hypernyms"),
        ancestors=Ancestors(ancestors.offsets, ancestors.values, array("distances")),  # type: ignore[arg-type]
        antonyms=array("antonyms"),  # type: ignore[arg-type]
        heads=array("heads"),  # type: ignore[arg-type]
        exceptions=json.loads((folder / "exceptions.json").read_text(encoding="utf-8")),
    )


def _write(database: Database, folder: Path) -> None:
    synsets = database.synsets
    row_of = {(_file(s.pos), s.offset): i for i, s in enumerate(synsets)}
    index = database.index

    def save(name: str, values: object, dtype: type) -> None:
        np.save(folder / f"{name}.npy", np.asarray(values, dtype))

    def save_ragged(name: str, rows: Iterable[list[int] | bytes], dtype: type) -> None:
        kept = list(rows)
        save(f"{name}_offsets", np.cumsum([0, *map(len, kept)]), np.int64)
        flat = (
            np.frombuffer(b"".join(kept), np.uint8)  # type: ignore[arg-type]
            if dtype is np.uint8
            else [value for row in kept for value in row]
        )
        save(name, flat, dtype)

    names = [_name(s, index[_file(s.pos)]) for s in synsets]
    (folder / "names.txt").write_text("\n".join(names), encoding="utf-8", newline="\n")
    for pos in "nvar":
        text = "\n".join(index[pos])
        (folder / f"lemmas_{pos}.txt").write_text(text, encoding="utf-8", newline="\n")
    keys = [(pos, lemma) for pos in "nvar" for lemma in index[pos]]
    save_ragged("senses", ([row_of[p, o] for o in index[p][w]] for p, w in keys), np.int32)
    save("counts", [database.counts.get(key, 0) for key in keys], np.int32)
    save_ragged("words", (" ".join(s.words).encode() for s in synsets), np.uint8)
    save_ragged("glosses", (s.gloss.encode() for s in synsets), np.uint8)
    save_ragged("examples", (_EXAMPLE_GAP.join(s.examples).encode() for s in synsets), np.uint8)
    hypernyms = [_hypernyms(s, row_of) for s in synsets]
    save_ragged("hypernyms", hypernyms, np.int32)
    closures = [_closure(i, hypernyms) for i in range(len(synsets))]
    save_ragged("ancestors", (list(closure) for closure in closures), np.int32)
    save("distances", [d for closure in closures for d in closure.values()], np.uint8)
    _save_adjectives(synsets, row_of, save)
    text = json.dumps(database.exceptions, ensure_ascii=False)
    (folder / "exceptions.json").write_text(text, encoding="utf-8")


def _save_adjectives(
    synsets: list[SynsetLine],
    row_of: dict[tuple[str, int], int],
    save: Callable[[str, object, type], None],
) -> None:
    antonyms, heads = [], []
    for i, synset in enumerate(synsets):
        for symbol, pos, offset, source, target in synset.pointers:
            if symbol == "!":
                antonyms.append((i, source - 1, row_of[_file(pos), offset], target - 1))
            elif symbol == "&" and synset.pos == "s":
                heads.append((i, row_of[_file(pos), offset]))
    save("antonyms", antonyms, np.int32)
    save("heads", heads, np.int32)


def _file(pos: str) -> str:
    return "a" if pos == "s" else pos


def _name(synset: SynsetLine, index: dict[str, list[int]]) -> str:
    lemma = synset.words[0].lower()
    return f"{lemma}.{synset.pos}.{index[lemma].index(synset.offset) + 1:02d}"


def _hypernyms(synset: SynsetLine, row_of: dict[tuple[str, int], int]) -> list[int]:
    return [
        row_of[_file(pos), offset]
        for s, pos, offset, *_ in synset.pointers
        if s in _HYPERNYM_SYMBOLS
    ]


def _closure(start: int, hypernyms: list[list[int]]) -> dict[int, int]:
    """Ancestor -> fewest steps, breadth first (the verbs have a cycle)."""
    steps = {start: 0}
    level, depth = [start], 0
    while level:
        depth += 1
        above = dict.fromkeys(h for i in level for h in hypernyms[i])
        level = [h for h in above if h not in steps]
        steps.update(dict.fromkeys(level, depth))
    return steps
