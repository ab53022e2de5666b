"""Counting as a task: five texts that differ in the number word only, one of them true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.demo.captions import Description
from vlmexplain.demo.categories import CATEGORIES, CATEGORY_INDEX
from vlmexplain.demo.phrases import NUMBERS

__all__ = ["CountingTask", "counting_task"]

_EACH = 16


@dataclass(frozen=True, slots=True)
class CountingTask:
    """n questions "how many?". Texts 5 k to 5 k + 4 say "one" to "five" of picture `pictures[k]`.

    `answers`: the true count less one, shape (n,), int64 in [0, 4].
    """

    texts: list[str]
    pictures: NDArray[np.int64]
    answers: NDArray[np.int64]


def counting_task(abouts: Sequence[Description], rng: np.random.Generator) -> CountingTask:
    """At most 16 questions for each true count, so that no number is the better guess.

    In three questions of ten the noun has the same form in all five texts ("one dogs", "two dogs"):
    the number word has to be understood by itself.
    """
    by_count: list[list[tuple[int, int]]] = [[] for _ in range(5)]
    for place, about in enumerate(abouts):
        for row, group in enumerate(about.groups):
            by_count[group.count - 1].append((place, row))
    texts: list[str] = []
    pictures: list[int] = []
    answers: list[int] = []
    for answer, pairs in enumerate(by_count):
        for chosen in rng.permutation(len(pairs))[:_EACH]:
            place, row = pairs[int(chosen)]
            group = abouts[place].groups[row]
            category = CATEGORIES[CATEGORY_INDEX[group.category]]
            form = rng.uniform()
            colour = f"{group.colour} " if rng.uniform() < 0.2 else ""
            for number in range(1, 6):
                singular = form < 0.15 or (form >= 0.30 and number == 1)
                noun = category.name if singular else category.plural
                texts.append(f"{NUMBERS[number]} {colour}{noun}")
            pictures.append(place)
            answers.append(answer)
    return CountingTask(texts, np.array(pictures, np.int64), np.array(answers, np.int64))
