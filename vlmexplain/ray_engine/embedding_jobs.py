"""What has to be embedded, as rows to stream; and the shards that the answers make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ray_engine.rows import (
    Row,
    Wanted,
    array_of,
    left_out_of,
    pictures_row,
    texts_row,
)
from vlmexplain.records import ModelIdentity
from vlmexplain.scoring.embedding import IMAGE_BATCH, text_shards
from vlmexplain.scoring.pictures import Pictures
from vlmexplain.scoring.shards import ShardFolder


class EmbeddingJob(Protocol):
    """The embeddings of one kind: all shards of a folder."""

    store: ShardFolder
    stage: str

    def is_done(self) -> bool:
        """Whether the folder is complete, and nothing left out of it can be read by now."""
        ...

    def rows(self) -> list[Row]:
        """The pieces of the missing shards; call it while holding the folder's lock."""
        ...

    def take(self, answer: Row) -> int | None:
        """Keep an answer; the shard that it completed and that was written, if it did."""
        ...

    def progress(self) -> tuple[int, int]:
        """How many items are done, of how many."""
        ...


class TextJob:
    """Distinct texts; a piece is a whole shard."""

    stage = "embed texts"

    def __init__(self, model: ModelIdentity, texts: Sequence[str]):
        self._texts = texts
        self.store = text_shards(model, texts)
        self._done = 0

    def is_done(self) -> bool:
        """Whether every shard is there."""
        return self.store.read() is not None

    def rows(self) -> list[Row]:
        """A row for each missing shard."""
        missing = {shard: self.store.rows_of(shard) for shard in self.store.reopen()}
        self._done = len(self._texts) - sum(map(len, missing.values()))
        return [
            texts_row(shard, rows.start, self._texts[rows.start : rows.stop])
            for shard, rows in missing.items()
        ]

    def take(self, answer: Row) -> int | None:
        """Write the shard."""
        vectors = array_of(answer["data"])
        self.store.write(answer["number"], vectors, ())
        self._done += len(vectors)
        return int(answer["number"])

    def progress(self) -> tuple[int, int]:
        """Texts embedded, of how many."""
        return self._done, len(self._texts)


class PictureJob:
    """Distinct pictures; a piece is a batch, of which several make a shard."""

    stage = "embed images"

    def __init__(self, model: ModelIdentity, gallery: Gallery):
        self._pictures = Pictures(gallery)
        self._names: list[list[str]] = [[] for _ in self._pictures.contents]
        names = gallery.images_table.column("file_name").to_pylist()
        for item, name in zip(self._pictures.item_of_image.tolist(), names, strict=True):
            self._names[item].append(name)
        self.store = ShardFolder("images", model, self._pictures.contents)
        self._answers: dict[int, dict[int, Row]] = {}
        self._done = 0

    def is_done(self) -> bool:
        """Whether every shard is there and no picture came back."""
        found = self.store.read()
        return found is not None and not self._pictures.now_readable(found.left_out)

    def rows(self) -> list[Row]:
        """A row for each batch of the missing shards: the batches of the local engine."""
        found = self.store.read()
        mended = self._pictures.now_readable(found.left_out) if found else frozenset()
        missing = {shard: self.store.rows_of(shard) for shard in self.store.reopen(mended)}
        self._done = len(self.store.items) - sum(map(len, missing.values()))
        return [
            pictures_row(shard, [self._wanted(i) for i in items[start : start + IMAGE_BATCH]])
            for shard, items in missing.items()
            for start in range(0, len(items), IMAGE_BATCH)
        ]

    def take(self, answer: Row) -> int | None:
        """Keep the batch; write the shard when it was the last one."""
        shard = int(answer["number"])
        parts = self._answers.setdefault(shard, {})
        parts[answer["first"]] = answer
        rows = self.store.rows_of(shard)
        self._done += min(IMAGE_BATCH, rows.stop - int(answer["first"]))
        if len(parts) < -(-len(rows) // IMAGE_BATCH):
            return None
        in_order = [parts[first] for first in sorted(parts)]
        vectors: NDArray[np.float32] = np.concatenate([array_of(p["data"]) for p in in_order])
        self.store.write(shard, vectors, [out for part in in_order for out in left_out_of(part)])
        del self._answers[shard]
        return shard

    def progress(self) -> tuple[int, int]:
        """Pictures embedded, of how many."""
        return self._done, len(self.store.items)

    def _wanted(self, item: int) -> Wanted:
        return Wanted(item, self._pictures.contents[item], tuple(self._names[item]))
