"""What every model offers, whatever its family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.errors import ModelError
from vlmexplain.records import ModelIdentity

Mode = Literal["image-text", "text-text"]
"""Whether a model compares a caption with images, or with other captions."""

Embeddings = NDArray[np.float32]
"""float32 [n, d], each row of length 1."""


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a text as the model reads it, without start, end and padding marks.

    Attributes:
        text: how the tokenizer writes the piece (lower-cased, normalised).
        start, end: the span in the text as it was given, in characters, end exclusive; None
            when the tokenizer changed the text so much that it cannot be told.
        seen: False when the piece lies past the context length and is cut off.
        known: False when the model has no embedding of its own for the piece.
    """

    text: str
    start: int | None
    end: int | None
    seen: bool = True
    known: bool = True


@runtime_checkable
class Encoder(Protocol):
    """A loaded model. Every method may be called from any number of threads at once.

    The embedding of a text or image does not depend on what else is in its batch, beyond
    float noise of 1e-6.
    """

    @property
    def identity(self) -> ModelIdentity:
        """What decides the numbers this model gives; part of every cache key."""
        ...

    @property
    def mode(self) -> Mode:
        """``image-text``, or ``text-text`` for a model that reads no images."""
        ...

    @property
    def dimension(self) -> int:
        """d, the length of an embedding."""
        ...

    @property
    def context_length(self) -> int:
        """How many tokens the model reads, start and end marks included."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> Embeddings:
        """float32 [n, d], L2-normalised, in the order given; [0, d] for no texts."""
        ...

    def preprocess(self, image: Image.Image) -> NDArray[np.float32]:
        """The array that `encode_prepared` takes for an RGB image: CPU work, holds no lock.

        It can be pickled, so that other processes can decode and preprocess.

        Raises:
            UnfitPicture: the model cannot take this one.
            ModelError: the model reads no images.
        """
        ...

    def encode_prepared(self, batch: NDArray[np.float32]) -> Embeddings:
        """float32 [n, d], L2-normalised, of n stacked results of `preprocess`.

        Raises:
            ModelError: the model reads no images.
        """
        ...

    def encode_images(self, images: Sequence[Image.Image]) -> Embeddings:
        """float32 [n, d], L2-normalised, in the order given; [0, d] for no images.

        Raises:
            ModelError: the model reads no images.
        """
        ...

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The pieces the model reads, in order, those that are cut off included."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the whole text with start and end marks; cut when > `context_length`."""
        ...


class UnfitPicture(ModelError):
    """A picture that a model cannot take, though it can be read; a run goes on without it."""


def no_images(name: str) -> ModelError:
    """The error of a text-text model that was given an image."""
    return ModelError(
        f"the model {name!r} compares texts with texts and reads no images.",
        remedy="Choose an image-text model, such as an open_clip one.",
    )


def normalised(vectors: NDArray[np.floating]) -> Embeddings:
    """Each row scaled to length 1 (computed in float64); a row of zeros stays zeros.

    >>> normalised(np.array([[3.0, 4.0]])).tolist() == [[np.float32(0.6), np.float32(0.8)]]
    True
    """
    wide = vectors.astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(length > 0, length, 1.0)).astype(np.float32)
