"""The models that ship load like any other local model."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from vlmexplain.models.catalogue import list_models
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.open_clip_encoder import OpenClipEncoder

SHIPPED = [entry for entry in list_models() if entry.source == "shipped"]


@pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: entry.spec)
def test_a_drawn_model_loads_and_says_that_it_is_drawn(entry: object) -> None:
    spec, status = entry.spec, entry.status  # type: ignore[attr-defined]
    if status != "available":
        pytest.skip(f"data/models/{spec} is not there yet")
    model = load_model(spec)
    assert isinstance(model, OpenClipEncoder)
    assert model.identity == identify(spec)
    assert model.identity.drawn and model.identity.name == spec
    texts = ["a red car and two dogs", "a cat", "a hypothesis " * 20]
    rows = model.encode_texts(texts)
    assert np.abs(rows - np.concatenate([model.encode_texts([t]) for t in texts])).max() < 1e-6
    assert np.abs(rows[0] - rows[1]).max() > 1e-3
    assert model.encode_images([Image.new("RGB", (300, 200), "red")]).shape == (1, rows.shape[1])
    tokens = model.tokens("a dog and a hypothesis")
    assert [t.known for t in tokens][:2] == [True, True] and not all(t.known for t in tokens)
    assert not all(t.seen for t in model.tokens("dog " * model.context_length))
