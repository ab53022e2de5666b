"""Names of objects to synsets, for annotations that have a name but no synset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from vlmexplain.concepts.closed_class import ARTICLES, CLOSED_CLASS
from vlmexplain.concepts.coco_categories import shipped_table
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.errors import DataError

DecidedBy = Literal[
    "file",
    "corrected",
    "data-set",
    "table",
    "only-sense",
    "singular",
    "sense",
    "alias",
    "head",
    "none",
]
DECIDED_BY: Mapping[DecidedBy, str] = MappingProxyType(
    {
        "file": "the file gives the synset",
        "corrected": "a reader's table of names gives it",
        "data-set": "the synset that other objects of this name have, the most frequent one",
        "table": "our table of everyday objects",
        "only-sense": "the only sense WordNet has for the name",
        "singular": "guessed: by the singular's most frequent sense that is a physical thing",
        "sense": "guessed: the name's most frequent sense that is a physical thing",
        "alias": "guessed: by another name that the data set says is the same",
        "head": "guessed: the name without the colours and sizes before it",
        "none": "no synset is known",
    }
)
"""How the synset of a name can have been decided; the order of the evidence, the best first."""

GUESSED: frozenset[DecidedBy] = frozenset({"singular", "sense", "alias", "head"})
"""What wants a reader's eye."""

MOST_ALTERNATIVES = 8
_LONGEST_NAME = 200
_QUALIFIER = re.compile(r"\(([^()]*)\)")
_MARKS = "\"'`.,;:!?“”‘’"
_SEPARATORS = re.compile(r"[\s_\-‐‑]+")
_COLOURS = """black white gray grey red green blue yellow orange brown pink purple beige tan silver
gold golden dark light bright"""
_SIZES = "big large small little tiny huge tall short long thin thick old new young"
_LOOKS = frozenset(f"{_COLOURS} {_SIZES}".split())
"""Words of colour and size: what they stand before is what it is without them."""
_NO_PLURALS = ("ss", "us", "is")
"""Endings of singulars, whatever WordNet's rule of detachment makes of them."""


@dataclass(frozen=True, slots=True)
class NamedSynset:
    """The synset of a name, and how it was decided.

    Attributes:
        synset: its canonical name.
        lemma: the dictionary form (or the table's name) it was looked up by.
        decided_by: a key of `DECIDED_BY`.
    """

    synset: str
    lemma: str
    decided_by: DecidedBy


class NameUses:
    """How often a data set gives each name each synset."""

    def __init__(self) -> None:
        self._uses: dict[str, Counter[str]] = {}

    def add(self, name: str, synset: str, times: int = 1) -> None:
        """Count objects of a name whose synset (canonical) the file gives."""
        self._uses.setdefault(plain_name(name), Counter())[synset] += times

    def most_frequent(self, plain: str) -> str | None:
        """The synset a name has most often, of equals the first by letters; None without use."""
        found = self._uses.get(plain)
        return min(found, key=lambda synset: (-found[synset], synset)) if found else None


NO_USES = NameUses()


def synset_for_name(
    name: str, wordnet: WordNet, aliases: Mapping[str, str | tuple[str, ...]] | None = None
) -> str | None:
    """The synset of a name; None when none is known. See `find_synset`."""
    found = find_synset(name, wordnet, aliases)
    return found.synset if found else None


def find_synset(
    name: str,
    wordnet: WordNet,
    aliases: Mapping[str, str | tuple[str, ...]] | None = None,
    uses: NameUses = NO_USES,
) -> NamedSynset | None:
    """The synset of a name that the file gives none for, by the best evidence there is.

    The data set's own uses of the name; the table of everyday objects (`object_names`); the
    senses of the singular, or of the name, of which the most frequent that is a physical thing
    is taken; the other names that the data set says are the same; last the name without the
    colours and sizes before it (*black hair*). At each step a plural
    goes by its singular; true plural nouns (*glasses*, *scissors*) stay. Letter case, ``_``, ``-``,
    blanks and a leading article do not matter. A compound that WordNet does not have stays
    unknown: its last word alone would be a bad guess (a *sea horse* is no horse).

    Args:
        aliases: name -> its other name, or all names of its line; see `read_aliases`.
        uses: what the data set calls by this name elsewhere.
    """
    found = _decide(name, wordnet, uses)
    if found:
        return found
    same = (aliases or {}).get(_lower(name), ())
    for alias in (same,) if isinstance(same, str) else same:
        other = _decide(alias, wordnet, uses)
        if other:
            return replace(other, decided_by="alias")
    words = plain_name(name).split()
    n = next((i for i, word in enumerate(words) if word not in _LOOKS), 0)
    bare = _decide(" ".join(words[n:]), wordnet, uses) if n else None
    return replace(bare, decided_by="head") if bare else None


