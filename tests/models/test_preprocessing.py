"""Preprocessing without weights gives what the loaded model gives."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from vlmexplain.errors import ModelError
from vlmexplain.models.load import load_model
from vlmexplain.models.preprocessing import load_preprocess


@pytest.mark.parametrize("spec", ["fake", "fake:3", "drawn-clip"])
def test_it_is_the_preprocessing_of_the_model(spec: str) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (61, 83, 3), dtype=np.uint8)
    image = Image.fromarray(pixels)
    ours, whole = load_preprocess(spec)(image), load_model(spec).preprocess(image)
    assert ours.dtype == np.float32 and np.array_equal(ours, whole)


def test_a_model_of_texts_has_none() -> None:
    with pytest.raises(ModelError, match="reads no images"):
        load_preprocess("all-MiniLM-L6-v2")(Image.new("RGB", (8, 8)))
    with pytest.raises(ModelError, match="reads no images"):
        load_preprocess("fake-text")
