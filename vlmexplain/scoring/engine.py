"""Who does the heavy parts of a run: this process, or others. The numbers are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.models.protocol import Mode
from vlmexplain.records import MetricOptions, ModelIdentity, ProgressCallback
from vlmexplain.scoring.embedding import Embeddings, LoadEncoder, embed
from vlmexplain.scoring.failure_scores import score_failures
from vlmexplain.scoring.image_index import FloatMatrix, ImageIndex, IntVector
from vlmexplain.scoring.query_columns import Outcomes
from vlmexplain.scoring.ranking import Ranking, rank


class Engine(Protocol):
    """Embeds, ranks and scores; every engine gives what `LocalEngine` gives."""

    def embed(
        self,
        gallery: Gallery,
        model: ModelIdentity,
        mode: Mode,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> Embeddings:
        """As `embedding.embed`; what is made is kept under the program's folder."""
        ...

    def rank(
        self,
        queries: FloatMatrix,
        index: ImageIndex,
        targets: IntVector,
        *,
        rows: IntVector,
        texts: IntVector | None,
        k: int,
        progress: ProgressCallback,
    ) -> Ranking:
        """As `ranking.rank`."""
        ...

    def score_failures(
        self,
        gallery: Gallery,
        texts: Sequence[str],
        found: Outcomes,
        options: MetricOptions,
        progress: ProgressCallback,
    ) -> tuple[PairScores, PairScores]:
        """As `failure_scores.score_failures`."""
        ...


class LocalEngine:
    """This process and its threads.

    Args:
        decode_workers: how many processes decode pictures; see `embedding.embed_gallery`.
    """

    def __init__(self, decode_workers: int | None = None):
        self._decode_workers = decode_workers

    def embed(
        self,
        gallery: Gallery,
        model: ModelIdentity,
        mode: Mode,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> Embeddings:
        """See `embedding.embed`."""
        return embed(gallery, model, mode, load, progress, self._decode_workers)

    def rank(
        self,
        queries: FloatMatrix,
        index: ImageIndex,
        targets: IntVector,
        *,
        rows: IntVector,
        texts: IntVector | None,
        k: int,
        progress: ProgressCallback,
    ) -> Ranking:
        """See `ranking.rank`."""
        return rank(queries, index, targets, rows=rows, texts=texts, k=k, progress=progress)

    def score_failures(
        self,
        gallery: Gallery,
        texts: Sequence[str],
        found: Outcomes,
        options: MetricOptions,
        progress: ProgressCallback,
    ) -> tuple[PairScores, PairScores]:
        """See `failure_scores.score_failures`."""
        return score_failures(gallery, texts, found, options, progress)
