"""Hard negatives: edit the description of a scene and put it in words again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from drawn_world.captions import Caption, Description
from drawn_world.categories import CATEGORIES
from drawn_world.claims import FALSE, SceneTable, truth
from drawn_world.colours import COLOURS
from drawn_world.scene import Group
from drawn_world.settings import SETTINGS

__all__ = ["EDITS", "Renderer", "edited", "false_twin"]

#: Kind of edit -> how often it is tried.
EDITS: dict[str, float] = {
    "category": 0.20,
    "colour": 0.18,
    "number": 0.38,
    "swap colours": 0.19,
    "setting": 0.05,
}

Renderer = Callable[[Description, np.random.Generator], Caption]

_NAMES = tuple(category.name for category in CATEGORIES)
_LGIP = ("dog", "cat", "horse", "car", "bus", "train", "person", "bird", "boat", "bicycle", "truck")
_COLOURS = tuple(COLOURS)
#: New counts are drawn as scenes draw theirs: else "the lower number" would be a good guess.
_COUNTS = (0.34, 0.22, 0.18, 0.14, 0.12)
_KINDS, _WEIGHTS = tuple(EDITS), np.cumsum(list(EDITS.values()))


def _swap_colours(groups: list[Group], rng: np.random.Generator) -> bool:
    rows = [int(row) for row in rng.permutation(len(groups))[:2]]
    if len(rows) < 2 or groups[rows[0]].colour == groups[rows[1]].colour:
        return False
    one, other = groups[rows[0]], groups[rows[1]]
    groups[rows[0]], groups[rows[1]] = (
        replace(one, colour=other.colour),
        replace(other, colour=one.colour),
    )
    return True


def edited(about: Description, kind: str, rng: np.random.Generator) -> Description | None:
    """The description with one thing changed, or None where that kind of edit is not possible."""
    if kind == "setting":
        others = [setting.name for setting in SETTINGS if setting.name != about.setting]
        return replace(about, setting=others[int(rng.integers(len(others)))])
    groups = list(about.groups)
    if kind == "swap colours":
        return replace(about, groups=tuple(groups)) if _swap_colours(groups, rng) else None
    row = int(rng.integers(len(groups)))
    group = groups[row]
    if kind == "category":
        pool = _LGIP if rng.uniform() < 0.4 else _NAMES
        free = [name for name in pool if all(name != other.category for other in groups)]
        groups[row] = replace(group, category=free[int(rng.integers(len(free)))])
    elif kind == "colour":
        colours = [name for name in _COLOURS if name != group.colour]
        groups[row] = replace(group, colour=colours[int(rng.integers(len(colours)))])
    else:
        weights = np.array([0.0 if n == group.count else w for n, w in enumerate(_COUNTS, 1)])
        groups[row] = replace(
            group, count=1 + int(np.searchsorted(np.cumsum(weights / weights.sum()), rng.uniform()))
        )
    return replace(about, groups=tuple(groups))


def false_twin(
    about: Description, render: Renderer, seed: int, table: SceneTable, rng: np.random.Generator
) -> Caption | None:
    """The caption that `render` gives with this seed, with one thing made false; None after four
    failures.

    `table` has the one row of the scene: the twin is checked to be FALSE of it.
    """
    for _ in range(4):
        kind = _KINDS[min(int(np.searchsorted(_WEIGHTS, rng.uniform())), len(_KINDS) - 1)]
        other = edited(about, kind, rng)
        if other is None:
            continue
        twin = render(other, np.random.default_rng(seed))
        if truth([twin.claim], table)[0, 0] == FALSE:
            return twin
    return None
