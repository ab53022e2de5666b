"""Names of objects to synsets, for annotations that have a name but no synset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlmexplain.concepts.closed_class import ARTICLES, CLOSED_CLASS
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.errors import DataError

How = Literal["name", "base form", "alias", "base form of an alias"]
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class NamedSynset:
    """The synset of a name, and how it was found.

    Attributes:
        synset: the first noun sense of ``lemma``.
        lemma: the dictionary form it was looked up by.
        how: by the name itself, its base form, an alias, or the base form of an alias.
    """

    synset: str
    lemma: str
    how: How


def synset_for_name(
    name: str, wordnet: WordNet, aliases: Mapping[str, str | tuple[str, ...]] | None = None
) -> str | None:
    """The first noun sense of a name; None when WordNet does not have it. See `find_synset`."""
    found = find_synset(name, wordnet, aliases)
    return found.synset if found else None


def find_synset(
    name: str, wordnet: WordNet, aliases: Mapping[str, str | tuple[str, ...]] | None = None
) -> NamedSynset | None:
    """The first noun sense of a name, or of the names Visual Genome says are the same.

    Case, extra blanks and a leading article do not matter; plurals go to their base form. A
    compound that WordNet does not have stays unknown: its last word would be a guess (a *hot
    plate* is no plate, a *sea horse* no horse).

    Args:
        aliases: name -> its other name, or all names of its line; see `read_aliases`.
    """
    plain = _plain(name)
    found = _look_up(plain, wordnet)
    if found:
        return found
    same = (aliases or {}).get(plain, ())
    for alias in (same,) if isinstance(same, str) else same:
        other = _look_up(_plain(alias), wordnet)
        if other:
            how: How = "alias" if other.how == "name" else "base form of an alias"
            return NamedSynset(other.synset, other.lemma, how)
    return None


def read_aliases(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Visual Genome's ``object_alias.txt``: on each line names of one thing, between commas.

    A name on two lines belongs to the first.

    Raises:
        DataError: the file cannot be read.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines(path):
        names = tuple(dict.fromkeys(filter(None, map(_plain, line.split(",")))))
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


def _plain(name: str) -> str:
    words = name[:_LONGEST_NAME].lower().split()
    if len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    return " ".join(words)


def _look_up(name: str, wordnet: WordNet) -> NamedSynset | None:
    if not name or name in CLOSED_CLASS:
        return None
    written = name.replace(" ", "_")
    for form in dict.fromkeys((written, written.replace("-", "_"), written.replace("_", "-"))):
        for lemma in wordnet.lemmatize(form):
            how: How = "name" if lemma == form else "base form"
            return NamedSynset(wordnet.senses(lemma)[0], lemma, how)
    return None
