"""The stage with the model: an actor that holds one and takes any piece of work."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import numpy as np

from vlmexplain.errors import ModelError, VlmexplainError
from vlmexplain.lgip.pair_scores import KnownVectors, score_block
from vlmexplain.models.protocol import Encoder
from vlmexplain.ray_engine.rows import (
    BLOCK,
    ERROR,
    PICTURES,
    TEXTS,
    Row,
    answer,
    array_bytes,
    array_of,
    error_row,
    left_out_of,
    table_bytes,
    table_of,
    wanted_of,
)
from vlmexplain.records import no_progress
from vlmexplain.scoring.embedding import LoadEncoder, embed_prepared, embed_text_shard
from vlmexplain.scoring.shards import LeftOut


class ModelWorker:
    """Runs the steps of the local engine, on pieces of the very same size.

    Args:
        load: gives the model; it is called once.
        digest: the identity that the worker's model must have.
        image_vectors: for blocks: a reference to the embeddings of the gallery's pictures.
    """

    def __init__(self, load: LoadEncoder, digest: str, image_vectors: Any = None):
        self._load, self._digest = load, digest
        self._image_vectors = None
        if image_vectors is not None:
            import ray

            self._image_vectors = ray.get(image_vectors)

    def __call__(self, row: Row) -> Row:
        """The row with its vectors or scores."""
        steps = {TEXTS: self._texts, PICTURES: self._pictures, BLOCK: self._block}
        try:
            return steps[row["kind"]](row) if row["kind"] != ERROR else row
        except VlmexplainError as error:
            return error_row(row, error)

    @cached_property
    def _encoder(self) -> Encoder:
        encoder = self._load()
        if encoder.identity.digest != self._digest:
            raise ModelError(
                f"a worker's model {encoder.identity.name!r} is not the driver's: their "
                "weights or settings differ.",
                remedy="Install the same files on every node.",
            )
        return encoder

    def _texts(self, row: Row) -> Row:
        texts = json.loads(row["request"])
        return answer(
            row, array_bytes(embed_text_shard(texts, self._encoder, 0, len(texts), no_progress))
        )

    def _pictures(self, row: Row) -> Row:
        wanted, unread = wanted_of(row), {out.item: out for out in left_out_of(row)}
        pixels = iter(array_of(row["data"]))
        batch = [(one.item, unread.get(one.item) or next(pixels)) for one in wanted]
        vectors = np.full((len(wanted), self._encoder.dimension), np.nan, dtype=np.float32)
        left_out: list[LeftOut] = embed_prepared(vectors, wanted[0].item, batch, self._encoder)
        return answer(row, array_bytes(vectors), left_out)

    def _block(self, row: Row) -> Row:
        assert self._image_vectors is not None
        rows = {text: place for place, text in enumerate(json.loads(row["request"]))}
        known = KnownVectors(rows, array_of(row["more"]), self._image_vectors)
        return answer(row, table_bytes(score_block(table_of(row["data"]), known, self._encoder)))
