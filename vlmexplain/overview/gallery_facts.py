"""What slices look at in a gallery: which concepts each image has, how often, how many objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vlmexplain.datasets.gallery import Gallery


@dataclass(frozen=True, slots=True)
class GalleryFacts:
    """Per image.

    Attributes:
        concepts: the synsets, sorted.
        counts: int32 sparse [n_images, V], how many instances; crowd regions count as one.
        crowd: bool sparse [n_images, V], where a crowd region makes the number unknown.
        n_objects: int32 [n_images], annotated objects with a synset.
    """

    concepts: tuple[str, ...]
    counts: sparse.csr_matrix
    crowd: sparse.csr_matrix
    n_objects: NDArray[np.int32]

    def has(self, synset: str) -> NDArray[np.bool_]:
        """Which images have the concept, bool [n_images]; none for a concept there is not."""
        if synset not in self.concepts:
            return np.zeros(self.counts.shape[0], dtype=bool)
        column = self.counts[:, self.concepts.index(synset)]
        found: NDArray[np.bool_] = np.asarray(column.todense()).ravel() > 0
        return found

    def has_any(self, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which images have any of the concepts at these places, bool [n_images]."""
        found: NDArray[np.bool_] = np.asarray(self.counts[:, places].sum(axis=1)).ravel() > 0
        return found


def gallery_facts(gallery: Gallery) -> GalleryFacts:
    """Read them once; a few hundred milliseconds for 860,000 instances."""
    concept = np.asarray(gallery.concept_index, dtype=np.int64)
    image = np.repeat(np.arange(gallery.n_images), np.diff(gallery.instance_offsets))
    crowd = gallery.instances_table.column("crowd").to_numpy()
    known = concept >= 0
    shape = (gallery.n_images, max(len(gallery.concepts), 1))

    def matrix(rows: NDArray[np.bool_]) -> sparse.csr_matrix:
        ones = np.ones(int(rows.sum()), dtype=np.int32)
        made = sparse.csr_matrix((ones, (image[rows], concept[rows])), shape=shape)
        made.sum_duplicates()
        return made

    n_objects = np.bincount(image[known], minlength=gallery.n_images).astype(np.int32)
    return GalleryFacts(gallery.concepts, matrix(known), matrix(known & crowd) > 0, n_objects)


def groups_above(
    concepts: tuple[str, ...], closure: Callable[[str], Mapping[str, int]]
) -> dict[str, NDArray[np.intp]]:
    """The hypernyms that at least two concepts share, and not all: name -> places of these.

    Of hypernyms over the same concepts only the nearest is kept.

    Args:
        closure: a synset's hypernyms with their distance, as `WordNet.hypernym_closure`.
    """
    below: dict[str, dict[int, int]] = {}
    for place, synset in enumerate(concepts):
        for name, steps in closure(synset).items():
            below.setdefault(name, {})[place] = steps
    nearest: dict[tuple[int, ...], tuple[int, str]] = {}
    for name, members in below.items():
        if 2 <= len(members) < len(concepts):
            key = tuple(sorted(members))
            nearest[key] = min(nearest.get(key, (1 << 30, "")), (sum(members.values()), name))
    return {name: np.array(key, dtype=np.intp) for key, (_, name) in sorted(
        nearest.items(), key=lambda item: (-len(item[0]), item[1][1]))}  # fmt: skip
