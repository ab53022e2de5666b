"""Counting as a task: five texts that differ in a number only, one of them true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from drawn_world.captions import Description, caption
from drawn_world.categories import CATEGORIES, CATEGORY_INDEX
from drawn_world.phrases import NUMBERS, PhraseStyle
from drawn_world.scene import Group

__all__ = ["CountingTask", "counting_task"]

#: Questions for each true count: in bare words, and in whole sentences.
_BARE, _SENTENCES = 10, 6

_SENTENCE_STYLE = PhraseStyle(number=1.0, hypernym=0.0, one=1.0, slip=0.4)


@dataclass(frozen=True, slots=True)
class CountingTask:
    """n questions "how many?". Texts 5 k to 5 k + 4 say "one" to "five" of picture `pictures[k]`.

    `answers`: the true count less one, shape (n,), int64 in [0, 4].
    """

    texts: list[str]
    pictures: NDArray[np.int64]
    answers: NDArray[np.int64]


def _bare(group: Group, rng: np.random.Generator) -> list[str]:
    """ "one dog" to "five dogs"; in three cases of ten all five have the same form of the noun."""
    category = CATEGORIES[CATEGORY_INDEX[group.category]]
    form = rng.uniform()
    colour = f"{group.colour} " if rng.uniform() < 0.2 else ""
    texts = []
    for number in range(1, 6):
        singular = form < 0.15 or (form >= 0.30 and number == 1)
        texts.append(f"{NUMBERS[number]} {colour}{category.name if singular else category.plural}")
    return texts


def _sentences(about: Description, row: int, seed: int) -> list[str]:
    """Five captions of a scene by the same draws, with one to five things in a group."""
    texts = []
    for number in range(1, 6):
        groups = list(about.groups)
        groups[row] = replace(groups[row], count=number)
        other = replace(about, groups=tuple(groups))
        texts.append(caption(other, np.random.default_rng(seed), _SENTENCE_STYLE).text)
    return texts


def counting_task(abouts: Sequence[Description], rng: np.random.Generator) -> CountingTask:
    """Equally many questions for each true count, so that no number is the better guess."""
    by_count: list[list[tuple[int, int]]] = [[] for _ in range(5)]
    for place, about in enumerate(abouts):
        for row, group in enumerate(about.groups):
            by_count[group.count - 1].append((place, row))
    texts: list[str] = []
    pictures: list[int] = []
    answers: list[int] = []
    for answer, pairs in enumerate(by_count):
        for order, chosen in enumerate(rng.permutation(len(pairs))[: _BARE + _SENTENCES]):
            place, row = pairs[int(chosen)]
            if order < _BARE:
                texts += _bare(abouts[place].groups[row], rng)
            else:
                texts += _sentences(abouts[place], row, int(rng.integers(2**31)))
            pictures.append(place)
            answers.append(answer)
    return CountingTask(texts, np.array(pictures, np.int64), np.array(answers, np.int64))
