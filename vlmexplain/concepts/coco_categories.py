"""The 80 COCO categories as WordNet 3.0 synsets: our table, and a user's changes to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from vlmexplain.concepts.wordnet import UnknownSynset, WordNet, load_wordnet
from vlmexplain.errors import DataError, UnknownName

_SHAPE = "Expected one category, a tab and a synset on each line, or a JSON object."


class _Entry(NamedTuple):
    line: int
    category: str
    synset: str


@lru_cache(maxsize=1)
def shipped_table() -> Mapping[str, str]:
    """Our table: COCO category -> synset, in COCO's order.

    >>> shipped_table()["mouse"], len(shipped_table())
    ('mouse.n.04', 80)
    """
    text = resources.files(__package__).joinpath("coco_synsets.tsv").read_text(encoding="utf-8")
    return MappingProxyType({e.category: e.synset for e in _tsv_entries(text, "coco_synsets.tsv")})


def coco_synset_table(
    override: Path | None = None,
    *,
    categories: Iterable[str] = (),
    wordnet: WordNet | None = None,
) -> Mapping[str, str]:
    """COCO category -> synset: our table with a user's file merged over it.

    Args:
        override: lines of category, tab, synset (``#`` begins a comment), or a JSON object
            ``{category: synset}``. Told apart by the content.
        categories: names the file may use beside COCO's, such as a data set's own.
        wordnet: to check the synsets with; default: `load_wordnet`.

    Raises:
        DataError: the file cannot be read or is neither TSV nor JSON; names file and line.
        UnknownName: an unknown category or synset, with near matches; names file and line.
    """
    if override is None:
        return shipped_table()
    known = {**shipped_table(), **dict.fromkeys(categories, "")}
    wordnet = wordnet or load_wordnet()
    table = dict(shipped_table())
    seen: dict[str, int] = {}
    for entry in _entries(override):
        where = f"{override}, line {entry.line}"
        if entry.category not in known:
            raise UnknownName("category", entry.category, known, where=where)
        if entry.category in seen:
            first = seen[entry.category]
            raise DataError(
                f"category {entry.category!r} is there twice, first in line {first}.",
                where=where,
                remedy="Keep one of them.",
            )
        seen[entry.category] = entry.line
        try:
            table[entry.category] = wordnet.canonical(entry.synset)
        except UnknownSynset as error:
            raise UnknownSynset(error.name, error.known, where=where) from None
    return MappingProxyType(table)


def _entries(path: Path) -> Iterator[_Entry]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror}).", where=str(path), remedy="Check the name."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError("is not UTF-8 text.", where=str(path), remedy=_SHAPE) from error
    is_json = text.lstrip()[:1] in {"{", "["}
    return _json_entries(text, str(path)) if is_json else _tsv_entries(text, str(path))


def _tsv_entries(text: str, where: str) -> Iterator[_Entry]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise DataError(
                f"not a category, a tab and a synset: {line[:80]!r}.",
                where=f"{where}, line {number}",
                remedy=_SHAPE,
            )
        yield _Entry(number, *fields)


def _json_entries(text: str, where: str) -> Iterator[_Entry]:
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise DataError(
            f"is not JSON ({error}).", where=f"{where}, line {line}", remedy=_SHAPE
        ) from error
    if not text.lstrip().startswith("{"):
        raise DataError("is not a JSON object.", where=where, remedy=_SHAPE)
    position = 0
    for category, synset in pairs:
        # JSON keeps no line numbers: the category is looked for after the one before it.
        found = text.find(json.dumps(category, ensure_ascii=False), position)
        line = text.count("\n", 0, max(found, position)) + 1
        position = max(found + 1, position)
        if not isinstance(synset, str):
            raise DataError(
                f"the synset of {category!r} is not text: {synset!r:.80}.",
                where=f"{where}, line {line}",
                remedy=_SHAPE,
            )
        yield _Entry(line, category, synset)
