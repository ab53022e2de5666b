"""Matrix products of some queries with all images, one tile of images at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vlmexplain.scoring.image_index import FloatMatrix, ImageIndex, IntVector, Plane

TILE_IMAGES = 2048
GROUP = 64
"""A tile's width is a multiple of this."""


class Tiles:
    """Yields approximate scores; its buffers are used again for every tile."""

    def __init__(self, index: ImageIndex, max_queries: int, tile_images: int = TILE_IMAGES):
        assert tile_images % GROUP == 0
        self._index = index
        self._width = min(tile_images, -(-index.n_positions // GROUP) * GROUP)
        self._scores = np.empty((max_queries, self._width), dtype=np.float32)
        several = len(index.planes) > 1
        self._other = np.empty_like(self._scores) if several else self._scores

    def of(
        self, queries: FloatMatrix, texts: IntVector | None
    ) -> Iterator[tuple[int, FloatMatrix]]:
        """The scores of all images, tile by tile; valid until the next tile is asked for.

        Args:
            queries: float32 [q, d].
            texts: int32 [q] or None, as in `ranking.rank`.

        Yields:
            The position of the tile's first image, and float32 [q, width]: the approximate
            score of each, -inf where there is none or where the tile goes past the last image.
        """
        scores = self._scores[: len(queries)]
        other = self._other[: len(queries)]
        own = None if texts is None else _OwnTexts(texts)
        for start in range(0, self._index.n_positions, self._width):
            end = min(start + self._width, self._index.n_positions)
            scores[:, end - start :] = -np.inf
            for number, plane in enumerate(self._index.planes):
                last = min(end, len(plane.vectors))
                if last <= start:
                    break
                into = (other if number else scores)[:, : last - start]
                np.matmul(queries, plane.vectors[start:last].T, out=into)
                if own is not None:
                    own.blank(into, plane, start, last)
                if number:
                    best = scores[:, : last - start]
                    np.maximum(best, into, out=best)
            yield start, scores


class _OwnTexts:
    """Which of a chunk's queries have which text, to leave a query's own text out."""

    def __init__(self, texts: IntVector):
        self._rows = np.argsort(texts, kind="stable")
        self._texts, self._starts = np.unique(texts[self._rows], return_index=True)
        self._ends = np.append(self._starts[1:], len(texts))

    def blank(self, scores: FloatMatrix, plane: Plane, start: int, end: int) -> None:
        """Set to -inf the scores of the vectors that are of a query's own text."""
        tile_texts: NDArray[np.int32] = plane.texts[start:end]
        at = np.minimum(np.searchsorted(self._texts, tile_texts), len(self._texts) - 1)
        for column in np.flatnonzero(self._texts[at] == tile_texts):
            group = at[column]
            scores[self._rows[self._starts[group] : self._ends[group]], column] = -np.inf
