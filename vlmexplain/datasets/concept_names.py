"""What each name of a gallery's objects became: its synset, how that was decided, how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from vlmexplain.concepts.naming import DECIDED_BY, GUESSED, alternatives
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.datasets.columns import InstanceColumns
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import GalleryError

NAMES_FILE = "names.arrow"
NOT_RECORDED = "not recorded"
"""Stands for ``decided_by`` in a gallery that was imported before this was kept."""

NameKey = tuple[str, str | None, str]
"""A name, its synset and how that was decided."""


@dataclass(frozen=True, slots=True)
class ConceptName:
    """A name as the data set has it, and the concept it became.

    Attributes:
        synset: None when none is known.
        decided_by: a key of `naming.DECIDED_BY`, or `NOT_RECORDED`.
        n_instances: how many objects have this name and synset.
        alternatives: other synsets the name could stand for, the likeliest first.
        gloss: of the synset; "" without one.
    """

    name: str
    synset: str | None
    decided_by: str
    n_instances: int
    alternatives: tuple[str, ...] = ()
    gloss: str = ""

    @property
    def guessed(self) -> bool:
        """Whether it wants a reader's eye: guessed from the name alone, or not known."""
        return self.decided_by in GUESSED or self.synset is None


def names_of(instances: InstanceColumns) -> pa.Table | None:
    """The table of names of an import; None when it does not know how they were decided."""
    if instances.decided_by is None:
        return None
    codes = np.stack([instances.name_code, instances.synset_code, instances.decided_by], axis=1)
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    hows = list(DECIDED_BY)
    found: Counter[NameKey] = Counter()
    for (name, synset, how), count in zip(rows.tolist(), counts.tolist(), strict=True):
        key = instances.names[name], instances.synsets[synset] if synset >= 0 else None, hows[how]
        found[key] += count
    return names_table(found)


def names_table(counts: Mapping[NameKey, int]) -> pa.Table:
    """One row a name, synset and decision: name, synset, decided_by, n_instances; by letters."""
    rows = sorted(counts.items(), key=lambda row: (row[0][0], row[0][1] or "", row[0][2]))
    return pa.table(
        {
            "name": pa.array([key[0] for key, _ in rows], pa.string()),
            "synset": pa.array([key[1] for key, _ in rows], pa.string()),
            "decided_by": pa.array([key[2] for key, _ in rows], pa.string()),
            "n_instances": pa.array([count for _, count in rows], pa.int64()),
        }
    )


def name_counts(gallery: Gallery) -> dict[NameKey, int]:
    """How many objects have each name, synset and decision, sorted by letters.

    Raises:
        GalleryError: the table is damaged.
    """
    path = gallery.folder / NAMES_FILE
    if not path.is_file():
        return _not_recorded(gallery)
    try:
        rows = pa.ipc.open_file(pa.memory_map(str(path), "r")).read_all().to_pylist()
        return {(r["name"], r["synset"], r["decided_by"]): int(r["n_instances"]) for r in rows}
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise GalleryError(
            "the gallery's table of names is damaged.",
            where=str(path),
            remedy="Import the data again.",
        ) from error


def concept_names(
    gallery: Gallery, wordnet: WordNet, *, only_guessed: bool = False
) -> tuple[ConceptName, ...]:
    """Every name of a gallery with its synset and the alternatives, the most frequent first.

    Args:
        only_guessed: leave out what the file, the data set or a table decided.
    """
    found = (
        ConceptName(name, synset, how, n) for (name, synset, how), n in name_counts(gallery).items()
    )
    chosen = sorted(
        (row for row in found if row.guessed or not only_guessed),
        key=lambda row: (-row.n_instances, row.name, row.synset or ""),
    )
    return tuple(_with_senses(chosen, wordnet))


def _with_senses(rows: Iterable[ConceptName], wordnet: WordNet) -> Iterable[ConceptName]:
    for row in rows:
        yield ConceptName(
            row.name,
            row.synset,
            row.decided_by,
            row.n_instances,
            alternatives(row.name, row.synset, wordnet),
            wordnet.gloss(row.synset) if row.synset else "",
        )


def _not_recorded(gallery: Gallery) -> dict[NameKey, int]:
    names = gallery.instances_table.column("name").to_pylist()
    pairs = Counter(zip(names, gallery.concept_index.tolist(), strict=True))
    keyed = {
        (name, gallery.concepts[concept] if concept >= 0 else None, NOT_RECORDED): count
        for (name, concept), count in pairs.items()
    }
    return dict(sorted(keyed.items(), key=lambda row: (row[0][0], row[0][1] or "")))
