"""Exact ranking of all images for every query, in tiles that stay in the processor's cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vlmexplain.records import Progress, ProgressCallback, no_progress
from vlmexplain.scoring.image_index import FloatMatrix, ImageIndex, IntVector
from vlmexplain.scoring.tiles import Tiles
from vlmexplain.scoring.top_k import TopK

TIE_WITHIN = 1e-6
"""Two scores nearer than this are shown as a tie."""

CHUNK_QUERIES = 1024


@dataclass(frozen=True, slots=True)
class Ranking:
    """Where the target image of each query is, and which images come first.

    Attributes:
        rank_1based: int32 [Q], the target's place; 0 where it has none.
        n_tied: int32 [Q], how many other images score within `TIE_WITHIN` of the target.
        n_ranked: int32 [Q], how many images have a score for the query.
        target_score: float32 [Q]; NaN where the target has none.
        top_k_images: int32 [Q, k], best first; -1 where there are fewer images.
        top_k_scores: float32 [Q, k]; NaN where there are fewer images.
    """

    rank_1based: IntVector
    n_tied: IntVector
    n_ranked: IntVector
    target_score: FloatMatrix
    top_k_images: IntVector
    top_k_scores: FloatMatrix


def tolerance(dimension: int) -> float:
    """How far a float32 matrix product may be from the exact score of a pair.

    The probabilistic rounding bound λ √d u for sums of d products with Σ|aᵢbᵢ| <= 1, u = 2⁻²⁴,
    λ = 8 (fails with probability under 3e-14; Higham & Mary 2019, doi:10.1137/18M1226312).
    """
    return (8 * math.sqrt(dimension) + 2) * 2.0**-24


def rank(
    queries: FloatMatrix,
    index: ImageIndex,
    targets: IntVector,
    *,
    rows: IntVector | None = None,
    texts: IntVector | None = None,
    k: int = 10,
    progress: ProgressCallback = no_progress,
    chunk_queries: int = CHUNK_QUERIES,
) -> Ranking:
    """Rank the images of an index for every query; exact, ties in the order of the gallery.

    A float32 matrix product decides every pair that is far enough from the target's score;
    the few that are near are decided by `ImageIndex.exact_scores`, so the result does not
    depend on the tiles, on the threads or on the BLAS.

    Args:
        queries: float32 [Q, d], L2-normalised; [n, d] with ``rows``.
        index: what is ranked.
        targets: int32 [Q], the image whose place is wanted, -1 for none.
        rows: int32 [Q], the row of ``queries`` of each query; None for one after the other.
        texts: int32 [Q], the text of each query when the index is of captions: vectors of the
            query's own text do not count, in whichever image they are.
        k: how many of the best images to keep.
        progress: called after each chunk of queries.
        chunk_queries: how many queries are worked on at a time; bounds the memory.
    """
    assert k >= 1 and (texts is None) == (not len(index.sole_images_of_text))
    n_queries = len(targets)
    ranking = _empty_ranking(n_queries, k)
    ranking.n_ranked[:] = index.n_ranked
    if texts is not None:
        ranking.n_ranked[:] -= index.sole_images_of_text[texts]
    if index.n_positions == 0:
        return ranking
    tiles = Tiles(index, chunk_queries)
    for start in range(0, n_queries, chunk_queries):
        part = slice(start, min(start + chunk_queries, n_queries))
        chunk = queries[part] if rows is None else queries[rows[part]]
        chunk = np.ascontiguousarray(chunk, dtype=np.float32)
        own = None if texts is None else texts[part]
        _rank_chunk(ranking, part, chunk, index, targets[part], own, tiles, k)
        progress(Progress("rank", part.stop, n_queries, "queries"))
    return ranking


def join_rankings(parts: Sequence[Ranking]) -> Ranking:
    """The rankings of some queries and of those after them, as one."""
    return Ranking(
        **{
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(Ranking)
        }
    )


def _empty_ranking(n_queries: int, k: int) -> Ranking:
    return Ranking(
        rank_1based=np.zeros(n_queries, dtype=np.int32),
        n_tied=np.zeros(n_queries, dtype=np.int32),
        n_ranked=np.zeros(n_queries, dtype=np.int32),
        target_score=np.full(n_queries, np.nan, dtype=np.float32),
        top_k_images=np.full((n_queries, k), -1, dtype=np.int32),
        top_k_scores=np.full((n_queries, k), np.nan, dtype=np.float32),
    )


def _rank_chunk(
    ranking: Ranking,
    rows: slice,
    queries: FloatMatrix,
    index: ImageIndex,
    targets: IntVector,
    texts: IntVector | None,
    tiles: Tiles,
    k: int,
) -> None:
    """Fill the given rows of ``ranking``."""
    error = tolerance(index.dimension)
    top = TopK(queries, texts, index, k, error)
    place = _Place(queries, texts, index, targets, error)
    for start, scores in tiles.of(queries, texts):
        place.look_at(start, scores)
        top.look_at(start, scores)
    ranking.rank_1based[rows] = place.rank_1based()
    ranking.n_tied[rows] = place.n_tied
    ranking.target_score[rows] = place.score
    ranking.top_k_images[rows], ranking.top_k_scores[rows] = top.result()


class _Place:
    """Counts, tile by tile, the images that come before each query's target."""

    def __init__(
        self,
        queries: FloatMatrix,
        texts: IntVector | None,
        index: ImageIndex,
        targets: IntVector,
        error: float,
    ):
        self._queries, self._texts, self._index, self._targets = queries, texts, index, targets
        positions = index.position_of_image[np.maximum(targets, 0)]
        have = np.flatnonzero((targets >= 0) & (positions >= 0))
        score = np.full(len(queries), np.nan, dtype=np.float32)
        score[have] = index.exact_scores(queries, texts, have, positions[have])
        score[np.isneginf(score)] = np.nan
        self.score = score
        # One float32 step outwards: the sums below are rounded.
        wide = np.float32(error + TIE_WITHIN)
        self._above = np.nextafter(score + wide, np.float32(2))[:, None]
        self._near = np.nextafter(score - wide, np.float32(-2))[:, None]
        self._sizes = index.sizes
        self._shared = np.flatnonzero(self._sizes > 1)
        self._n_before = np.zeros(len(queries), dtype=np.int64)
        self.n_tied = np.zeros(len(queries), dtype=np.int64)
        self._is_above = np.empty(0, dtype=bool)
        self._is_near = np.empty(0, dtype=bool)

    def look_at(self, start: int, scores: FloatMatrix) -> None:
        """Count the images at positions from ``start``; scores float32 [q, width]."""
        if self._is_above.shape != scores.shape:
            self._is_above = np.empty(scores.shape, dtype=bool)
            self._is_near = np.empty(scores.shape, dtype=bool)
        above, near = self._is_above, self._is_near
        np.greater(scores, self._above, out=above)
        np.greater_equal(scores, self._near, out=near)
        np.not_equal(above, near, out=near)
        # Sums of 64 flags fit a byte, which is much faster than counting along an axis.
        flags = above.view(np.uint8).reshape(len(scores), -1, 64)
        self._n_before += flags.sum(axis=1, dtype=np.uint8).sum(axis=1, dtype=np.int64)
        shared = self._shared[np.searchsorted(self._shared, start) :]
        shared = shared[: np.searchsorted(shared, start + scores.shape[1])]
        if len(shared):
            self._n_before += above[:, shared - start] @ (self._sizes[shared] - 1)
        flat = np.flatnonzero(near)
        row, column = np.divmod(flat, scores.shape[1])
        self._decide(row, column + start)

    def _decide(self, row: NDArray[np.intp], position: NDArray[np.intp]) -> None:
        """Count the images of positions that are too near to be told by the product."""
        exact = self._index.exact_scores(self._queries, self._texts, row, position)
        score, image = self.score[row], self._targets[row]
        before = np.where(exact > score, self._sizes[position], 0)
        equal = np.flatnonzero(exact == score)
        before[equal] = self._index.images_before(position[equal], image[equal])
        # float64, for the difference of two float32 is exact in it.
        near = np.abs(exact.astype(np.float64) - score) <= TIE_WITHIN
        tied = np.where(near, self._sizes[position], 0)
        tied -= self._index.position_of_image[image] == position  # the target itself
        np.add.at(self._n_before, row, before)
        np.add.at(self.n_tied, row, tied)

    def rank_1based(self) -> IntVector:
        """int32 [q], 0 where the target has no score."""
        return np.where(np.isnan(self.score), 0, self._n_before + 1).astype(np.int32)
