"""A model's scores of a whole gallery for a text, and ranks after an edit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.models.protocol import Encoder
from vlmexplain.scoring.embedding import Embeddings

Scores = NDArray[np.float32]
_NEAR = 1e-5
"""A matrix product is off by less; see `scoring.ranking.tolerance`."""


class GalleryScores:
    """Scores from stored embeddings; texts are encoded when they are asked for.

    Args:
        gallery: whose images are ranked.
        encoder: the model.
        embeddings: what a run left of it.
    """

    def __init__(self, gallery: Gallery, encoder: Encoder, embeddings: Embeddings):
        self.gallery, self.encoder, self.embeddings = gallery, encoder, embeddings
        self._row_of_text = {text: row for row, text in enumerate(embeddings.texts)}
        self.n_encoded = 0

    @property
    def reads_images(self) -> bool:
        """Whether the model compares captions with images."""
        return self.embeddings.image_vectors is not None

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 [n, d], all encoded in one batch, so that no stored noise is in a difference."""
        self.n_encoded += len(texts)
        return self.encoder.encode_texts(list(texts))

    def of_text(
        self, vector: NDArray[np.float32], own_text: str, compared: Sequence[int]
    ) -> Scores:
        """float32 [n_images], -inf where an image has no score.

        Args:
            vector: float32 [d] of the query.
            own_text: the query of the run, whose own text does not count among captions.
            compared: images whose scores, and all that are near them, are exact.
        """
        if self.embeddings.image_vectors is not None:
            vectors = self.embeddings.image_vectors
            scores = vectors @ vector
            scores[list(self.embeddings.left_out)] = -np.inf
            return _refined(scores, vectors, vector, scores[list(compared)])
        by_caption = self.caption_scores(vector, own_text)
        scores = self._of_captions(by_caption)
        texts = self.embeddings.text_of_caption
        by_text = _refined(
            by_caption, self.embeddings.text_vectors, vector, scores[list(compared)], texts
        )
        return self._of_captions(by_text)

    def caption_scores(self, vector: NDArray[np.float32], own_text: str) -> Scores:
        """float32 [n_captions] of a text-text model; -inf for captions that are the query."""
        by_text = self.embeddings.text_vectors @ vector
        own = self._row_of_text.get(own_text)
        if own is not None:
            by_text[own] = -np.inf
        found: Scores = by_text[self.embeddings.text_of_caption]
        return found

    def _of_captions(self, by_caption: Scores) -> Scores:
        scores = np.full(self.gallery.n_images, -np.inf, dtype=np.float32)
        np.maximum.at(scores, self.gallery.image_of_caption, by_caption)
        return scores


def exact(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> Scores:
    """float32 [n] cosines, products made in float64 and rounded once, as ranking does."""
    wide = np.multiply(vectors, vector, dtype=np.float64)
    found: Scores = wide.sum(axis=1).astype(np.float32)
    return found


def _refined(
    scores: Scores,
    vectors: NDArray[np.float32],
    vector: NDArray[np.float32],
    targets: Scores,
    row_of: NDArray[np.int32] | None = None,
) -> Scores:
    """The scores, those within `_NEAR` of a target made exact: only there can order change."""
    near = np.zeros(len(scores), dtype=bool)
    for target in targets[np.isfinite(targets)]:
        near |= np.abs(scores - target) <= _NEAR
    rows = np.flatnonzero(near)
    scores[rows] = exact(vectors[rows if row_of is None else row_of[rows]], vector)
    return scores


def rank_of(scores: Scores, ground_truths: Sequence[int]) -> int:
    """Place of the best-ranked ground truth, ties in the order of the gallery; 1-based.

    >>> rank_of(np.array([0.2, 0.5, 0.5, 0.1], dtype=np.float32), [2])
    2
    """
    best = max(ground_truths, key=lambda image: (scores[image], -image))
    above = np.count_nonzero(scores > scores[best])
    tied_before = np.count_nonzero(scores[:best] == scores[best])
    return int(above + tied_before) + 1


def best_of(scores: Scores, images: Sequence[int]) -> int:
    """The image of the highest score, the first of equals."""
    return max(images, key=lambda image: (scores[image], -image))
