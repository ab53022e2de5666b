"""A scene as data: what is in it, where it stands, and nothing about pixels."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SIZES", "Group", "Item", "Scene", "combination_key"]

#: Size class -> factor on a category's own scale.
SIZES: dict[str, float] = {"small": 0.62, "medium": 1.0, "large": 1.5}


@dataclass(frozen=True, slots=True)
class Group:
    """`count` (1 to 5) things of one category that share a colour and a size class."""

    category: str
    colour: str
    count: int
    size: str


@dataclass(frozen=True, slots=True)
class Item:
    """One drawn thing: group row, foot point and scale in canvas units, mirrored or not, looks seed.

    `depth` is in [0, 1]: 0 is the far edge of the spot it stands in, 1 the near edge.
    """

    group: int
    place: str
    x: float
    y: float
    scale: float
    flipped: bool
    depth: float
    seed: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole scene. Groups have distinct categories; items are in painter's order (far to near)."""

    seed: tuple[int, int]
    setting: str
    time: str
    groups: tuple[Group, ...]
    items: tuple[Item, ...]


def combination_key(setting: str, groups: tuple[Group, ...]) -> str:
    """The combination that a scene shows: the setting and, in name order, every (count, colour, category).

    Two scenes with equal keys differ only in layout, size classes, time of day and jitter.
    """
    return "|".join(
        [setting, *sorted(f"{group.category},{group.colour},{group.count}" for group in groups)]
    )
