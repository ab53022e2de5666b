"""From a scene to its annotations: one for every thing, part and setting region that can be
seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drawn_world.categories import CATEGORIES, CATEGORY_INDEX
from drawn_world.render import id_buffer
from drawn_world.scene import Scene
from drawn_world.settings import PARTS, SETTING_INDEX, SETTINGS

__all__ = ["KINDS", "Annotation", "annotate", "label_synsets"]

#: The kinds of annotation, in the order of their category ids.
KINDS: tuple[str, ...] = ("thing", "part", "setting")

#: Parts and setting regions of fewer visible pixels (at 320 px) are left out; things never are.
_LEAST_AREA_PX = 12


@dataclass(frozen=True, slots=True)
class Annotation:
    """One visible thing, part or setting region.

    `box_xywh_px`: the smallest box around the visible pixels, whole pixels. `area_px`: how many
    pixels are visible. `item`: row in `Scene.items` of the thing, or of the thing that a part
    belongs to; None for backdrops. `colour`, `size`, `depth`, `place` are only known for things.
    """

    kind: str
    name: str
    box_xywh_px: tuple[int, int, int, int]
    area_px: int
    item: int | None = None
    colour: str | None = None
    size: str | None = None
    depth: float | None = None
    place: str | None = None


def label_synsets() -> dict[str, tuple[str, str]]:
    """Every label that an annotation can have -> (its kind, its WordNet 3.0 synset)."""
    labels = {category.name: ("thing", category.synset) for category in CATEGORIES}
    labels |= {name: ("part", synset) for name, synset in PARTS.items() if name != "snow"}
    return labels | {setting.name: ("setting", setting.synset) for setting in SETTINGS}


def _box(mask: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(mask.any(axis=1))[0], np.nonzero(mask.any(axis=0))[0]
    left, top = int(columns[0]), int(rows[0])
    return left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1


def annotate(scene: Scene, size_px: int = 320) -> list[Annotation]:
    """Everything that can be seen in a scene: its things in painter's order, then parts, then the
    setting.

    Raises:
        ValueError: a thing of the scene is wholly hidden (the layout keeps that from happening).
    """
    ids, names = id_buffer(scene, size_px)
    by_item = np.array([-1 if item is None else item for item, _ in names])
    owner = by_item[ids]
    setting = SETTINGS[SETTING_INDEX[scene.setting]]
    things: list[Annotation] = []
    for row, item in enumerate(scene.items):
        mask = owner == row
        if not mask.any():
            raise ValueError(f"scene {scene.seed}: thing {row} is hidden")
        group = scene.groups[item.group]
        name = CATEGORIES[CATEGORY_INDEX[group.category]].name
        things.append(
            Annotation(
                "thing",
                name,
                _box(mask),
                int(mask.sum()),
                row,
                group.colour,
                group.size,
                item.depth,
                item.place,
            )
        )
    least = _LEAST_AREA_PX * (size_px / 320) ** 2
    areas = np.bincount(ids.ravel(), minlength=len(names))
    parts: list[Annotation] = []
    region = np.zeros(ids.shape, bool)
    for number, (owner_row, part_name) in enumerate(names):
        if part_name is None or areas[number] < least:
            continue
        mask = ids == number
        if part_name == setting.region and owner_row is None:
            region |= mask
        if part_name != setting.name:
            parts.append(Annotation("part", part_name, _box(mask), int(areas[number]), owner_row))
    whole = region if setting.region else np.ones(ids.shape, bool)
    return [*things, *parts, Annotation("setting", setting.name, _box(whole), int(whole.sum()))]
