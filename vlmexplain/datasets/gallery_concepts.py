"""What a gallery keeps of WordNet: its concepts with their glosses, and all paths between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.datasets.gallery_tables import Tables, concept_counts
from vlmexplain.records import Progress, ProgressCallback, no_progress

NO_PATH = 255
_ROWS = 256


class SynsetFacts(Protocol):
    """The part of `concepts.wordnet.Synset` that a gallery keeps."""

    @property
    def name(self) -> str: ...

    @property
    def gloss(self) -> str: ...

    @property
    def lemmas(self) -> tuple[str, ...]: ...


class WordNetLike(Protocol):
    """The part of `concepts.wordnet.WordNet` that an import needs."""

    def has(self, name: str) -> bool: ...

    def synset(self, name: str) -> SynsetFacts: ...

    def path_lengths(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.int16]: ...


def concepts_table(tables: Tables, wordnet: WordNetLike) -> pa.Table:
    """One row a concept: synset, gloss, lemma, n_images, n_instances."""
    synsets = [wordnet.synset(name) for name in tables.concepts]
    n_images, n_instances = concept_counts(tables)
    return pa.table(
        {
            "synset": pa.array(tables.concepts, pa.string()),
            "gloss": pa.array([s.gloss for s in synsets], pa.string()),
            "lemma": pa.array([s.lemmas[0].replace("_", " ") for s in synsets], pa.string()),
            "n_images": n_images,
            "n_instances": n_instances,
        }
    )


def path_length_blocks(
    concepts: Sequence[str], wordnet: WordNetLike, progress: ProgressCallback = no_progress
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Shortest path lengths of all pairs of concepts: first row, uint8 [rows, V]; 255 no path.

    A block of rows at a time: Visual Genome's vocabulary makes 60 million pairs.
    """
    total = len(concepts)
    for start in range(0, total, _ROWS):
        progress(Progress("WordNet paths", start, total, "concepts"))
        lengths = wordnet.path_lengths(concepts[start : start + _ROWS], concepts)
        assert lengths.max(initial=0) < NO_PATH
        yield start, np.where(lengths < 0, NO_PATH, lengths).astype(np.uint8)


def write_path_lengths(
    path: Path,
    concepts: Sequence[str],
    wordnet: WordNetLike,
    progress: ProgressCallback = no_progress,
) -> None:
    """Write the path lengths of all pairs of concepts, uint8 [V, V]."""
    total = len(concepts)
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=(total, total))
    for start, block in path_length_blocks(concepts, wordnet, progress):
        table[start : start + len(block)] = block
    table.flush()
    del table
