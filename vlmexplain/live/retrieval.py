"""What a text retrieves: where the ground truth comes, and which images come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.scoring.image_index import ImageIndex
from vlmexplain.scoring.ranking import TIE_WITHIN, Ranking, rank


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What one text retrieves from a gallery.

    Attributes:
        rank_1based: place of the best-ranked ground truth, ties in the order of the gallery;
            None when it has no score.
        n_tied: images that are no ground truth and score within 1e-6 of that one.
        n_ranked: how many images have a score.
        top_images: the best images, best first.
        top_scores: their similarities.
    """

    rank_1based: int | None
    n_tied: int
    n_ranked: int
    top_images: tuple[int, ...]
    top_scores: tuple[float, ...]


def retrievals(
    vectors: NDArray[np.float32],
    index: ImageIndex,
    targets: Sequence[int],
    own_text: int | None,
    k: int,
) -> tuple[Retrieval, ...]:
    """Rank the images of an index for each text; see `vlmexplain.scoring.ranking.rank`.

    Args:
        vectors: float32 [n_texts, d], L2-normalised.
        index: what is ranked.
        targets: the ground truths of every text; the best-ranked one counts.
        own_text: for an index of captions, the text whose vectors do not count.
        k: how many of the best images to name.
    """
    wanted = np.array(list(targets) or [-1], dtype=np.int32)
    n_texts, n_targets = len(vectors), len(wanted)
    n_rows = n_texts * n_targets
    ranking = rank(
        vectors,
        index,
        np.tile(wanted, n_texts),
        rows=np.repeat(np.arange(n_texts, dtype=np.int32), n_targets),
        texts=None if own_text is None else np.full(n_rows, own_text, dtype=np.int32),
        k=k,
        chunk_queries=max(1, min(n_rows, 256)),
    )
    return tuple(
        _of_text(ranking, slice(n * n_targets, (n + 1) * n_targets)) for n in range(n_texts)
    )


def _of_text(ranking: Ranking, rows: slice) -> Retrieval:
    ranks = ranking.rank_1based[rows]
    ranked = np.flatnonzero(ranks > 0)
    first = rows.start
    rank_1based, n_tied = None, 0
    if len(ranked):
        best = int(ranked[np.argmin(ranks[ranked])])
        scores = ranking.target_score[rows].astype(np.float64)
        # Other ground truths that tie with the best-ranked one are no rivals of it.
        near = np.count_nonzero(np.abs(scores[ranked] - scores[best]) <= TIE_WITHIN) - 1
        rank_1based = int(ranks[best])
        n_tied = int(ranking.n_tied[first + best]) - int(near)
    images, scores_k = ranking.top_k_images[first], ranking.top_k_scores[first]
    kept = images >= 0
    return Retrieval(
        rank_1based,
        n_tied,
        int(ranking.n_ranked[first]),
        tuple(images[kept].tolist()),
        tuple(float(score) for score in scores_k[kept]),
    )
