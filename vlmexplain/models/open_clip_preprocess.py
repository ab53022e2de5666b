"""open_clip's image transform without torch's threads, for many pictures at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.models.open_clip_build import build_transform
from vlmexplain.models.open_clip_source import OpenClipSource
from vlmexplain.models.protocol import UnfitPicture

MOST_RESIZED_PX = 2**26
"""Of a picture between resizing and cutting: 192 MiB of RGB."""

_PROBE = Image.fromarray((np.arange(40 * 56 * 3) * 37 % 251).astype(np.uint8).reshape(40, 56, 3))


class OpenClipPreprocess:
    """What open_clip's transform of a model gives, to the bit; can be sent to other processes.

    open_clip resizes and cuts with Pillow; its last two steps, scaling to 0..1 and to the model's
    mean and deviation, are done by NumPy here. In torch each decoding thread would start a team
    of threads of its own for them, which makes the whole half as dear again. An open_clip whose
    transform ends otherwise, or gives something else, is asked for all of it.

    Args:
        source: the model's.
        quick: whether the two steps were found the same here; None: try it.
    """

    def __init__(self, source: OpenClipSource, quick: bool | None = None):
        self._source = source
        self._whole = build_transform(source)
        self._resize_and_cut: list[Any] = []
        self._quick = quick is not False and self._take_apart()
        if self._quick and quick is None:
            self._quick = np.array_equal(self._by_numpy(_PROBE), self._by_torch(_PROBE))

    def _take_apart(self) -> bool:
        from torchvision.transforms import Normalize, ToTensor

        steps: list[Any] = list(getattr(self._whole, "transforms", ()))
        *self._resize_and_cut, to_tensor, normalise = steps if len(steps) > 1 else [None, None]
        if not isinstance(to_tensor, ToTensor) or not isinstance(normalise, Normalize):
            return False
        self._mean, self._std = (
            np.array(values, dtype=np.float32)[:, None, None]
            for values in (normalise.mean, normalise.std)
        )
        return True

    def __call__(self, image: Image.Image) -> NDArray[np.float32]:
        """float32 [3, height, width].

        Raises:
            UnfitPicture: so oblong that it would be enlarged beyond `MOST_RESIZED_PX`.
        """
        self._refuse_oblong(image)
        image = image if image.mode == "RGB" else image.convert("RGB")
        return self._by_numpy(image) if self._quick else self._by_torch(image)

    def _by_torch(self, image: Image.Image) -> NDArray[np.float32]:
        return np.asarray(self._whole(image), dtype=np.float32)

    def _by_numpy(self, image: Image.Image) -> NDArray[np.float32]:
        for step in self._resize_and_cut:
            image = step(image)
        pixels = np.asarray(image).transpose(2, 0, 1)
        array = np.empty(pixels.shape, dtype=np.float32)
        np.divide(pixels, np.float32(255), out=array)
        array -= self._mean
        array /= self._std
        return array

    def _refuse_oblong(self, image: Image.Image) -> None:
        """Where the shorter side is fitted and the longer one cut, the longer has no limit."""
        if self._source.preprocessing.get("resize_mode") not in (None, "shortest"):
            return
        size = self._source.preprocessing["size"]
        height_px, width_px = (size, size) if isinstance(size, int) else size
        scale = max(height_px / image.height, width_px / image.width)
        if image.height * scale * image.width * scale > MOST_RESIZED_PX:
            raise UnfitPicture(
                f"is too oblong for the model: {image.width:,} x {image.height:,} px would be "
                f"enlarged {scale:.0f} times.",
                remedy="Cut it, or take it out of the image folder.",
            )

    def __reduce__(self) -> tuple[type[OpenClipPreprocess], tuple[OpenClipSource, bool]]:
        """Only what it is made of is sent."""
        return OpenClipPreprocess, (self._source, self._quick)


def build_preprocess(source: OpenClipSource) -> OpenClipPreprocess:
    """The preprocessing of this model; needs none of its weights."""
    return OpenClipPreprocess(source)
