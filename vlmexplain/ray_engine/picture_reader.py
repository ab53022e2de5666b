"""The stage before the model: workers without a model read, check and preprocess pictures."""

from __future__ import annotations

import posixpath
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.datasets import images
from vlmexplain.errors import GalleryError, ModelError, VlmexplainError
from vlmexplain.models.preprocessing import load_preprocess
from vlmexplain.models.protocol import UnfitPicture
from vlmexplain.ray_engine.remote_files import reach, remote_errors
from vlmexplain.ray_engine.rows import (
    PICTURES,
    Row,
    Wanted,
    answer,
    array_bytes,
    error_row,
    wanted_of,
)
from vlmexplain.scoring.pictures import NO_EMBEDDING
from vlmexplain.scoring.shards import LeftOut

_REMOTE_THREADS = 8


class PictureReader:
    """Turns rows of wanted pictures into rows of the model's input; others pass.

    Args:
        place: the image folder, as a path that every worker sees or as an fsspec URL.
        model_spec: the model whose preprocessing is applied.
    """

    def __init__(self, place: str, model_spec: str):
        self._place, self._model_spec = place, model_spec

    def __call__(self, row: Row) -> Row:
        """The row with float32 [n, 3, h, w] of the pictures that could be read."""
        try:
            return self._pictures(row) if row["kind"] == PICTURES else row
        except VlmexplainError as error:
            return error_row(row, error)

    def _pictures(self, row: Row) -> Row:
        wanted = wanted_of(row)
        if "://" in self._place:
            with ThreadPoolExecutor(_REMOTE_THREADS) as pool:
                found = list(pool.map(self._prepare, wanted))
        else:
            found = [self._prepare(one) for one in wanted]
        left_out = [one for one in found if isinstance(one, LeftOut)]
        pixels = [one for one in found if not isinstance(one, LeftOut)]
        stacked = np.stack(pixels) if pixels else np.empty((0, 0, 0, 0), dtype=np.float32)
        return answer(row, array_bytes(stacked), left_out, request=True)

    def _prepare(self, wanted: Wanted) -> NDArray[np.float32] | LeftOut:
        """From the first of its files that still holds the picture, or why there is none."""
        problem = None
        for name in wanted.file_names:
            try:
                picture = self._read(name, wanted.sha256)
            except images.PictureError as error:
                problem = problem or LeftOut(wanted.item, error.code, error.message)
            else:
                return self._fit(picture, name, wanted.item)
        assert problem is not None
        return problem

    def _fit(self, picture: Image.Image, name: str, item: int) -> NDArray[np.float32] | LeftOut:
        try:
            return load_preprocess(self._model_spec)(picture)
        except UnfitPicture as error:
            return LeftOut(item, NO_EMBEDDING, error.message)
        except VlmexplainError:
            raise
        except Exception as error:  # a transform fails in as many ways as it has steps
            raise ModelError(
                f"cannot be made fit for the model ({type(error).__name__}: {error}).",
                where=name,
                remedy="Take the picture out of the image folder: it is left out then.",
            ) from error

    def _read(self, name: str, sha256: str) -> Image.Image:
        if "://" in self._place:
            return self._fetch(name, sha256)
        folder = Path(self._place)
        try:
            return images.read_rgb(folder, name, sha256)
        except images.MissingPicture as error:
            if folder.is_dir():
                raise
            raise _unseen(self._place) from error

    def _fetch(self, name: str, sha256: str) -> Image.Image:
        files, root = reach(self._place)
        where = posixpath.join(root, name)
        try:
            with remote_errors(posixpath.join(self._place, name)):
                content = files.cat_file(where)
        except FileNotFoundError as error:
            with remote_errors(self._place):
                is_there = files.exists(root)
            if is_there:
                raise images.MissingPicture("no such picture.", where=where) from error
            raise _unseen(self._place) from error
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "picture").write_bytes(content)
            return images.read_rgb(Path(folder), "picture", sha256)


def _unseen(place: str) -> GalleryError:
    return GalleryError(
        "a worker does not see the image folder.",
        where=place,
        remedy="Share it between the nodes under the same path, or give --images URL.",
    )
