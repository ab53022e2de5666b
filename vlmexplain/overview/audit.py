"""Signs of erroneous annotation: which queries a person should look at first.

Source: the cleaning of the data set in COLING 2022 (2022.coling-1.321), which looked at the
lowest-ranked ground truths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vlmexplain.concepts.wordnet import WordNet
from vlmexplain.datasets.checks import InstanceFlag
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.gallery_facts import GalleryFacts
from vlmexplain.overview.gallery_mentions import GalleryMentions
from vlmexplain.overview.near_duplicates import MOST_BITS
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
    """What the signs look at; ``mentions`` only those of `NEED_MENTIONS`.

    Attributes:
        look_alikes: int32 [n_images], as `near_duplicates.near_groups`; None: not looked at.
    """

    gallery: Gallery
    columns: RunColumns
    facts: GalleryFacts
    wordnet: WordNet
    mentions: GalleryMentions | None = None
    look_alikes: NDArray[np.int32] | None = None


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
    """A failure whose image has annotated concepts, and whose caption mentions none of them."""
    mentions, image = _mentions(source), source.columns.image_index
    own = source.facts.counts.sorted_indices()
    n_concepts = own.shape[1]
    has = np.repeat(np.arange(own.shape[0]), np.diff(own.indptr)) * n_concepts + own.indices
    said = image[mentions.captions].astype(np.int64) * n_concepts + mentions.places
    right = np.zeros(len(image), dtype=bool)
    right[mentions.captions[_among(said, has)]] = True
    asked = (np.diff(own.indptr) > 0)[image] & (source.columns.rank_1based > 1)
    return _by_rank(np.flatnonzero(asked & ~right), source.columns.rank_1based)


def _named_but_missing(source: AuditSource) -> list[int]:
    """All (at least `NAMED_BY`) captions of the image name a concept that it is not annotated with.

    Nor with one above or below it. The first caption of such an image stands for all of them; the
    images come in the order of their lowest-ranked caption.
    """
    mentions, image = _mentions(source), source.columns.image_index
    n_captions = np.bincount(image, minlength=source.facts.counts.shape[0])
    n_concepts = source.facts.counts.shape[1]
    key = image[mentions.captions].astype(np.int64) * n_concepts + mentions.places
    named, n_named = np.unique(key, return_counts=True)
    of, place = named // n_concepts, named % n_concepts
    agreed = (n_named == n_captions[of]) & (n_captions[of] >= NAMED_BY)
    of, place = of[agreed], place[agreed]
    near = near_concepts(source.facts.concepts, source.wordnet)
    annotated = source.facts.counts[of].multiply(near[place]).sum(axis=1)
    missing = np.unique(of[np.asarray(annotated).ravel() == 0])
    worst = np.zeros(len(n_captions), dtype=np.int64)
    np.maximum.at(worst, image, source.columns.rank_1based)
    first = np.full(len(n_captions), len(image))
    np.minimum.at(first, image, np.arange(len(image)))
    order = missing[np.argsort(-worst[missing], kind="stable")]
    return [int(caption) for caption in first[order[:MOST_LISTED]]]


def same_pictures(gallery: Gallery) -> NDArray[np.int32]:
    """Which group of pictures with the same bytes each is in, int32 [n_images]; -1 for none."""
    digests = gallery.images_table.column("content_sha256").to_pylist()
    several = {digest for digest, n in Counter(digests).items() if n > 1 and digest}
    number = {digest: n for n, digest in enumerate(sorted(several))}
    return np.array([number.get(digest, -1) for digest in digests], dtype=np.int32)


def _split_ground_truth(source: AuditSource) -> list[int]:
    """Another image is the same picture, byte for byte, so either could be meant."""
    rows = np.flatnonzero(same_pictures(source.gallery)[source.columns.image_index] >= 0)
    return _by_rank(rows, source.columns.rank_1based)


def _look_alikes(source: AuditSource) -> list[int]:
    """Another image looks nearly the same; none while the pictures were not looked at."""
    if source.look_alikes is None:
        return []
    rows = np.flatnonzero(source.look_alikes[source.columns.image_index] >= 0)
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


def _among(values: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the values are known, bool; ``known`` ascending."""
    if not len(known):
        return np.zeros(len(values), dtype=bool)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: NDArray[np.bool_] = known[place] == values
    return found


def _mentions(source: AuditSource) -> GalleryMentions:
    assert source.mentions is not None, "this sign looks at what the captions mention"
    return source.mentions


def near_concepts(concepts: tuple[str, ...], wordnet: WordNet) -> sparse.csr_matrix:
    """Which concepts are the same or one above the other, bool-like int8 sparse [V, V]."""
    place = {name: n for n, name in enumerate(concepts)}
    size = max(len(concepts), 1)
    pairs = [
        (n, place[above])
        for name, n in place.items()
        for above in (name, *wordnet.hypernym_closure(name))
        if above in place
    ]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    one = sparse.csr_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    return ((one + one.T) > 0).astype(np.int8).tocsr()


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
        Sign("looks-the-same", "Looks nearly the same",
             "Another image has nearly the same coarse grey pattern (64-bit difference hash, at "
             f"most {MOST_BITS} bits apart), so either could be meant; look whether it is so."),
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
    "looks-the-same": _look_alikes,
    "duplicate-boxes": _duplicate_boxes,
}
assert set(_FIND) == set(SIGNS)
NEED_MENTIONS = ("mentions-nothing", "named-not-annotated")
