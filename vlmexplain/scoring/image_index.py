"""What queries are ranked against: every image with one vector, or one for each caption."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float32]
IntVector = NDArray[np.int32]

_EXACT_PAIRS = 1024


@dataclass(frozen=True, slots=True)
class Plane:
    """One vector for each of the first images of an `ImageIndex`.

    Attributes:
        vectors: float32 [n, d], L2-normalised.
        texts: int32 [n], which text a vector is of; empty when they are of images.
    """

    vectors: FloatMatrix
    texts: IntVector


@dataclass(frozen=True, slots=True)
class ImageIndex:
    """The images that can be ranked; those with the very same vector share one position.

    An image's score for a query is the best cosine over its planes. Images with more
    captions come first, so that every plane holds a prefix of the positions.

    Attributes:
        images: int32 [n], images by position, in the order of the gallery within one.
        offsets: int64 [P + 1], position p has the images offsets[p] .. offsets[p + 1].
        position_of_image: int32 [n_images], -1 for an image that is never ranked.
        planes: one for image vectors; as many as the most captions of an image otherwise.
        sole_images_of_text: int32 [n_texts], how many images have no text but this one;
            empty for image vectors.
        keys: int64 [n], position * n_images + image, ascending.
    """

    images: IntVector
    offsets: NDArray[np.int64]
    position_of_image: IntVector
    planes: tuple[Plane, ...]
    sole_images_of_text: IntVector
    keys: NDArray[np.int64]

    @property
    def n_positions(self) -> int:
        """P, how many different images can be ranked."""
        return len(self.offsets) - 1

    @property
    def n_ranked(self) -> int:
        """How many images can be ranked."""
        return len(self.images)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.planes[0].vectors.shape[1])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many images each position has, int64 [P]."""
        return np.diff(self.offsets)

    @property
    def first_images(self) -> IntVector:
        """The first image of each position, int32 [P]."""
        return self.images[self.offsets[:-1]]

    def images_before(
        self, positions: NDArray[np.integer], images: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """How many images of each position come before a given image of the gallery, int64."""
        wanted = positions.astype(np.int64) * len(self.position_of_image) + images
        before: NDArray[np.int64] = np.searchsorted(self.keys, wanted) - self.offsets[positions]
        return before

    def exact_scores(
        self,
        queries: FloatMatrix,
        texts: IntVector | None,
        rows: NDArray[np.integer],
        positions: NDArray[np.integer],
    ) -> FloatMatrix:
        """Scores of given pairs, the same whatever else is ranked beside them.

        Products and sums are made in float64 and rounded to float32 once, so that equal
        vectors have equal scores, which a matrix product does not promise.

        Args:
            queries: float32 [q, d].
            texts: int32 [q], each query's text, whose own vectors do not count; None for
                image vectors.
            rows: [n], the query's row of each pair.
            positions: [n], the image's position of each pair.

        Returns:
            float32 [n] in [-1, 1]; -inf where an image has no vector that counts.
        """
        scores = np.full(len(positions), -np.inf, dtype=np.float32)
        for start in range(0, len(positions), _EXACT_PAIRS):
            part = slice(start, start + _EXACT_PAIRS)
            vectors = queries[rows[part]]
            own = None if texts is None else texts[rows[part]]
            for plane in self.planes:
                _raise_to_plane(scores[part], vectors, positions[part], own, plane)
        return scores


def _raise_to_plane(
    scores: FloatMatrix,
    vectors: FloatMatrix,
    positions: NDArray[np.integer],
    texts: IntVector | None,
    plane: Plane,
) -> None:
    """Set each score to the cosine with the plane's vector where that is higher."""
    have = positions < len(plane.vectors)
    if texts is not None and len(plane.texts):
        have &= plane.texts[np.minimum(positions, len(plane.texts) - 1)] != texts
    rows = slice(None) if have.all() else np.flatnonzero(have)
    products = np.multiply(vectors[rows], plane.vectors[positions[rows]], dtype=np.float64)
    scores[rows] = np.maximum(scores[rows], products.sum(axis=1).astype(np.float32))


def index_images(vectors: FloatMatrix, rankable: NDArray[np.bool_]) -> ImageIndex:
    """Index one vector an image.

    Args:
        vectors: float32 [n_images, d], L2-normalised; rows that are not rankable are not read.
        rankable: bool [n_images].
    """
    images = np.flatnonzero(rankable).astype(np.int32)
    kept = vectors if len(images) == len(vectors) else vectors[images]
    kept = np.ascontiguousarray(kept, dtype=np.float32)
    first, group = _equal_rows(kept)
    order = np.argsort(group, kind="stable")
    empty = np.empty(0, dtype=np.int32)
    positions = np.full(len(vectors), -1, dtype=np.int32)
    positions[images] = group
    return ImageIndex(
        images=images[order],
        offsets=np.concatenate(([0], np.cumsum(np.bincount(group, minlength=len(first))))),
        keys=group[order].astype(np.int64) * len(vectors) + images[order],
        position_of_image=positions,
        planes=(Plane(kept if len(first) == len(kept) else kept[first], empty),),
        sole_images_of_text=empty,
    )


def _equal_rows(rows: FloatMatrix) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of each set of rows that are equal to the bit, in order, and the set of each."""
    if not len(rows):
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), place[inverse.ravel()]


def index_captions(
    text_vectors: FloatMatrix,
    text_of_caption: IntVector,
    image_of_caption: IntVector,
    n_images: int,
) -> ImageIndex:
    """Index one vector a caption; an image without a caption is never ranked.

    Args:
        text_vectors: float32 [n_texts, d], L2-normalised, one a distinct text.
        text_of_caption, image_of_caption: int32 [n_captions].
        n_images: how many images the gallery has.
    """
    by_image = np.argsort(image_of_caption, kind="stable")
    counts = np.bincount(image_of_caption, minlength=n_images)
    starts = np.concatenate(([0], np.cumsum(counts)))
    ordinal = np.arange(len(by_image)) - starts[image_of_caption[by_image]]
    images = np.argsort(-counts, kind="stable").astype(np.int32)
    images = images[: int(np.count_nonzero(counts))]
    planes = []
    for number in range(int(counts.max(initial=0))):
        in_plane = by_image[ordinal == number]
        caption_of_image = np.full(n_images, -1, dtype=np.int64)
        caption_of_image[image_of_caption[in_plane]] = in_plane
        captions = caption_of_image[images[: len(in_plane)]]
        texts = text_of_caption[captions].astype(np.int32)
        planes.append(Plane(np.ascontiguousarray(text_vectors[texts], dtype=np.float32), texts))
    if not planes:
        planes = [Plane(text_vectors[:0], np.empty(0, dtype=np.int32))]
    return ImageIndex(
        images=images,
        offsets=np.arange(len(images) + 1),
        keys=np.arange(len(images)) * n_images + images,
        position_of_image=_positions(images, n_images),
        planes=tuple(planes),
        sole_images_of_text=_sole_images(planes, len(text_vectors)),
    )


def _sole_images(planes: list[Plane], n_texts: int) -> IntVector:
    """For each text, how many images have no other; int32 [n_texts]."""
    first = planes[0].texts
    alone = np.ones(len(first), dtype=bool)
    for plane in planes[1:]:
        alone[: len(plane.texts)] &= plane.texts == first[: len(plane.texts)]
    return np.bincount(first[alone], minlength=n_texts).astype(np.int32)


def _positions(images: IntVector, n_images: int) -> IntVector:
    positions = np.full(n_images, -1, dtype=np.int32)
    positions[images] = np.arange(len(images), dtype=np.int32)
    return positions
