"""open_clip's image transform without torch's threads, for many pictures at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.models.open_clip_build import build_transform
from vlmexplain.models.open_clip_source import OpenClipSource


def build_preprocess(source: OpenClipSource) -> Callable[[Image.Image], NDArray[np.float32]]:
    """What open_clip's transform of this model gives, to the bit, as float32 [3, height, width].

    open_clip resizes and cuts with Pillow; its last two steps, scaling to 0..1 and to the model's
    mean and deviation, are done by NumPy here. In torch each decoding thread would start a team
    of threads of its own for them, which costs more than the arithmetic.
    """
    *resize_and_cut, to_tensor, normalise = build_transform(source).transforms  # type: ignore[attr-defined]
    assert type(to_tensor).__name__ == "MaybeToTensor" and type(normalise).__name__ == "Normalize"
    mean, std = (
        np.array(values, dtype=np.float32)[:, None, None]
        for values in (normalise.mean, normalise.std)
    )

    def preprocess(image: Image.Image) -> NDArray[np.float32]:
        image = image if image.mode == "RGB" else image.convert("RGB")
        for step in resize_and_cut:
            image = step(image)
        pixels = np.asarray(image).transpose(2, 0, 1)
        array = np.empty(pixels.shape, dtype=np.float32)
        np.divide(pixels, np.float32(255), out=array)
        array -= mean
        array /= std
        return array

    return preprocess
