"""Where scenes play: eight settings, their regions and the parts that can be seen in them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PARTS", "SETTINGS", "SETTING_INDEX", "TIMES", "Setting"]

#: The canvas is a square of this many units; `places` below are in these units.
CANVAS = 320.0

#: Times of day, outdoors only; indoor scenes are always "day".
TIMES: tuple[str, ...] = ("day", "sunset", "night")


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of place.

    `places` maps a kind of spot to (top, bottom): the range of the y of foot points, in canvas units.
    `region` is the part that carries the setting's own name in the annotations ("" for the whole picture).
    `phrases` follow the things in a caption ("a dog in a meadow"); `words` are names of the setting.
    """

    name: str
    synset: str
    indoor: bool
    horizon: float
    places: dict[str, tuple[float, float]]
    region: str
    phrases: tuple[str, ...]
    words: tuple[str, ...]


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "meadow",
        "meadow.n.01",
        False,
        138,
        {"land": (178, 306), "air": (72, 138)},
        "grass",
        ("in a meadow", "in a grassy field", "in the meadow", "in a green field"),
        ("meadow", "grassy field"),
    ),
    Setting(
        "street",
        "street.n.01",
        False,
        158,
        {"land": (192, 306), "air": (66, 120)},
        "road",
        ("on a street", "on the street", "in the city", "on a city street", "on the road"),
        ("street", "city street"),
    ),
    Setting(
        "beach",
        "beach.n.01",
        False,
        118,
        {"land": (206, 306), "water": (134, 176), "air": (66, 112)},
        "sand",
        ("on the beach", "on a beach", "on a sandy beach", "by the sea"),
        ("beach", "sandy beach"),
    ),
    Setting(
        "lake",
        "lake.n.01",
        False,
        122,
        {"land": (276, 308), "water": (150, 248), "air": (66, 118)},
        "water",
        ("by a lake", "at the lake", "at a lake", "by the lake"),
        ("lake",),
    ),
    Setting(
        "snow",
        "snow.n.02",
        False,
        142,
        {"land": (180, 306), "air": (70, 138)},
        "snow",
        ("in the snow", "on a snowy field", "in a snowy landscape"),
        ("snow", "snowy landscape"),
    ),
    Setting(
        "desert",
        "desert.n.01",
        False,
        150,
        {"land": (186, 306), "air": (70, 140)},
        "sand",
        ("in the desert", "in a desert", "in a dry desert"),
        ("desert",),
    ),
    Setting(
        "living room",
        "living_room.n.01",
        True,
        196,
        {"floor": (212, 308), "wall": (84, 168)},
        "",
        ("in a living room", "in the living room", "inside a living room"),
        ("living room",),
    ),
    Setting(
        "kitchen",
        "kitchen.n.01",
        True,
        164,
        {"counter": (196, 308), "wall": (76, 146)},
        "",
        ("in a kitchen", "in the kitchen", "on a kitchen table", "on the kitchen table"),
        ("kitchen",),
    ),
)

#: Setting name -> its row in `SETTINGS`.
SETTING_INDEX: dict[str, int] = {setting.name: row for row, setting in enumerate(SETTINGS)}

#: Annotated part -> its WordNet 3.0 synset.
PARTS: dict[str, str] = {
    "sky": "sky.n.01",
    "cloud": "cloud.n.02",
    "sun": "sun.n.01",
    "moon": "moon.n.01",
    "mountain": "mountain.n.01",
    "grass": "grass.n.01",
    "road": "road.n.01",
    "sidewalk": "sidewalk.n.01",
    "building": "building.n.01",
    "sea": "sea.n.01",
    "water": "water.n.02",
    "sand": "sand.n.01",
    "snow": "snow.n.02",
    "cactus": "cactus.n.01",
    "wall": "wall.n.01",
    "floor": "floor.n.01",
    "rug": "rug.n.01",
    "picture": "picture.n.01",
    "table": "table.n.02",
    "shelf": "shelf.n.01",
    "window": "window.n.01",
    "door": "door.n.01",
    "roof": "roof.n.01",
    "wheel": "wheel.n.01",
    "sail": "sail.n.01",
    "face": "face.n.01",
}
