"""Where things stand: foot points with perspective, inside the picture, hardly overlapping."""

from __future__ import annotations

import numpy as np

from drawn_world.categories import CATEGORIES, CATEGORY_INDEX, Category
from drawn_world.scene import SIZES, Group, Item
from drawn_world.settings import CANVAS, Setting

__all__ = ["place_items"]

_MARGIN = 4.0
_OVERLAP = 0.08
_TRIES = 24
_FAR, _NEAR = 0.86, 1.10

Rect = tuple[float, float, float, float]


def _overlaps(one: Rect, other: Rect) -> bool:
    """Whether two (left, top, right, bottom) share more than a small part of the smaller one."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return False
    areas = [(r[2] - r[0]) * (r[3] - r[1]) for r in (one, other)]
    return width * height > _OVERLAP * min(areas)


def _reach(category: Category, x: float, y: float, scale: float, flipped: bool) -> Rect:
    left, right = (category.right, category.left) if flipped else (category.left, category.right)
    return (x - left * scale, y - category.top * scale, x + right * scale, y)


def _place_one(
    group_row: int,
    group: Group,
    setting: Setting,
    shrink: float,
    taken: list[Rect],
    rng: np.random.Generator,
) -> tuple[Item, Rect] | None:
    category = CATEGORIES[CATEGORY_INDEX[group.category]]
    places = [place for place in category.places if place in setting.places]
    for _ in range(_TRIES):
        place = places[int(rng.integers(len(places)))]
        top, bottom = setting.places[place]
        depth = float(rng.uniform())
        y = top + depth * (bottom - top)
        perspective = (
            1.0
            if place in ("air", "wall")
            else _FAR + (_NEAR - _FAR) * (y - setting.horizon) / (CANVAS - setting.horizon)
        )
        scale = category.scale * SIZES[group.size] * perspective * shrink
        flipped = bool(rng.uniform() < 0.5)
        x = float(rng.uniform(_MARGIN, CANVAS - _MARGIN))
        reach = _reach(category, x, y, scale, flipped)
        if reach[0] < _MARGIN or reach[2] > CANVAS - _MARGIN or reach[1] < _MARGIN:
            continue
        if any(_overlaps(reach, other) for other in taken):
            continue
        return Item(
            group_row,
            place,
            round(x, 2),
            round(y, 2),
            round(scale, 4),
            flipped,
            round(depth, 3),
            int(rng.integers(2**31)),
        ), reach
    return None


def place_items(
    setting: Setting, groups: tuple[Group, ...], rng: np.random.Generator
) -> tuple[Item, ...] | None:
    """Places for every thing of every group, far to near; None where they do not fit.

    A crowded scene is tried again a little smaller (by at most 14 %, so that size classes stay
    apart).
    """
    order = [(row, group) for row, group in enumerate(groups) for _ in range(group.count)]
    order.sort(
        key=lambda pair: -SIZES[pair[1].size] * CATEGORIES[CATEGORY_INDEX[pair[1].category]].scale
    )
    for shrink in (1.0, 0.93, 0.86):
        taken: list[Rect] = []
        items: list[Item] = []
        for row, group in order:
            placed = _place_one(row, group, setting, shrink, taken, rng)
            if placed is None:
                break
            items.append(placed[0])
            taken.append(placed[1])
        else:
            in_air = ("air", "wall")
            return tuple(sorted(items, key=lambda item: (item.place not in in_air, item.y)))
    return None
