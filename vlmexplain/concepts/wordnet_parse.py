"""Read the WordNet 3.0 database files (format: wndb(5WN), wordnet.princeton.edu)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from vlmexplain.errors import WordNetError

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Part of speech to the suffix of its files; satellite adjectives (``s``) are in ``adj``."""

_PART_OF_NUMBER = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_MARKER = re.compile(r"\((?:p|a|ip)\)$")
_QUOTED = re.compile(r'"([^"]*)"')
Parsed = TypeVar("Parsed")
Pointer = tuple[str, str, int, int, int]
"""Symbol, part of speech, offset, source word and target word (1-based; 0: whole synset)."""


@dataclass(slots=True)
class SynsetLine:
    """One line of a data file."""

    pos: str
    offset: int
    words: list[str]
    pointers: list[Pointer]
    gloss: str
    examples: list[str]


@dataclass(slots=True)
class Database:
    """All the database files, in the order of noun, verb, adjective, adverb and of their offsets.

    Attributes:
        synsets: every synset.
        index: part of speech -> lemma -> offsets in the order of the senses.
        exceptions: part of speech -> inflected form -> base forms.
        counts: (part of speech, lemma) -> how often it was seen in the sense-tagged texts.
    """

    synsets: list[SynsetLine] = field(default_factory=list)
    index: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    exceptions: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)


def read_database(folder: Path) -> Database:
    """Parse the data, index, exception and count files of ``folder``.

    Raises:
        WordNetError: a file is missing or a line is not what it should be.
    """
    database = Database()
    for pos, part in PARTS.items():
        database.synsets += _each_line(folder / f"data.{part}", _data_line)
        database.index[pos] = dict(_each_line(folder / f"index.{part}", _index_line))
        database.exceptions[pos] = dict(_each_line(folder / f"{part}.exc", _exception_line))
    for pos, lemma, count in _each_line(folder / "cntlist.rev", _count_line):
        key = pos, lemma
        database.counts[key] = database.counts.get(key, 0) + count
    return database


def _each_line(path: Path, parse: Callable[[str, int], Parsed]) -> list[Parsed]:
    """What ``parse`` makes of each line and its byte position."""
    found = []
    position = 0
    try:
        for number, raw in enumerate(path.read_bytes().splitlines(keepends=True), 1):
            if raw.strip() and not raw.startswith(b" "):  # a licence line begins with a blank
                try:
                    found.append(parse(raw.decode("utf-8"), position))
                except (ValueError, IndexError, KeyError) as error:
                    raise WordNetError(
                        f"line {number} is not as WordNet 3.0 has it ({error}).",
                        where=str(path),
                        remedy="Remove the folder; it is set up again.",
                    ) from error
            position += len(raw)
    except OSError as error:
        raise WordNetError(
            f"cannot be read ({error.strerror}).",
            where=str(path),
            remedy="Remove the folder; it is set up again.",
        ) from error
    return found


def _data_line(line: str, position: int) -> SynsetLine:
    columns, _, text = line.partition("|")
    fields = columns.split()
    offset = int(fields[0])
    if offset != position:
        raise ValueError(f"offset {offset} at byte {position}")
    n_words = int(fields[3], 16)
    words = [_MARKER.sub("", word) for word in fields[4 : 4 + 2 * n_words : 2]]
    at = 4 + 2 * n_words
    pointers: list[Pointer] = []
    for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
        symbol, to, part, ends = fields[i : i + 4]
        pointers.append((symbol, part, int(to), int(ends[:2], 16), int(ends[2:], 16)))
    # The definition is what is left of the gloss without its quoted examples.
    gloss = re.sub(r'"[^"]*"', "", text).strip().strip("; ")
    return SynsetLine(fields[2], offset, words, pointers, gloss, _QUOTED.findall(text))


def _index_line(line: str, _: int) -> tuple[str, list[int]]:
    fields = line.split()
    n_senses = int(fields[2])
    return fields[0], [int(offset) for offset in fields[len(fields) - n_senses :]]


def _exception_line(line: str, _: int) -> tuple[str, list[str]]:
    fields = line.split()
    return fields[0], fields[1:]


def _count_line(line: str, _: int) -> tuple[str, str, int]:
    key, _sense, seen = line.split()
    lemma, rest = key.split("%", 1)
    return _PART_OF_NUMBER[rest[0]], lemma, int(seen)
