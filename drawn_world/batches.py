"""Batches for training: augmented pictures, texts of several kinds, and the exact truth of each
text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from drawn_world.captions import (
    Caption,
    Description,
    caption,
    category_query,
    counted_query,
    pair_query,
    short_query,
)
from drawn_world.categories import CATEGORIES
from drawn_world.claims import SceneTable, truth
from drawn_world.counting import CountingTask, counting_task
from drawn_world.dense import middles
from drawn_world.edits import Renderer, false_twin
from drawn_world.phrases import PhraseStyle
from drawn_world.training_set import TrainingSet
from drawn_world.words import TEMPLATES

__all__ = ["Batch", "BatchMaker", "to_input"]

_MEAN = torch.tensor([0.48145466, 0.4578275, 0.40821073]).view(1, 3, 1, 1)
_STD = torch.tensor([0.26862954, 0.26130258, 0.27577711]).view(1, 3, 1, 1)


@dataclass(frozen=True, slots=True)
class Batch:
    """B pictures and their texts.

    `texts` holds, in this order, B whole captions, then 2 B short queries, then the false twins,
    then a query for every category, then the rephrasings. `truths`: shape (texts before the
    rephrasings, B), int8. `twin_of`: for each false twin, the text it was made from; `twin_picture`
    its picture. `rephrased`: for each
    rephrasing, its text. `counting` is None for the plain loss. `places`: see `dense.middles`.
    """

    pictures: NDArray[np.uint8]
    table: SceneTable
    texts: list[str]
    truths: NDArray[np.int8]
    twin_of: NDArray[np.int64]
    twin_picture: NDArray[np.int64]
    rephrased: NDArray[np.int64]
    counting: CountingTask | None
    places: list[NDArray[np.int64]]


def _whole(about: Description, rng: np.random.Generator) -> Caption:
    return caption(about, rng, PhraseStyle(one=0.3, slip=0.4))


def _counted(about: Description, rng: np.random.Generator) -> Caption:
    return counted_query(about, rng, slip=0.4)


def to_input(pictures: NDArray[np.uint8]) -> torch.Tensor:
    """Pictures (n, size, size, 3) uint8 as the normalised float input of the image tower, channels
    last."""
    tensor = torch.from_numpy(pictures).permute(0, 3, 1, 2).float().div_(255.0)
    return ((tensor - _MEAN) / _STD).contiguous(memory_format=torch.channels_last)


def _augment(
    picture: NDArray[np.uint8], rng: np.random.Generator, reach: int = 6
) -> tuple[NDArray[np.uint8], tuple[bool, float, float]]:
    mirrored = bool(rng.uniform() < 0.5)
    if mirrored:
        picture = picture[:, ::-1]
    down, right = (int(v) for v in rng.integers(-reach, reach + 1, 2))
    size = picture.shape[0]
    rows = np.clip(np.arange(size) + down, 0, size - 1)
    columns = np.clip(np.arange(size) + right, 0, size - 1)
    moved: NDArray[np.uint8] = picture[rows[:, None], columns[None, :]]
    return moved, (mirrored, down / size, right / size)


def _light(pictures: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    gain = rng.uniform(0.92, 1.08, (len(pictures), 1, 1, 1)).astype(np.float32)
    shift = rng.uniform(-10, 10, (len(pictures), 1, 1, 1)).astype(np.float32)
    lit: NDArray[np.uint8] = np.clip(pictures * gain + shift, 0, 255).astype(np.uint8)
    return lit


class BatchMaker:
    """Makes batch number `step` of a run: the same number gives the same batch."""

    def __init__(self, data: TrainingSet, batch: int, seed: int, hard: bool = True) -> None:
        self.data, self.batch, self.seed, self.hard = data, batch, seed, hard
        self.table = SceneTable.of(data.scenes)

    def _rows(self, step: int) -> NDArray[np.int64]:
        per_epoch = len(self.data.scenes) // self.batch
        epoch, place = divmod(step, per_epoch)
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.data.scenes))
        return order[place * self.batch : (place + 1) * self.batch]

    def __call__(self, step: int) -> Batch:
        """The batch of a step."""
        rng = np.random.default_rng([self.seed, step, 1])
        rows = self._rows(step)
        table = self.table.rows(rows)
        moved = [_augment(self.data.picture(int(row)), rng) for row in rows]
        pictures = _light(np.stack([picture for picture, _ in moved]), rng)
        places = [
            middles(self.data.scenes[int(row)], *how)
            for row, (_, how) in zip(rows, moved, strict=True)
        ]
        abouts = [Description.of(self.data.scenes[int(row)]) for row in rows]
        whole: list[Caption] = []
        short: list[Caption] = []
        twins: list[Caption] = []
        twin_of: list[int] = []
        twin_picture: list[int] = []
        for place, row in enumerate(rows):
            about = abouts[place]
            seeds = [int(v) for v in rng.integers(2**31, size=3)]
            whole.append(_whole(about, np.random.default_rng(seeds[0])))
            second: Renderer = (
                pair_query if len(about.groups) > 1 and rng.uniform() < 0.5 else _counted
            )
            short.append(short_query(about, rng))
            short.append(second(about, np.random.default_rng(seeds[1])))
            if not self.hard:
                continue
            own = self.table.rows(np.array([int(row)]))
            for anchor, render, seed in (
                (place, _whole, seeds[0]),
                (place, _whole, seeds[0]),
                (self.batch + 2 * place + 1, second, seeds[1]),
            ):
                twin = false_twin(about, render, seed, own, rng)
                if twin is not None:
                    twins.append(twin)
                    twin_of.append(anchor)
                    twin_picture.append(place)
        queries = [category_query(c.name, rng) for c in CATEGORIES] if self.hard else []
        captions = whole + short + twins + queries
        texts = [
            self._frame(c.text, 0.35 if position < self.batch else 0.12, rng)
            for position, c in enumerate(captions)
        ]
        rephrased = (
            rng.choice(self.batch, self.batch // 3, replace=False)
            if self.hard
            else np.zeros(0, np.int64)
        )
        for text in rephrased:
            texts[int(text)] = captions[int(text)].text + ("." if rng.uniform() < 0.7 else "")
            texts.append(TEMPLATES[int(rng.integers(8))].format(texts[int(text)]))
        counting = counting_task(abouts, rng) if self.hard else None
        truths = truth([c.claim for c in captions], table)
        return Batch(
            pictures,
            table,
            texts,
            truths,
            np.array(twin_of, np.int64),
            np.array(twin_picture, np.int64),
            rephrased.astype(np.int64),
            counting,
            places,
        )

    @staticmethod
    def _frame(text: str, chance: float, rng: np.random.Generator) -> str:
        if rng.uniform() < 0.5:
            text += "."
        return (
            TEMPLATES[int(rng.integers(len(TEMPLATES)))].format(text)
            if rng.uniform() < chance
            else text
        )
