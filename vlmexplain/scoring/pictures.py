"""The pictures of a gallery for embedding: checked, decoded ahead by threads, by content."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.images import PictureError
from vlmexplain.models.protocol import Encoder
from vlmexplain.scoring.shards import LeftOut

NO_EMBEDDING = "no-embedding"
"""The code of a picture that was read but for which the model gives nothing usable."""

_AHEAD = 128

Prepared = tuple[int, "NDArray[np.float32] | LeftOut"]


class Pictures:
    """A gallery's distinct pictures; two files with the same bytes are one item.

    Attributes:
        contents: the sha256 of each item, in order of appearance.
        item_of_image: int64 [n_images].
    """

    def __init__(self, gallery: Gallery):
        self._gallery = gallery
        hashes = gallery.images_table.column("content_sha256").to_pylist()
        number: dict[str, int] = {}
        self.item_of_image = np.array(
            [number.setdefault(digest, len(number)) for digest in hashes], dtype=np.int64
        )
        self.contents: tuple[str, ...] = tuple(number)
        self._images: list[list[int]] = [[] for _ in number]
        for image, item in enumerate(self.item_of_image.tolist()):
            self._images[item].append(image)

    def now_readable(self, left_out: Iterable[LeftOut]) -> frozenset[int]:
        """Those of the items left out before whose file is again what was imported."""
        return frozenset(
            out.item
            for out in left_out
            if out.code != NO_EMBEDDING and not isinstance(self._read(out.item), LeftOut)
        )

    @contextmanager
    def prepared(self, items: Sequence[int], encoder: Encoder) -> Iterator[Iterator[Prepared]]:
        """Each item with the model's input array, or why there is none; in the order given.

        Threads read, check, decode and preprocess ahead of whoever takes them.
        """
        threads = min(8, max(2, os.cpu_count() or 1))
        with ThreadPoolExecutor(threads, thread_name_prefix="decode") as pool:
            stream = self._stream(items, encoder, pool)
            try:
                yield stream
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _stream(
        self, items: Sequence[int], encoder: Encoder, pool: ThreadPoolExecutor
    ) -> Iterator[Prepared]:
        waiting: deque[tuple[int, Future[NDArray[np.float32] | LeftOut]]] = deque()
        for item in items:
            waiting.append((item, pool.submit(self._prepare, item, encoder)))
            if len(waiting) >= _AHEAD:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()

    def _prepare(self, item: int, encoder: Encoder) -> NDArray[np.float32] | LeftOut:
        found = self._read(item)
        return found if isinstance(found, LeftOut) else encoder.preprocess(found)

    def _read(self, item: int) -> Image.Image | LeftOut:
        """The picture from the first of its files that still holds it, or why there is none."""
        problem = None
        for image in self._images[item]:
            try:
                return self._gallery.read_rgb(image)
            except PictureError as error:
                problem = problem or LeftOut(item, error.code, error.message)
        assert problem is not None
        return problem
