"""What of a text the model reads: how many tokens, what is cut off, what it has no word for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vlmexplain.models.protocol import Encoder, Token
from vlmexplain.perturb.diff import edits_between
from vlmexplain.perturb.seen import Visibility, visibility

Span = tuple[int, int]

SURELY = 1e-4
"""Similarities of texts with equal tokens differ by the noise of a batch, 1e-6, and no more."""


class Reader(Protocol):
    """Whoever takes texts apart as the model does."""

    @property
    def encoder(self) -> Encoder:
        """The model."""
        ...

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The pieces the model reads."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """How a model reads one text.

    Attributes:
        n_tokens: of the whole text, start and end marks included.
        context_length: how many of them the model reads.
        cut_from: the character from which on nothing is read; None when all is.
        n_cut: how many tokens are cut off.
        unknown: spans of words that the model has no embedding of its own for.
    """

    n_tokens: int
    context_length: int
    cut_from: int | None
    n_cut: int
    unknown: tuple[Span, ...]


def read_text(text: str, reader: Reader) -> Reading:
    """How the model reads a text; spans that the tokenizer cannot tell are left out."""
    tokens = reader.tokens(text)
    return Reading(
        n_tokens=reader.encoder.count_tokens(text),
        context_length=reader.encoder.context_length,
        cut_from=_cut_from(text, tokens),
        n_cut=sum(not token.seen for token in tokens),
        unknown=_spans(tokens),
    )


def can_tell_apart(one: str, other: str, gaps: Sequence[float], reader: Reader) -> Visibility:
    """Whether the model can tell two texts apart, and whether the cut is why not.

    Similarities that differ by far more than the noise of a batch settle it; else the tokens
    are compared. Where a change before the cut makes no difference (one unknown word for
    another), it is not the cut that hides it.

    Args:
        one, other: the texts.
        gaps: differences of their similarities with some images; NaN says nothing.
        reader: the model.
    """
    if any(abs(gap) > SURELY for gap in gaps):
        return "seen"
    cut_from = _cut_from(one, reader.tokens(one))
    if _only_past(cut_from, one, other):
        return "past the cut"
    found = visibility(one, other, reader)
    if found != "past the cut":
        return found
    if cut_from is None or all(edit.start >= cut_from for edit in edits_between(one, other)):
        return found
    return "same tokens"


def _only_past(cut_from: int | None, one: str, other: str) -> bool:
    """Whether two texts are the same up to a blank past the cut of the first.

    No token reaches over a blank, so the other text need not be taken apart: a caption of 2,000
    characters has a thousand perturbations past the cut.
    """
    blank = -1 if cut_from is None else one.find(" ", cut_from)
    return blank >= 0 and one != other and other.startswith(one[: blank + 1])


def _cut_from(text: str, tokens: Sequence[Token]) -> int | None:
    cut = [token for token in tokens if not token.seen]
    starts = [token.start for token in cut if token.start is not None]
    return min(starts) if starts else (len(text) if cut else None)


def _spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """The spans of unknown pieces that are read, those that touch or share a letter joined."""
    found: list[Span] = []
    for token in tokens:
        if token.known or not token.seen or token.start is None or token.end is None:
            continue
        if found and token.start <= found[-1][1]:  # one letter may take several pieces
            found[-1] = (found[-1][0], max(found[-1][1], token.end))
        else:
            found.append((token.start, token.end))
    return tuple(found)
