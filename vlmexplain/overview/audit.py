"""Signs of erroneous annotation: which queries a person should look at first.

Source: the cleaning of the data set in COLING 2022 (2022.coling-1.321), which looked at the
lowest-ranked ground truths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import mentioned_concept_sets
from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.datasets.checks import InstanceFlag
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.run_columns import RunColumns

MOST_LISTED = 2000
LAST_SHARE = 0.9
"""A ground truth in the last tenth of the ranking is "ranked last"."""

NAMED_BY = 5


@dataclass(frozen=True, slots=True)
class Sign:
    """One kind of sign: its name, and what it says."""

    key: str
    title: str
    meaning: str


@dataclass(frozen=True, slots=True)
class AuditSource:
    """What the signs look at."""

    gallery: Gallery
    columns: RunColumns
    facts: GalleryFacts
    wordnet: WordNet


def find_sign(key: str, source: AuditSource) -> tuple[int, ...]:
    """The captions that carry a sign, at most `MOST_LISTED`, the most suspicious first."""
    return tuple(_FIND[key](source)[:MOST_LISTED])


def _lowest_ranked(source: AuditSource) -> list[int]:
    """Every ranked failure, the largest rank first."""
    rank = source.columns.rank_1based
    order = np.argsort(-rank, kind="stable")
    return [int(i) for i in order[:MOST_LISTED] if rank[i] > 1]


def _ranked_last(source: AuditSource) -> list[int]:
    """The ground truth is in the last tenth of all images."""
    rank = source.columns.rank_1based
    last = rank > LAST_SHARE * source.gallery.n_images
    return _by_rank(np.flatnonzero(last), rank)


def _mentions_nothing(source: AuditSource) -> list[int]:
    """The image has annotated concepts, and the caption mentions none of them."""
    rank = source.columns.rank_1based
    order = [i for i in np.argsort(-rank, kind="stable").tolist() if rank[i] > 1]
    found: list[int] = []
    for start in range(0, len(order), 500):
        part = order[start : start + 500]
        named = _named(source, part)
        found += [i for i, names in zip(part, named, strict=True)
                  if (own := _concepts_of(source, i)) and not own & names]  # fmt: skip
        if len(found) >= MOST_LISTED or start >= 20 * MOST_LISTED:
            break
    return found


def _named_but_missing(source: AuditSource) -> list[int]:
    """All (at least `NAMED_BY`) captions of the image name a concept that it is not annotated with.

    Only images with a badly ranked caption are looked at first.
    """
    rank = source.columns.rank_1based
    images = list(dict.fromkeys(
        int(source.columns.image_index[i]) for i in np.argsort(-rank, kind="stable")[:4000]
    ))  # fmt: skip
    found: list[int] = []
    for image in images:
        captions = [caption.index for caption in source.gallery.captions_of(image)]
        if len(captions) < NAMED_BY:
            continue
        common = set.intersection(*_named(source, captions))
        own = _concepts_of(source, captions[0])
        if any(not _near(source.wordnet, place, own, source.facts.concepts) for place in common):
            found.append(captions[0])
    return found


def _split_ground_truth(source: AuditSource) -> list[int]:
    """Another image is the same picture, byte for byte, so either could be meant."""
    digests = source.gallery.images_table.column("content_sha256").to_pylist()
    several = {digest for digest, n in Counter(digests).items() if n > 1 and digest}
    images = np.array([n for n, digest in enumerate(digests) if digest in several], dtype=np.int64)
    rows = np.flatnonzero(np.isin(source.columns.image_index, images))
    return _by_rank(rows, source.columns.rank_1based)


def _duplicate_boxes(source: AuditSource) -> list[int]:
    """The image has two boxes of one concept that are almost the same."""
    table = source.gallery.instances_table
    flagged = table.column("flags").to_numpy() & InstanceFlag.POSSIBLE_DUPLICATE.value
    images = np.unique(table.column("image_index").to_numpy()[flagged > 0])
    rows = np.flatnonzero(np.isin(source.columns.image_index, images))
    return _by_rank(rows, source.columns.rank_1based)


def _by_rank(rows: NDArray[np.intp], rank: NDArray[np.int32]) -> list[int]:
    order = rows[np.argsort(-rank[rows], kind="stable")]
    return [int(i) for i in order[:MOST_LISTED]]


def _named(source: AuditSource, captions: Sequence[int]) -> list[set[int]]:
    """The places of the gallery's concepts that each caption mentions."""
    texts = [source.gallery.caption(index).text for index in captions]
    offsets, places = mentioned_concept_sets(texts, source.facts.concepts, source.wordnet)
    return [set(places[offsets[n] : offsets[n + 1]].tolist()) for n in range(len(texts))]


def _concepts_of(source: AuditSource, caption: int) -> set[int]:
    row = source.facts.counts[int(source.columns.image_index[caption])]
    return set(row.indices.tolist())


def _near(wordnet: WordNet, place: int, own: set[int], concepts: tuple[str, ...]) -> bool:
    """Whether the image has the concept, or one above or below it."""
    if place in own:
        return True
    mine = wordnet.hypernym_closure(concepts[place])
    return any(
        concepts[n] in mine or concepts[place] in wordnet.hypernym_closure(concepts[n]) for n in own
    )


SIGNS: dict[str, Sign] = {
    sign.key: sign
    for sign in (
        Sign("lowest", "Lowest ranked", "The ground truths that came last of all."),
        Sign("last", "Ranked last", "The ground truth is in the last tenth of all images."),
        Sign("mentions-nothing", "Mentions no annotated concept",
             "The image has annotated concepts, and the caption mentions none of them."),
        Sign("named-not-annotated", "Named, not annotated",
             "All captions of the image name a concept that it is not annotated with."),
        Sign("same-picture", "Same picture twice",
             "Another image has exactly the same file content, so either could be meant."),
        Sign("duplicate-boxes", "Duplicate boxes",
             "Two boxes of one concept in the image are almost the same."),
    )
}  # fmt: skip
_FIND: dict[str, Callable[[AuditSource], list[int]]] = {
    "lowest": _lowest_ranked,
    "last": _ranked_last,
    "mentions-nothing": _mentions_nothing,
    "named-not-annotated": _named_but_missing,
    "same-picture": _split_ground_truth,
    "duplicate-boxes": _duplicate_boxes,
}
assert set(_FIND) == set(SIGNS)
