"""The engine with this process in the place of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from vlmexplain.models.protocol import Encoder
from vlmexplain.ray_engine.cluster import Capacity
from vlmexplain.ray_engine.engine import RayEngine
from vlmexplain.ray_engine.model_worker import ModelWorker
from vlmexplain.ray_engine.picture_reader import PictureReader
from vlmexplain.ray_engine.rows import Row


class InProcess(RayEngine):
    """Does here, and in another order, what would go to the cluster.

    Args:
        load: the model of the workers, in the place of the one that was asked for.
    """

    def __init__(self, *arguments: Any, load: Callable[[], Encoder] | None = None, **named: Any):
        super().__init__(*arguments, **named)
        self._load = load

    def _connected(self) -> Capacity:
        return Capacity(1, 1.0, 0.0)

    def _put(self, value: Any) -> Any:
        return value

    def _in_window(self, task: Any, arguments: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        return reversed([(n, task(*values)) for n, values in enumerate(arguments)])

    def _stream(
        self, rows: list[Row], arguments: tuple[Any, ...], reader: PictureReader | None = None
    ) -> Iterator[Row]:
        load, digest, *vectors = arguments
        worker = ModelWorker(self._load or load, digest)
        worker._image_vectors = vectors[0] if vectors else None
        for place in np.random.default_rng(5).permutation(len(rows)):
            row = rows[place]
            yield worker(reader(row) if reader is not None else row)
