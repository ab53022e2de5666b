"""Whether the model can see an edit at all: text past its context length is cut off.

An edit that is not seen says nothing about the model's sensitivity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

TIE = 1e-6
"""Similarities this close are a tie: less than the noise of a batch."""

Visibility = Literal["seen", "past the cut", "same tokens"]
"""``past the cut``: the texts differ only beyond the context length. ``same tokens``: the
tokenizer makes the same of both (such as "A BALL" and "a ball")."""


class TokenLike(Protocol):
    """What is read of a token."""

    @property
    def text(self) -> str:
        """The piece as the tokenizer writes it."""
        ...

    @property
    def seen(self) -> bool:
        """False when it is cut off."""
        ...

    @property
    def known(self) -> bool:
        """False when the model has no embedding of its own for it."""
        ...


class TokenReader(Protocol):
    """The part of a model that reads text; every Encoder is one."""

    def tokens(self, text: str) -> Sequence[TokenLike]:
        """The pieces the model reads, those that are cut off included."""
        ...


def visibility(one: str, other: str, reader: TokenReader) -> Visibility:
    """Whether the model can tell two texts apart, by the tokens that it reads of them."""
    left, right = reader.tokens(one), reader.tokens(other)
    if _read(left) != _read(right):
        return "seen"
    cut = any(not token.seen for token in (*left, *right))
    return "past the cut" if cut else "same tokens"


def _read(tokens: Sequence[TokenLike]) -> list[str | None]:
    return [token.text if token.known else None for token in tokens if token.seen]


def is_tie(one: float, other: float) -> bool:
    """Whether two similarities are equal within 1e-6."""
    return abs(one - other) <= TIE
