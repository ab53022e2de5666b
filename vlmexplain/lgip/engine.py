"""Who encodes and compares the texts of a bulk run: this process, or others."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.pair_scores import KnownVectors, score_pairs
from vlmexplain.models.protocol import Mode
from vlmexplain.records import ModelIdentity, ProgressCallback
from vlmexplain.scoring.embedding import Embeddings, LoadEncoder
from vlmexplain.scoring.engine import LocalEngine


class LgipEngine(Protocol):
    """Embeds and compares; every engine gives what `LocalLgipEngine` gives."""

    def embed(
        self,
        gallery: Gallery,
        model: ModelIdentity,
        mode: Mode,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> Embeddings:
        """As `scoring.embedding.embed`."""
        ...

    def score_pairs(
        self,
        folder: Path,
        known: KnownVectors,
        model: ModelIdentity,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> None:
        """As `pair_scores.score_pairs`."""
        ...


class LocalLgipEngine(LocalEngine):
    """This process and its threads."""

    def score_pairs(
        self,
        folder: Path,
        known: KnownVectors,
        model: ModelIdentity,
        load: LoadEncoder,
        progress: ProgressCallback,
    ) -> None:
        """See `pair_scores.score_pairs`."""
        score_pairs(folder, known, load, progress)
