"""Drawing lots: from a seed to a whole scene of the wanted split."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from drawn_world.categories import CATEGORIES, Category
from drawn_world.layout import place_items
from drawn_world.scene import Group, Scene, combination_key
from drawn_world.settings import SETTINGS, Setting
from drawn_world.split import split_of

__all__ = ["categories_in", "sample_scene", "sample_scenes"]

_GROUP_COUNT_WEIGHTS = (0.20, 0.50, 0.30)
_COUNT_WEIGHTS = (0.34, 0.22, 0.18, 0.14, 0.12)
_SIZE_WEIGHTS = (0.24, 0.50, 0.26)
_TIME_WEIGHTS = (0.70, 0.15, 0.15)
_COMMON = frozenset(
    ("dog", "cat", "horse", "car", "bus", "train", "person", "bird", "boat", "bicycle", "truck")
)
_COMMON_WEIGHT = 1.7


def categories_in(setting: Setting) -> tuple[Category, ...]:
    """The categories that can stand somewhere in a setting."""
    return tuple(
        c
        for c in CATEGORIES
        if setting.name not in c.not_in and any(p in setting.places for p in c.places)
    )


def _sample_groups(setting: Setting, rng: np.random.Generator) -> tuple[Group, ...]:
    possible = categories_in(setting)
    how_many = 1 + int(rng.choice(3, p=_GROUP_COUNT_WEIGHTS))
    weights = np.array(
        [_COMMON_WEIGHT if category.name in _COMMON else 1.0 for category in possible]
    )
    chosen = rng.choice(len(possible), size=how_many, replace=False, p=weights / weights.sum())
    groups = []
    for row in chosen:
        category = possible[int(row)]
        count = 1 + int(rng.choice(5, p=_COUNT_WEIGHTS))
        size = ("small", "medium", "large")[int(rng.choice(3, p=_SIZE_WEIGHTS))]
        if count >= 4 and size == "large":
            size = "medium"
        groups.append(Group(category.name, str(rng.choice(category.colours)), count, size))
    return tuple(groups)


def sample_scene(seed: int, index: int, split: str) -> Scene:
    """Scene number `index` of the stream `seed`, with a combination of the split.

    The same arguments give the same scene. Combinations of other splits and layouts that do not fit are
    drawn again, so that the split holds by construction.
    """
    rng = np.random.default_rng([seed, index])
    while True:
        setting = SETTINGS[int(rng.integers(len(SETTINGS)))]
        groups = _sample_groups(setting, rng)
        time = (
            "day"
            if setting.indoor
            else ("day", "sunset", "night")[int(rng.choice(3, p=_TIME_WEIGHTS))]
        )
        if split_of(combination_key(setting.name, groups)) != split:
            continue
        items = place_items(setting, groups, rng)
        if items is not None:
            return Scene((seed, index), setting.name, time, groups, items)


def sample_scenes(seed: int, split: str, count: int, distinct: bool = False) -> Iterator[Scene]:
    """`count` scenes of a stream in index order; `distinct` skips a combination that came before."""
    seen: set[str] = set()
    index = 0
    while count > 0:
        scene = sample_scene(seed, index, split)
        index += 1
        key = combination_key(scene.setting, scene.groups)
        if distinct and key in seen:
            continue
        seen.add(key)
        count -= 1
        yield scene
