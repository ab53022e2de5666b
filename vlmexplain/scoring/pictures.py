"""The pictures of a gallery for embedding: checked, decoded ahead of the model, by content."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.images import PictureError
from vlmexplain.errors import DataError, ModelError, VlmexplainError
from vlmexplain.models.protocol import Encoder, UnfitPicture
from vlmexplain.scoring.decoders import WORKERS, decode_workers, decoders
from vlmexplain.scoring.shards import LeftOut

NO_EMBEDDING = "no-embedding"
"""The code of a picture that was read but for which the model gives nothing usable."""

_AHEAD = 128

Pixels = NDArray[np.float32]
Prepared = tuple[int, "Pixels | LeftOut"]
Preprocess = Callable[[Image.Image], Pixels]


class Pictures:
    """A gallery's distinct pictures; two files with the same bytes are one item.

    Attributes:
        contents: the sha256 of each item, in order of appearance.
        item_of_image: int64 [n_images].
    """

    def __init__(self, gallery: Gallery):
        self.gallery = gallery
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
            if out.code != NO_EMBEDDING and not isinstance(self.read(out.item), LeftOut)
        )

    def read(self, item: int) -> Image.Image | LeftOut:
        """The picture from the first of its files that still holds it, or why there is none."""
        problem = None
        for image in self._images[item]:
            try:
                return self.gallery.read_rgb(image)
            except PictureError as error:
                problem = problem or LeftOut(item, error.code, error.message)
        assert problem is not None
        return problem

    def file_name(self, item: int) -> str:
        """The first of its files."""
        return self.gallery.image(self._images[item][0]).file_name

    @contextmanager
    def prepared(
        self, items: Sequence[int], encoder: Encoder, workers: int | None = None
    ) -> Iterator[Iterator[Prepared]]:
        """Each item with the model's input array, or why there is none; in the order given.

        Threads or processes read, check, decode and preprocess ahead of whoever takes them; the
        arrays do not depend on which or how many.

        Args:
            workers: see `decoders.decode_workers`.

        Raises:
            DataError: no such number of workers, or one of them died.
            ModelError: the model's preprocessing cannot take a picture; its file is named.
        """
        n_workers = decode_workers(workers)
        preparing = Preparing(self.gallery, encoder.preprocess)
        preparing.pictures = self  # threads need no second list of contents
        with decoders(preparing, n_workers) as submit:
            yield self._stream(items, submit, n_workers)

    def _stream(
        self,
        items: Sequence[int],
        submit: Callable[[int], Future[Pixels | LeftOut]],
        n_workers: int,
    ) -> Iterator[Prepared]:
        waiting: deque[tuple[int, Future[Pixels | LeftOut]]] = deque()
        try:
            for item in items:
                waiting.append((item, submit(item)))
                if len(waiting) >= _AHEAD:
                    yield waiting[0][0], waiting[0][1].result()
                    waiting.popleft()
            while waiting:
                yield waiting[0][0], waiting[0][1].result()
                waiting.popleft()
        except BrokenProcessPool as error:
            unfinished = [item for item, future in waiting if _died(future)][:n_workers]
            names = ", ".join(self.file_name(item) for item in unfinished)
            raise DataError(
                "a process that decodes pictures was killed or broke down.",
                where=f"one of {names}" if names else None,
                remedy="Run again, finished shards are kept; with less memory, decode with fewer "
                f"processes ({WORKERS}=0: threads).",
            ) from error


def _died(future: Future[Pixels | LeftOut]) -> bool:
    return not future.done() or isinstance(future.exception(), BrokenProcessPool)


@dataclass
class Preparing:
    """Reads, checks, decodes and preprocesses an item; can be sent to other processes."""

    gallery: Gallery
    preprocess: Preprocess

    @cached_property
    def pictures(self) -> Pictures:
        """The items, listed on first use in each process."""
        return Pictures(self.gallery)

    def __call__(self, item: int) -> Pixels | LeftOut:
        """float32 as the model takes it, or why there is none."""
        found = self.pictures.read(item)
        if isinstance(found, LeftOut):
            return found
        try:
            return self.preprocess(found)
        except UnfitPicture as error:
            return LeftOut(item, NO_EMBEDDING, error.message)
        except VlmexplainError:
            raise
        except Exception as error:  # a transform fails in as many ways as it has steps
            raise ModelError(
                f"cannot be made fit for the model ({type(error).__name__}: {error}).",
                where=self.pictures.file_name(item),
                remedy="Take the picture out of the image folder: it is left out then.",
            ) from error

    def __reduce__(self) -> tuple[type[Preparing], tuple[Gallery, Preprocess]]:
        """Without the list of items, and with a gallery that opens its own files."""
        return Preparing, (Gallery(self.gallery.folder, self.gallery.manifest), self.preprocess)
