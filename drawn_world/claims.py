"""What a caption says, as data, and of which scenes it is true.

A claim is a conjunction: every mention, the setting and the time must hold. Truth has three values,
because human words are vague: "small dogs" is neither plainly true nor plainly false of
middle-sized ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drawn_world.categories import CATEGORIES, CATEGORY_INDEX
from drawn_world.colours import COLOURS
from drawn_world.scene import SIZES, Scene
from drawn_world.settings import SETTING_INDEX, TIMES

__all__ = ["FALSE", "TRUE", "UNSURE", "Claim", "Mention", "SceneTable", "truth"]

#: The three truth values of `truth`.
FALSE, UNSURE, TRUE = 0, 1, 2

_COLOUR_INDEX = {name: row for row, name in enumerate(COLOURS)}
_SIZE_INDEX = {name: row for row, name in enumerate(SIZES)}


@dataclass(frozen=True, slots=True)
class Mention:
    """ "At least `low` and at most `high` things of these categories, of that colour and size".

    Empty `categories` means things of any kind. `vague` marks counts that are not exact ("some
    dogs"): a count outside the range is then UNSURE, not FALSE, as long as there is one such thing.
    """

    categories: tuple[str, ...]
    colour: str | None = None
    low: int = 1
    high: int = 25
    size: str | None = None
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """Everything that a caption says."""

    mentions: tuple[Mention, ...] = ()
    setting: str | None = None
    time: str | None = None


@dataclass(frozen=True, slots=True)
class SceneTable:
    """Scenes in columns. C categories; `colour` and `size` are -1 where the category is absent.

    `count`, `colour`, `size`: shape (scenes, C), int8; `setting`, `time`: shape (scenes,), int8.
    """

    count: NDArray[np.int8]
    colour: NDArray[np.int8]
    size: NDArray[np.int8]
    setting: NDArray[np.int8]
    time: NDArray[np.int8]

    @classmethod
    def of(cls, scenes: Sequence[Scene]) -> SceneTable:
        """The table of some scenes, in their order."""
        shape = (len(scenes), len(CATEGORIES))
        count, colour, size = (
            np.zeros(shape, np.int8),
            np.full(shape, -1, np.int8),
            np.full(shape, -1, np.int8),
        )
        for row, scene in enumerate(scenes):
            for group in scene.groups:
                column = CATEGORY_INDEX[group.category]
                count[row, column] = group.count
                colour[row, column] = _COLOUR_INDEX[group.colour]
                size[row, column] = _SIZE_INDEX[group.size]
        setting = np.array([SETTING_INDEX[scene.setting] for scene in scenes], np.int8)
        time = np.array([TIMES.index(scene.time) for scene in scenes], np.int8)
        return cls(count, colour, size, setting, time)

    def rows(self, index: NDArray[np.int64]) -> SceneTable:
        """The table of the chosen rows."""
        return SceneTable(
            self.count[index],
            self.colour[index],
            self.size[index],
            self.setting[index],
            self.time[index],
        )


def _mention_truth(mention: Mention, table: SceneTable) -> NDArray[np.int8]:
    columns = (
        [CATEGORY_INDEX[name] for name in mention.categories] if mention.categories else slice(None)
    )
    count = table.count[:, columns].astype(np.int64)
    fits = count > 0
    if mention.colour is not None:
        fits &= table.colour[:, columns] == _COLOUR_INDEX[mention.colour]
    near = fits
    if mention.size is not None:
        apart = np.abs(table.size[:, columns] - _SIZE_INDEX[mention.size])
        near = fits & (apart <= 1)
        fits = fits & (apart == 0)
    exact_total, near_total = (count * fits).sum(axis=1), (count * near).sum(axis=1)
    holds = (exact_total >= mention.low) & (exact_total <= mention.high)
    unsure = (near_total >= mention.low) & (near_total <= mention.high)
    if mention.vague:
        unsure |= near_total > 0
    return np.where(holds, TRUE, np.where(unsure, UNSURE, FALSE)).astype(np.int8)


def truth(claims: Sequence[Claim], table: SceneTable) -> NDArray[np.int8]:
    """Of which scenes each claim is true.

    Returns:
        FALSE, UNSURE or TRUE, shape (claims, scenes), int8; a claim that says nothing is TRUE of
        all.
    """
    result = np.full((len(claims), len(table.setting)), TRUE, np.int8)
    for row, claim in enumerate(claims):
        for mention in claim.mentions:
            np.minimum(result[row], _mention_truth(mention, table), out=result[row])
        if claim.setting is not None:
            result[row, table.setting != SETTING_INDEX[claim.setting]] = FALSE
        if claim.time is not None:
            result[row, table.time != TIMES.index(claim.time)] = FALSE
    return result
