"""The best k images of each query, kept while tiles of scores go by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vlmexplain.scoring.image_index import FloatMatrix, ImageIndex, IntVector
from vlmexplain.scoring.tiles import GROUP

_LOWEST = np.float32(-3e38)
_PRUNED_AT = 0.25
"""New candidates are sorted in when there are this many times k a query: sorting is what costs."""
_KEPT_PER_QUERY = 16
"""When more than this times k candidates a query are kept, they are decided exactly."""


class TopK:
    """Collects candidates by block maxima and decides between them exactly at the end.

    A block whose maximum is under the k-th best score so far cannot hold one of the best k
    (but for the error of the product), so most blocks are never looked into.
    """

    def __init__(
        self,
        queries: FloatMatrix,
        texts: IntVector | None,
        index: ImageIndex,
        k: int,
        error: float,
    ):
        self._queries, self._texts, self._index, self._k = queries, texts, index, k
        # An image further than twice the error under the k-th best is certainly out.
        self._slack = np.float32(2 * error + 2.0**-22)
        self._kth = np.full(len(queries), _LOWEST, dtype=np.float32)
        self._row = np.empty(0, dtype=np.int64)
        self._position = np.empty(0, dtype=np.int64)
        self._score = np.empty(0, dtype=np.float32)
        self._new: list[tuple[NDArray[np.int64], NDArray[np.int64], FloatMatrix]] = []
        self._n_new = 0
        self._halves: FloatMatrix = np.empty((0, 0), dtype=np.float32)

    def look_at(self, start: int, scores: FloatMatrix) -> None:
        """Take the candidates among the images at positions from ``start``."""
        blocks = self._block_maxima(scores)
        n_blocks = blocks.shape[1]
        if start == 0 and n_blocks >= self._k:
            # k blocks reach this score, so at least k images do.
            kth = np.partition(blocks, n_blocks - self._k, axis=1)[:, n_blocks - self._k]
            np.maximum(self._kth, kth, out=self._kth)
        least = np.maximum(self._kth - self._slack, _LOWEST)
        row, block = np.nonzero(blocks >= least[:, None])
        if not len(row):
            return
        members = scores.reshape(len(scores), -1, n_blocks)[row, :, block]
        pair, member = np.nonzero(members >= least[row, None])
        position = member * n_blocks + block[pair] + start
        self._add(row[pair], position, members[pair, member])

    def _block_maxima(self, scores: FloatMatrix) -> FloatMatrix:
        """Maxima of the columns that are equal modulo the number of blocks."""
        n_blocks = scores.shape[1]
        maxima = scores
        while n_blocks % 2 == 0 and n_blocks // 2 >= max(GROUP, 2 * self._k):
            n_blocks //= 2
            left, right = maxima[:, :n_blocks], maxima[:, n_blocks:]
            # The first halving goes into a buffer of our own, the others on into it.
            into = self._halves_like(left) if maxima is scores else left
            maxima = np.maximum(left, right, out=into)
        return maxima

    def _halves_like(self, half: FloatMatrix) -> FloatMatrix:
        if self._halves.shape != half.shape:
            self._halves = np.empty(half.shape, dtype=np.float32)
        return self._halves

    def _add(self, row: NDArray[np.int64], position: NDArray[np.int64], score: FloatMatrix) -> None:
        self._new.append((row, position, score))
        self._n_new += len(row)
        if self._n_new >= _PRUNED_AT * self._k * len(self._queries):
            self._prune()
            if len(self._row) > _KEPT_PER_QUERY * self._k * len(self._queries):
                self._decide()

    def _prune(self) -> None:
        """Sort the new candidates in, raise the k-th best scores, drop what is certainly out."""
        kept = (self._row, self._position, self._score)
        self._row, self._position, self._score = map(
            np.concatenate, zip(kept, *self._new, strict=True)
        )
        self._new, self._n_new = [], 0
        order = np.lexsort((-self._score, self._row))
        row, score = self._row[order], self._score[order]
        starts = np.searchsorted(row, np.arange(len(self._kth)))
        kth_at = starts + self._k - 1
        full = np.flatnonzero(kth_at < np.append(starts[1:], len(row)))
        self._kth[full] = np.maximum(self._kth[full], score[kth_at[full]])
        keep = order[score >= self._kth[row] - self._slack]
        self._keep(keep)

    def _keep(self, chosen: NDArray[np.intp]) -> None:
        self._row, self._position = self._row[chosen], self._position[chosen]
        self._score = self._score[chosen]

    def _decide(self) -> NDArray[np.int64]:
        """Keep exactly the best k of each query, in order; the place of each from 0."""
        self._score = self._index.exact_scores(
            self._queries, self._texts, self._row, self._position
        )
        image = self._index.first_images[self._position]
        self._keep(np.lexsort((image, -self._score, self._row)))
        starts = np.searchsorted(self._row, np.arange(len(self._kth)))
        place = np.arange(len(self._row)) - starts[self._row]
        best = np.flatnonzero(place < self._k)
        self._keep(best)
        return place[best]

    def result(self) -> tuple[IntVector, FloatMatrix]:
        """int32 [q, k] images best first and float32 [q, k] exact scores; -1 and NaN: none."""
        self._prune()
        place = self._decide()
        row, score = self._row, self._score
        image = self._index.first_images[self._position]
        if self._index.n_ranked > self._index.n_positions:
            row, image, score, place = self._spread()
        images = np.full((len(self._kth), self._k), -1, dtype=np.int32)
        scores = np.full((len(self._kth), self._k), np.nan, dtype=np.float32)
        images[row, place], scores[row, place] = image, score
        return images, scores

    def _spread(
        self,
    ) -> tuple[NDArray[np.int64], IntVector, FloatMatrix, NDArray[np.int64]]:
        """Row, image, score and place of the best k images at the positions that are kept."""
        sizes = np.minimum(self._index.sizes[self._position], self._k)
        member = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        image = self._index.images[np.repeat(self._index.offsets[self._position], sizes) + member]
        row, score = np.repeat(self._row, sizes), np.repeat(self._score, sizes)
        order = np.lexsort((image, -score, row))
        row, image, score = row[order], image[order], score[order]
        place = np.arange(len(row)) - np.searchsorted(row, np.arange(len(self._kth)))[row]
        best = place < self._k
        return row[best], image[best], score[best], place[best]
