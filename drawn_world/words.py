"""Tokens: open_clip's own, and the compact table of those that occur in training."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from open_clip.tokenizer import SimpleTokenizer

from drawn_world.captions import Description, caption, counted_query, pair_query, short_query
from drawn_world.edits import EDITS, edited
from drawn_world.sample import sample_scenes

__all__ = ["CONTEXT_LENGTH", "TEMPLATES", "Vocabulary", "known_token_ids"]

#: Tokens that a text may have, with the two markers; longer texts are cut.
CONTEXT_LENGTH = 32

#: Frames that leave the meaning alone: LGIP's eight paraphrase templates first, then some of our
#: own.
TEMPLATES: tuple[str, ...] = (
    "a photo of {}",
    "an image of {}",
    "a picture of {}",
    "{} in the scene",
    "a scene showing {}",
    "In this image, {}",
    "In the picture, {}",
    "This image shows {}",
    "a drawing of {}",
    "an illustration of {}",
    "a photo of the {}",
    "{} in the picture",
    "there is {}",
)

_PIECES = re.compile(r"\w+|[^\s\w]+")


@lru_cache(maxsize=1)
def _tokenizer() -> SimpleTokenizer:
    return SimpleTokenizer(context_length=CONTEXT_LENGTH)


@lru_cache(maxsize=65536)
def _word_ids(word: str) -> tuple[int, ...]:
    return tuple(_tokenizer().encode(word))


def token_ids(text: str) -> list[int]:
    """open_clip's token ids of a text with both markers, cut to the context length."""
    tokenizer = _tokenizer()
    ids = [tokenizer.sot_token_id]
    for word in _PIECES.findall(text.lower()):
        ids.extend(_word_ids(word))
    return [*ids[: CONTEXT_LENGTH - 1], tokenizer.eot_token_id]


def known_token_ids(scenes: int = 4000, seed: int = 91) -> NDArray[np.int32]:
    """The ascending ids of every token in a large sample of training texts."""
    rng = np.random.default_rng(seed)
    known: set[int] = set()
    for scene in sample_scenes(seed, "train", scenes):
        about = Description.of(scene)
        texts = [caption(about, rng).text for _ in range(3)] + [
            short_query(about, rng).text for _ in range(5)
        ]
        for kind in EDITS:
            other = edited(about, kind, rng)
            if other is not None:
                texts += [
                    caption(other, rng).text,
                    pair_query(other, rng).text,
                    counted_query(other, rng).text,
                ]
        for text in texts:
            known.update(token_ids(text))
    for template in TEMPLATES:
        known.update(token_ids(template.format("a dog.")))
    return np.array(sorted(known), np.int32)


class Vocabulary:
    """Compact ids: the row of a known token, or `unknown` (the last row) for every other token."""

    def __init__(self, known: NDArray[np.int32]) -> None:
        self.known = known
        self.unknown = len(known)
        self._row = {int(token): row for row, token in enumerate(known)}

    def encode(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Compact ids of texts, zero padded.

        Returns:
            ids: shape (texts, longest), int64; ends: position of each text's end marker, shape
            (texts,), int64.
        """
        rows = [[self._row.get(token, self.unknown) for token in token_ids(text)] for text in texts]
        ends = np.array([len(row) - 1 for row in rows], np.int64)
        ids = np.zeros((len(rows), int(ends.max()) + 1), np.int64)
        for position, row in enumerate(rows):
            ids[position, : len(row)] = row
        return ids, ends
