"""The bars of the demo model, measured on a test gallery: pure functions over embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from drawn_world.categories import CATEGORIES, CATEGORY_INDEX
from drawn_world.phrases import NUMBERS, a_or_an
from drawn_world.reading import Seen, contradicts, read_caption
from drawn_world.testset import TestSet
from drawn_world.watch import average_precision

__all__ = ["BARS", "Embedder", "Score", "Substitute", "evaluate", "known_false"]

Matrix = NDArray[np.float32]

#: Score name -> (bar, whether the score must be at least the bar; else at most).
BARS: dict[str, tuple[float, bool]] = {
    "R@1": (0.60, True),
    "R@10": (0.92, True),
    "positive rate, object flips": (0.88, True),
    "positive rate, color flips": (0.88, True),
    "positive rate, number flips": (0.78, True),
    "invariance error": (0.02, False),
    "mAP of short queries": (0.75, True),
    "swapped colours told apart": (0.70, True),
}

#: (caption, kind of flip: "object", "color" or "number") -> the flipped caption, None where it has
#: none.
Substitute = Callable[[str, str], str | None]


class Embedder(Protocol):
    """The two methods that are needed of a model; both give unit rows, float32 (n, d)."""

    def encode_texts(self, texts: Sequence[str]) -> Matrix:
        """Embeddings of texts."""
        ...

    def encode_images(self, images: Sequence[Image.Image]) -> Matrix:
        """Embeddings of pictures."""
        ...


@dataclass(frozen=True, slots=True)
class Score:
    """One measured number: `value` in [0, 1] over `cases` cases; None where there were none."""

    name: str
    value: float | None
    cases: int

    @property
    def met(self) -> bool | None:
        """Whether its bar is met; None where it has no bar or no value."""
        if self.name not in BARS or self.value is None:
            return None
        bar, at_least = BARS[self.name]
        return self.value >= bar if at_least else self.value <= bar


def _mean(name: str, values: Sequence[float] | NDArray[np.float64]) -> Score:
    return Score(name, float(np.mean(values)) if len(values) else None, len(values))


def known_false(caption: str, seen: Seen) -> bool:
    """Whether the annotations contradict a caption that was changed word by word.

    Words that do not fit the grammar ("two dog") are read as well as they can be; a caption with no
    reading at all is not known to be false.
    """
    return contradicts(read_caption(caption), seen) is not None


def _retrieval(texts: Matrix, images: Matrix, data: TestSet) -> list[Score]:
    own = np.array(data.picture_of)
    similarity = texts @ images.T
    ranks = (similarity > similarity[np.arange(len(own)), own][:, None]).sum(axis=1)
    return [_mean(f"R@{k}", (ranks < k).astype(float)) for k in (1, 5, 10)]


def _flips(
    model: Embedder, own: Matrix, images: Matrix, data: TestSet, flip: Substitute
) -> list[Score]:
    scores = []
    for kind in ("object", "color", "number"):
        rows, texts = [], []
        for row, caption in enumerate(data.captions):
            changed = flip(caption, kind)
            if changed is not None and known_false(changed, data.seen[data.picture_of[row]]):
                rows.append(row)
                texts.append(changed)
        if not rows:
            scores.append(Score(f"positive rate, {kind} flips", None, 0))
            continue
        pictures = images[np.array(data.picture_of)[rows]]
        gap = ((own[rows] - model.encode_texts(texts)) * pictures).sum(axis=1)
        scores.append(_mean(f"positive rate, {kind} flips", (gap > 0).astype(float)))
        scores.append(_mean(f"gap, {kind} flips", gap.astype(float)))
    return scores


def _invariance(
    model: Embedder,
    own: Matrix,
    images: Matrix,
    data: TestSet,
    paraphrases: Callable[[str], Sequence[str]],
) -> Score:
    rows = [row for row, caption in enumerate(data.captions) for _ in paraphrases(caption)]
    texts = [text for caption in data.captions for text in paraphrases(caption)]
    pictures = images[np.array(data.picture_of)[rows]]
    shift = ((own[rows] - model.encode_texts(texts)) * pictures).sum(axis=1)
    return _mean("invariance error", np.abs(shift).astype(float))


def _short_queries(model: Embedder, images: Matrix, data: TestSet) -> Score:
    present = np.array([[c.name in seen.things for c in CATEGORIES] for seen in data.seen])
    similarity = model.encode_texts([a_or_an(c.name) for c in CATEGORIES]) @ images.T
    values = [
        average_precision(similarity[row], present[:, row])
        for row in range(len(CATEGORIES))
        if present[:, row].any()
    ]
    return _mean("mAP of short queries", values)


def _coloured(name: str, count: int, colour: str) -> str:
    category = CATEGORIES[CATEGORY_INDEX[name]]
    if name == "person":
        return f"a person in {colour}" if count == 1 else f"people in {colour}"
    return a_or_an(f"{colour} {name}") if count == 1 else f"{colour} {category.plural}"


def _swaps(model: Embedder, images: Matrix, data: TestSet) -> list[Score]:
    rows, alone, right, wrong = [], [], [], []
    for row, seen in enumerate(data.seen):
        things = list(seen.things.items())
        for one in range(len(things)):
            for other in range(one + 1, len(things)):
                (name, (count, colour, _)), (name2, (count2, colour2, _)) = (
                    things[one],
                    things[other],
                )
                if colour == colour2:
                    continue
                rows.append(row)
                alone.append(count == 1 and count2 == 1)
                right.append(
                    f"{_coloured(name, count, colour)} and {_coloured(name2, count2, colour2)}"
                )
                wrong.append(
                    f"{_coloured(name, count, colour2)} and {_coloured(name2, count2, colour)}"
                )
    if not rows:
        return [Score("swapped colours told apart", None, 0)]
    gap = (model.encode_texts(right) - model.encode_texts(wrong)) * images[rows]
    told = (gap.sum(axis=1) > 0).astype(float)
    return [
        _mean("swapped colours told apart", told),
        _mean("swapped colours told apart, one thing each", told[np.array(alone)]),
    ]


def _counts(model: Embedder, images: Matrix, data: TestSet) -> list[Score]:
    """Which of "one dog" to "five dogs" is nearest to a picture, for each group of each picture."""
    groups = [
        (row, CATEGORIES[CATEGORY_INDEX[name]], count, size)
        for row, seen in enumerate(data.seen)
        for name, (count, _, size) in seen.things.items()
    ]
    texts = [
        f"{NUMBERS[number]} {category.name if number == 1 else category.plural}"
        for _, category, _, _ in groups
        for number in range(1, 6)
    ]
    if not groups:
        return [Score("number taken of one to five", None, 0)]
    pictures = images[[row for row, *_ in groups]]
    asked = model.encode_texts(texts).reshape(len(groups), 5, -1)
    taken = 1 + np.einsum("gnd,gd->gn", asked, pictures).argmax(axis=1)
    error = np.abs(taken - np.array([count for _, _, count, _ in groups]))
    sizes = np.array([size for *_, size in groups])
    return [
        _mean("number taken of one to five, exact", (error == 0).astype(float)),
        _mean("number taken of one to five, within one", (error <= 1).astype(float)),
        *(
            _mean(f"number exact, {size} things", (error[sizes == size] == 0).astype(float))
            for size in ("small", "medium", "large")
        ),
    ]


def best_possible(data: TestSet) -> Score:
    """R@1 of a reader who knows the annotations and guesses where a caption is true of several
    pictures."""
    readings = [read_caption(caption) for caption in data.captions]
    fitting = [sum(contradicts(r, seen) is None for seen in data.seen) for r in readings]
    return _mean("R@1 of the annotations themselves", [1.0 / max(1, n) for n in fitting])


def evaluate(
    model: Embedder,
    data: TestSet,
    flip: Substitute,
    paraphrases: Callable[[str], Sequence[str]],
) -> list[Score]:
    """Every score of a model on a gallery, those with bars (`BARS`) and some beside them."""
    batches = range(0, len(data.files), 100)
    images = np.concatenate(
        [
            model.encode_images([data.picture(r) for r in range(s, min(s + 100, len(data.files)))])
            for s in batches
        ]
    )
    own = model.encode_texts(data.captions)
    return [
        *_retrieval(own, images, data),
        *_flips(model, own, images, data, flip),
        _invariance(model, own, images, data, paraphrases),
        _short_queries(model, images, data),
        *_swaps(model, images, data),
        *_counts(model, images, data),
    ]
