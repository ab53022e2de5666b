"""A model's preprocessing of pictures without its weights, for workers that only decode."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.protocol import no_images
from vlmexplain.models.spec import parse_spec

Preprocess = Callable[[Image.Image], NDArray[np.float32]]
"""Gives what `Encoder.preprocess` of the same model gives."""


@lru_cache(maxsize=4)
def load_preprocess(spec: str) -> Preprocess:
    """The preprocessing of the model of this name, made once per process.

    Args:
        spec: see `vlmexplain.models.spec.parse_spec`.

    Raises:
        ModelError: the model reads no images.
        UnknownName, ModelError, MissingPackage: as `models.load.load_model`.

    >>> load_preprocess("fake")(Image.new("RGB", (40, 30))).shape
    (3, 8, 8)
    """
    parsed = parse_spec(spec)
    if parsed.kind == "fake":
        return FakeEncoder(int(parsed.name or 0)).preprocess
    if parsed.kind != "open_clip":
        raise no_images(spec)
    from vlmexplain.models.open_clip_preprocess import build_preprocess
    from vlmexplain.models.open_clip_tags import resolve_source

    return build_preprocess(resolve_source(parsed.name))