@lru_cache(maxsize=1)
def object_names() -> Mapping[str, str]:
    """Our table of everyday objects: plain name -> synset; COCO's categories fill it up.

    >>> object_names()["plate"], object_names()["mouse"], object_names()["glasses"]
    ('plate.n.04', 'mouse.n.04', 'spectacles.n.01')
    """
    text = resources.files(__package__).joinpath("object_names.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    own = dict(line.split("\t") for line in lines)
    coco = {plain_name(name): synset for name, synset in shipped_table().items()}
    return MappingProxyType(coco | own)


def plain_name(name: str) -> str:
    """A name without what does not matter: case, separators, a leading article.

    >>> plain_name(" The Potted_Plant"), plain_name("hot-dog"), plain_name("bow_(weapon)")
    ('potted plant', 'hot dog', 'bow')
    """
    words = _SEPARATORS.sub(" ", _QUALIFIER.sub(" ", name[:_LONGEST_NAME].lower())).split()
    words = [word for each in words if (word := each.strip(_MARKS))]
    if len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    return " ".join(words)


def alternatives(name: str, chosen: str | None, wordnet: WordNet) -> tuple[str, ...]:
    """Other synsets the name could stand for, the likeliest first; at most `MOST_ALTERNATIVES`."""
    plain = plain_name(name)
    found: dict[str, None] = {}
    for word in dict.fromkeys((_singular(plain, wordnet) or plain, plain)):
        table = object_names().get(word)
        if table:
            found[table] = None
        rows = [row for lemma in _lemmas(word, wordnet) for row in wordnet.sense_rows(lemma)]
        rows.sort(key=lambda row: _far_from_things(row, wordnet))
        found.update(dict.fromkeys(wordnet.names()[row] for row in rows))
    found.pop(chosen or "", None)
    return tuple(found)[:MOST_ALTERNATIVES]


def read_aliases(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Visual Genome's ``object_alias.txt``: on each line names of one thing, between commas.

    A name on two lines belongs to the first.

    Raises:
        DataError: the file cannot be read.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines(path):
        names = tuple(dict.fromkeys(filter(None, map(_lower, line.split(",")))))
        for name in names:
            found.setdefault(name, names)
    return found


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from file
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror}).", where=str(path), remedy="Check the name."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            "is not UTF-8 text.",
            where=str(path),
            remedy="Expected Visual Genome's object_alias.txt: names between commas.",
        ) from error


def _lower(name: str) -> str:
    words = name[:_LONGEST_NAME].lower().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ARTICLES else words)


def _decide(name: str, wordnet: WordNet, uses: NameUses) -> NamedSynset | None:
    plain, table = plain_name(name), object_names()
    words: tuple[str, ...] = (plain,)
    while words[-1] not in table and (singular := _singular(words[-1], wordnet)):
        words += (singular,)
    for word in words:
        used = uses.most_frequent(word)
        if used:
            return NamedSynset(used, word, "data-set")
    qualified = _by_qualifier(name, words[-1], wordnet)
    if qualified:
        return qualified
    for word in words:
        if word in table:
            return NamedSynset(wordnet.canonical(table[word]), word, "table")
    if words[-1] in CLOSED_CLASS:
        return None
    return _by_sense(words[-1], "singular" if len(words) > 1 else "sense", wordnet)


