"""A model made of hashes: reproducible, instant, meaningless. For tests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.models.protocol import Embeddings, Mode, Token, no_images, normalised
from vlmexplain.records import ModelIdentity
from vlmexplain.storage import content_key

DIMENSION = 64
CONTEXT_LENGTH = 16
_PIXELS = 8
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


@lru_cache(maxsize=65536)
def _direction(seed: int, content: str | bytes) -> tuple[float, ...]:
    """A direction drawn from the content alone; the same on every machine."""
    raw = content.encode() if isinstance(content, str) else content
    digest = hashlib.sha256(f"{seed}:".encode() + raw).digest()
    draws = np.random.default_rng(np.frombuffer(digest, dtype=np.uint32))
    return tuple(draws.standard_normal(DIMENSION).tolist())


class FakeEncoder:
    """Sums a hashed direction per word; an image is a hashed direction of its 8x8 thumbnail.

    Texts that share words are similar. Words with letters beyond ASCII are unknown to it and
    all alike; it reads the first 14 words (context length 16 with start and end).
    """

    def __init__(self, seed: int = 0, mode: Mode = "image-text"):
        self.mode: Mode = mode
        self.dimension = DIMENSION
        self.context_length = CONTEXT_LENGTH
        self._seed = seed
        self.identity = fake_identity(seed, mode)

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The words, lower-cased; a word past the fourteenth is not seen."""
        return tuple(
            Token(
                text=match.group().lower(),
                start=match.start(),
                end=match.end(),
                seen=place < CONTEXT_LENGTH - 2,
                known=match.group().isascii(),
            )
            for place, match in enumerate(_WORD.finditer(text))
        )

    def count_tokens(self, text: str) -> int:
        """Words of the whole text, plus start and end."""
        return len(_WORD.findall(text)) + 2

    def encode_texts(self, texts: Sequence[str]) -> Embeddings:
        """float32 [n, 64], L2-normalised."""
        rows = np.zeros((len(texts), DIMENSION))
        for row, text in zip(rows, texts, strict=True):
            row += _direction(self._seed, "<text>")
            for token in self.tokens(text):
                if token.seen:
                    row += _direction(self._seed, token.text if token.known else "<unknown>")
        return normalised(rows)

    def preprocess(self, image: Image.Image) -> NDArray[np.float32]:
        """float32 [3, 8, 8] in 0..1."""
        if self.mode == "text-text":
            raise no_images(self.identity.name)
        small = image.convert("RGB").resize((_PIXELS, _PIXELS), Image.Resampling.NEAREST)
        return np.ascontiguousarray(np.asarray(small, dtype=np.float32).transpose(2, 0, 1) / 255)

    def encode_prepared(self, batch: NDArray[np.float32]) -> Embeddings:
        """float32 [n, 64], L2-normalised."""
        if self.mode == "text-text":
            raise no_images(self.identity.name)
        rows = [_direction(self._seed, np.ascontiguousarray(image).tobytes()) for image in batch]
        return normalised(np.array(rows, dtype=np.float64).reshape(len(rows), DIMENSION))

    def encode_images(self, images: Sequence[Image.Image]) -> Embeddings:
        """float32 [n, 64], L2-normalised."""
        if self.mode == "text-text":
            raise no_images(self.identity.name)
        if not images:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        return self.encode_prepared(np.stack([self.preprocess(image) for image in images]))


def fake_identity(seed: int, mode: Mode) -> ModelIdentity:
    """The identity of the fake with this seed; its name is the spec that loads it."""
    name = ("fake" if mode == "image-text" else "fake-text") + (f":{seed}" if seed else "")
    facts = (
        ("What it is", "hashes, for tests; its numbers mean nothing"),
        ("Mode", mode),
        ("Seed", str(seed)),
        ("Dimension", str(DIMENSION)),
        ("Context length", str(CONTEXT_LENGTH)),
    )
    digest = content_key({"fake": 1, "facts": [list(fact) for fact in facts]})
    return ModelIdentity(name=name, kind="fake", digest=digest, facts=facts)
