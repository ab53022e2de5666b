"""The fake model keeps the promises of the Protocol."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from vlmexplain.errors import ModelError
from vlmexplain.models.fake import CONTEXT_LENGTH, FakeEncoder
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.protocol import Encoder


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=8))
def test_a_text_is_the_same_alone_and_in_a_batch(texts: list[str]) -> None:
    fake = FakeEncoder()
    batch = fake.encode_texts(texts)
    assert batch.shape == (len(texts), fake.dimension) and batch.dtype == np.float32
    for text, row in zip(texts, batch, strict=True):
        assert np.array_equal(fake.encode_texts([text])[0], row)
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


def test_what_is_cut_does_not_matter_and_what_is_seen_does() -> None:
    fake = FakeEncoder()
    words = [f"word{n}" for n in range(CONTEXT_LENGTH)]
    full, changed = " ".join(words), " ".join([*words[:-1], "other"])
    assert [t.seen for t in fake.tokens(full)] == [True] * 14 + [False] * 2
    assert fake.count_tokens(full) == CONTEXT_LENGTH + 2
    assert np.array_equal(fake.encode_texts([full]), fake.encode_texts([changed]))
    assert not np.array_equal(fake.encode_texts([full]), fake.encode_texts(["other " + full]))


def test_seed_and_pixels_decide() -> None:
    red, blue = (Image.new("RGB", (20, 10), colour) for colour in ("red", "blue"))
    one, two = FakeEncoder(), FakeEncoder(1)
    assert isinstance(one, Encoder)
    assert one.identity.digest != two.identity.digest
    images = one.encode_images([red, blue, red])
    assert np.array_equal(images[0], images[2]) and not np.allclose(images[0], images[1])
    assert not np.allclose(images, two.encode_images([red, blue, red]))


def test_known_value_is_the_same_on_every_machine() -> None:
    row = FakeEncoder().encode_texts(["a red bus"])[0]
    assert row[:3] == pytest.approx([0.15638065, 0.24562107, 0.062041648], abs=1e-6)


def test_text_model_refuses_images() -> None:
    fake = load_model("fake-text")
    assert fake.mode == "text-text" and fake.identity == identify("fake-text")
    with pytest.raises(ModelError, match="reads no images"):
        fake.encode_images([])
