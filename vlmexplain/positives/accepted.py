"""Every query's images as its sources judge them: its own, accepted, wrong, disputed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.positives.judgements import Judgements
from vlmexplain.positives.store import KeptSource, judgements_of_source, list_sources
from vlmexplain.scoring.embedding import distinct_texts

OWN = "own"
MOST_SOURCES = 60

Standing = Literal["own", "accepted", "disputed", "wrong", "unjudged"]
STANDINGS: dict[Standing, str] = {
    "own": "the caption's own image",
    "accepted": "fits too",
    "disputed": "disputed",
    "wrong": "judged wrong",
    "unjudged": "not judged",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """How one image stands to one query.

    Attributes:
        standing: own, accepted, disputed (one source says yes, one no), wrong, or unjudged.
        accepted_by, rejected_by: names of sources.
    """

    standing: Standing
    accepted_by: tuple[str, ...] = ()
    rejected_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GalleryPositives:
    """All judged pairs of a gallery, by caption and image, each once.

    Attributes:
        sources: names; bit n of the masks below is source n - 1, bit 0 the query's own image.
        caption_index, image_index: int32 [n].
        accepted, rejected: int64 [n], which sources say that the image fits, or does not.
        listed: bool [n_captions], queries that a source set out to judge.
        offsets: int64 [n_captions + 1], query q has the pairs offsets[q] .. offsets[q + 1].
    """

    sources: tuple[str, ...]
    caption_index: NDArray[np.int32]
    image_index: NDArray[np.int32]
    accepted: NDArray[np.int64]
    rejected: NDArray[np.int64]
    listed: NDArray[np.bool_]
    offsets: NDArray[np.int64]

    @property
    def n_disputed(self) -> int:
        """Pairs that are accepted and rejected."""
        return int(np.count_nonzero((self.accepted > 0) & (self.rejected > 0)))

    def n_positives(self) -> NDArray[np.int32]:
        """R: how many images of the gallery are accepted for each query, int32 [n_captions]."""
        accepted = self.caption_index[self.accepted > 0]
        return np.bincount(accepted, minlength=len(self.listed)).astype(np.int32)

    def judged(self, caption_index: int, image_index: int) -> Judged:
        """How an image stands to a query."""
        first, end = self.offsets[caption_index : caption_index + 2].tolist()
        place = first + int(np.searchsorted(self.image_index[first:end], image_index))
        if place == end or self.image_index[place] != image_index:
            return Judged("unjudged")
        yes, no = int(self.accepted[place]), int(self.rejected[place])
        return Judged(_standing(yes, no), self._names(yes), self._names(no))

    def _names(self, mask: int) -> tuple[str, ...]:
        return tuple(name for n, name in enumerate(self.sources, start=1) if mask >> n & 1)


def gallery_positives(gallery: Gallery, names: Sequence[str] | None = None) -> GalleryPositives:
    """The judged pairs of a gallery's sources, and the queries' own images.

    Args:
        names: of the sources to look at; None for all.

    Raises:
        StoreError: a source cannot be read.
    """
    kept = [one for one in list_sources(gallery.id) if names is None or one.name in names]
    return joined(gallery, [(one, judgements_of_source(gallery, one)) for one in kept])


def joined(gallery: Gallery, sources: Sequence[tuple[KeptSource, Judgements]]) -> GalleryPositives:
    """As `gallery_positives`, of given judgements."""
    assert len(sources) <= MOST_SOURCES
    n = gallery.n_images
    own_caption, own_image = own_pairs(gallery)
    parts = [(_keys(own_caption, own_image, n), 1, True)]
    listed = np.zeros(gallery.n_captions, dtype=bool)
    for bit, (_, said) in enumerate(sources, start=1):
        listed[said.listed] = True
        keys = _keys(said.caption_index, said.image_index, n)
        parts += [(keys[said.fits], 1 << bit, True), (keys[~said.fits], 1 << bit, False)]
    pairs = np.unique(np.concatenate([keys for keys, _, _ in parts]))
    accepted, rejected = np.zeros((2, len(pairs)), dtype=np.int64)
    for keys, mask, fits in parts:
        (accepted if fits else rejected)[np.searchsorted(pairs, keys)] |= mask
    caption = (pairs // n).astype(np.int32)
    return GalleryPositives(
        tuple(one.name for one, _ in sources),
        caption,
        (pairs % n).astype(np.int32),
        accepted,
        rejected,
        listed,
        np.searchsorted(caption, np.arange(gallery.n_captions + 1)).astype(np.int64),
    )


def own_pairs(gallery: Gallery) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Each query with each image that carries this very caption: what official figures accept."""
    _, text = distinct_texts(gallery)
    image = np.asarray(gallery.image_of_caption)
    pairs = np.unique(_keys(text, image, gallery.n_images))
    text_of_pair, image_of_pair = pairs // gallery.n_images, pairs % gallery.n_images
    first = np.searchsorted(text_of_pair, text)
    counts = np.searchsorted(text_of_pair, text, side="right") - first
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    captions = np.repeat(np.arange(len(text)), counts)
    images = image_of_pair[np.repeat(first, counts) + within]
    return captions.astype(np.int32), images.astype(np.int32)


def _keys(caption: NDArray[np.int32], image: NDArray[np.int32], n_images: int) -> NDArray[np.int64]:
    return caption.astype(np.int64) * n_images + image


def _standing(accepted: int, rejected: int) -> Standing:
    if accepted & 1:
        return "own"
    if accepted:
        return "disputed" if rejected else "accepted"
    return "wrong"
