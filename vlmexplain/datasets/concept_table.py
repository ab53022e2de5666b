"""The table of names as a CSV file: written for review, read back corrected."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from vlmexplain.concepts.wordnet import UnknownSynset, WordNet
from vlmexplain.datasets.concept_names import ConceptName
from vlmexplain.errors import DataError, UnknownName

COLUMNS = ("name", "synset", "decided_by", "instances", "alternatives", "gloss", "was")
"""``was`` is the synset before the review: it tells two synsets of one name apart."""

_EXPECTED = "Expected the columns name and synset, as `vlmexplain concepts GALLERY --out` writes."


@dataclass(frozen=True, slots=True)
class Correction:
    """A row of the file.

    Attributes:
        line: its line in the file, from 1.
        synset: the synset wanted, canonical; None for none.
        was: the synset before; "" for none; None when the file does not say.
    """

    line: int
    name: str
    synset: str | None
    was: str | None


def table_text(rows: Iterable[ConceptName]) -> str:
    """The rows as CSV; alternatives separated by blanks, no synset as an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        synset, others = row.synset or "", " ".join(row.alternatives)
        writer.writerow(
            (row.name, synset, row.decided_by, row.n_instances, others, row.gloss, synset)
        )
    return out.getvalue()


def read_corrections(
    path: Path, names: Collection[str], wordnet: WordNet
) -> tuple[Correction, ...]:
    """Read a table of names, checked.

    Args:
        names: the names it may speak of.

    Raises:
        DataError: the file is not such a table; names file and line.
        UnknownName: an unknown name or synset, with near matches; names file and line.
    """
    found = []
    known = frozenset(names)
    for line, row in _rows(path):
        where = f"{path}, line {line}"
        name, written = row["name"], (row.get("synset") or "").strip()
        if name not in known:
            raise UnknownName("name", name, sorted(known), where=where)
        synset = None
        if written:
            try:
                synset = wordnet.canonical(written)
            except UnknownSynset as error:
                raise UnknownSynset(error.name, error.known, where=where) from None
        was = row.get("was")
        found.append(Correction(line, name, synset, None if was is None else was.strip()))
    return tuple(found)


def _rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror}).", where=str(path), remedy="Check the name."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError("is not UTF-8 text.", where=str(path), remedy=_EXPECTED) from error
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if not {"name", "synset"} <= set(reader.fieldnames or ()):
            raise DataError("has no such columns.", where=f"{path}, line 1", remedy=_EXPECTED)
        for row in reader:
            if None in row or row["name"] is None or row["synset"] is None:
                raise DataError(
                    f"has {len(reader.fieldnames or ())} columns, this line has another number.",
                    where=f"{path}, line {reader.line_num}",
                    remedy=_EXPECTED,
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise DataError(
            f"is not CSV ({error}).", where=f"{path}, line {reader.line_num}", remedy=_EXPECTED
        ) from error