def _by_sense(word: str, how: DecidedBy, wordnet: WordNet) -> NamedSynset | None:
    """The most frequent sense that is a physical thing, else the most frequent one."""
    for lemma in _lemmas(word, wordnet):
        rows = wordnet.sense_rows(lemma)
        best = min(rows, key=lambda row: _far_from_things(row, wordnet))
        only = len(rows) == 1 and how == "sense"
        return NamedSynset(wordnet.names()[best], lemma, "only-sense" if only else how)
    return None


def _by_qualifier(name: str, word: str, wordnet: WordNet) -> NamedSynset | None:
    """``bow_(weapon)``: the sense whose gloss or hypernyms have the words between the brackets."""
    match = _QUALIFIER.search(name[:_LONGEST_NAME].lower())
    asked = set(_SEPARATORS.sub(" ", match[1]).split()) - CLOSED_CLASS if match else set()
    if not asked:
        return None
    names = wordnet.names()
    for lemma in _lemmas(word, wordnet):
        said = []
        for row in wordnet.sense_rows(lemma):
            above = wordnet.ancestor_rows(row)[0].tolist()
            kinds = {part for a in above[1:] for part in names[a].split(".")[0].split("_")}
            words = set(re.findall(r"\w+", wordnet.gloss(names[row]).lower()))
            said.append((len(asked & kinds) + len(asked & words), row))
        most = max(said, key=lambda found: found[0])
        if most[0]:
            return NamedSynset(names[most[1]], lemma, "sense")
    return None


def _lemmas(word: str, wordnet: WordNet) -> Iterable[str]:
    """The dictionary forms of a plain name, however WordNet joins its words."""
    for joint in ("_", "-", ""):
        for form in dict.fromkeys((word.replace(" ", joint), word.replace(" ", joint, 1))):
            form = form.replace(" ", "_")
            yield from wordnet.lemmatize(form)


def _singular(plain: str, wordnet: WordNet) -> str | None:
    """The singular of a plural, with blanks; None for a singular and for a true plural noun.

    A form that WordNet lists itself (*windows*, *shoes*, *species*) is a plural unless it is seen
    more often than its singular in WordNet's tagged texts.
    """
    start, _, last = plain.rpartition(" ")
    bases = [f"{start} {base}".strip() for base in wordnet.lemmatize(last) if base != last]
    for base in bases:
        if base in object_names():
            return base
    if not bases or last.endswith(_NO_PLURALS) or len(last) < 3:
        return None
    best = max(bases, key=lambda base: wordnet.count(base))
    own = wordnet.sense_rows(plain)
    return best if not own or wordnet.count(best) >= wordnet.count(plain) else None


@lru_cache(maxsize=8)
def _landmarks(wordnet: WordNet) -> tuple[int, int]:
    return wordnet.row("physical_entity.n.01"), wordnet.row("process.n.06")


def _far_from_things(row: int, wordnet: WordNet) -> int:
    """0 a physical thing of its kind, 1 a physical process or one of a name, 2 no physical thing.

    *Light* is a lamp before it is radiation, a *jersey* a shirt before it is New Jersey.
    """
    physical, process = _landmarks(wordnet)
    above = set(wordnet.ancestor_rows(row)[0].tolist())
    if physical not in above:
        return 2
    return int(process in above or _is_proper(row, wordnet))


def _is_proper(row: int, wordnet: WordNet) -> bool:
    first = wordnet.lemmas(wordnet.names()[row])[0]
    return first[:1].isupper() and first[1:2].islower()


def leading_row(lemma: str, senses: Iterable[tuple[str, int]], wordnet: WordNet) -> int:
    """Of the (lemma, row) senses of a word, the one its lemma most likely has in a caption.

    The table's, else the most frequent that is a physical thing; a person only when that is
    the first of all (a *type* is no person, nor is a *catch*).
    """
    rows = [row for each, row in senses if each == lemma]
    rows = [row for row in rows if not _is_proper(row, wordnet)] or rows
    table = object_names().get(lemma.replace("_", " "))
    if table and (row := wordnet.row(table)) in rows:
        return row
    best = min(rows, key=lambda row: _far_from_things(row, wordnet))
    is_person = wordnet.row("person.n.01") in wordnet.ancestor_rows(best)[0]
    return rows[0] if is_person else best
