"""The 38 kinds of things that scenes are made of, as one table."""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drawn_world import sprites_animals as animals
from drawn_world import sprites_food as food
from drawn_world import sprites_home as home
from drawn_world import sprites_people as people
from drawn_world import sprites_things as things
from drawn_world import sprites_vehicles as vehicles
from drawn_world.colours import Ink

__all__ = ["CATEGORIES", "CATEGORY_INDEX", "HYPERNYMS", "Category"]


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of thing: its words, its WordNet 3.0 synset, its colours, where it stands and its size.

    `left`, `right` and `top` bound the sprite in sprite units around its foot point (0, 0);
    `scale` is canvas units per sprite unit at medium size; `places` are keys of `Setting.places`.
    """

    name: str
    plural: str
    synset: str
    colours: tuple[str, ...]
    places: tuple[str, ...]
    left: float
    right: float
    top: float
    scale: float
    draw: Callable[[Ink], str]
    synonyms: tuple[tuple[str, str], ...] = ()
    not_in: tuple[str, ...] = ()


_BRIGHT = ("red", "blue", "green", "yellow", "orange", "pink", "purple")
_ALL = ("red", "blue", "green", "yellow", "black", "white", "brown", "gray", "orange", "pink", "purple")
_LAND = ("land",)
_ROOM = ("land", "floor")
_TABLE = ("counter",)

CATEGORIES: tuple[Category, ...] = (
    Category("dog", "dogs", "dog.n.01", ("black", "white", "brown", "gray", "yellow"), _ROOM, 58, 74, 92, 0.78, animals.dog),
    Category("cat", "cats", "cat.n.01", ("black", "white", "gray", "orange", "brown"), _ROOM, 60, 66, 88, 0.72, animals.cat),
    Category("horse", "horses", "horse.n.01", ("black", "white", "brown", "gray"), _LAND, 62, 84, 133, 0.72, animals.horse),
    Category("cow", "cows", "cow.n.01", ("black", "white", "brown"), _LAND, 64, 80, 103, 0.78, animals.cow, (), ("beach",)),
    Category("sheep", "sheep", "sheep.n.01", ("white", "black", "gray", "brown"), _LAND, 50, 55, 77, 0.86, animals.sheep),
    Category("elephant", "elephants", "elephant.n.01", ("gray", "brown"), _LAND, 66, 90, 105, 0.92, animals.elephant, (), ("snow",)),
    Category("rabbit", "rabbits", "rabbit.n.01", ("white", "gray", "brown", "black"), _ROOM, 38, 42, 106, 0.66, animals.rabbit, (("bunny", "bunnies"),), ("street",)),
    Category("bird", "birds", "bird.n.01", ("red", "blue", "yellow", "green", "white", "black", "orange", "pink", "purple", "brown"), ("air",), 60, 57, 90, 0.62, animals.bird),
    Category("duck", "ducks", "duck.n.01", ("white", "yellow", "brown", "black", "green"), ("water",), 56, 66, 77, 0.66, animals.duck),
    Category("person", "people", "person.n.01", _ALL, _ROOM, 43, 43, 142, 0.68, people.person),
    Category("car", "cars", "car.n.01", _ALL, _LAND, 65, 65, 65, 0.86, vehicles.car, (("automobile", "automobiles"),)),
    Category("bus", "buses", "bus.n.01", ("red", "blue", "green", "yellow", "white", "orange", "purple"), _LAND, 94, 95, 87, 0.80, vehicles.bus, (("coach", "coaches"),), ("beach",)),
    Category("truck", "trucks", "truck.n.01", ("red", "blue", "green", "white", "yellow", "orange", "gray"), _LAND, 85, 90, 93, 0.80, vehicles.truck, (("lorry", "lorries"),), ("beach",)),
    Category("train", "trains", "train.n.01", ("red", "blue", "green", "black", "yellow", "gray", "purple"), _LAND, 105, 109, 93, 0.74, vehicles.train, (("locomotive", "locomotives"),), ("beach", "lake")),
    Category("bicycle", "bicycles", "bicycle.n.01", ("red", "blue", "green", "yellow", "black", "pink", "purple", "orange", "white"), _LAND, 61, 61, 83, 0.78, vehicles.bicycle, (("bike", "bikes"),)),
    Category("boat", "boats", "boat.n.01", ("red", "blue", "green", "yellow", "white", "orange", "brown"), ("water",), 75, 77, 127, 0.62, vehicles.boat, (("sailboat", "sailboats"),)),
    Category("airplane", "airplanes", "airplane.n.01", ("white", "blue", "red", "gray", "orange", "yellow"), ("air",), 87, 87, 80, 0.66, vehicles.airplane, (("plane", "planes"),)),
    Category("tree", "trees", "tree.n.01", ("green", "orange", "yellow", "pink", "red"), _LAND, 57, 57, 144, 0.72, things.tree, (), ("beach",)),
    Category("flower", "flowers", "flower.n.01", ("red", "yellow", "pink", "purple", "white", "orange", "blue"), _LAND, 36, 36, 107, 0.56, things.flower, (("blossom", "blossoms"),), ("street", "snow", "desert")),
    Category("house", "houses", "house.n.01", ("white", "red", "yellow", "blue", "pink", "green", "gray", "brown"), _LAND, 78, 78, 136, 0.74, home.house, (("cottage", "cottages"),), ("street", "beach", "lake")),
    Category("bench", "benches", "bench.n.01", ("brown", "green", "red", "blue", "gray", "white"), _LAND, 69, 69, 78, 0.76, home.bench, (), ("street",)),
    Category("umbrella", "umbrellas", "umbrella.n.01", ("red", "blue", "green", "yellow", "black", "white", "orange", "pink", "purple"), _ROOM, 60, 60, 107, 0.64, things.umbrella, (("parasol", "parasols"),)),
    Category("kite", "kites", "kite.n.03", ("red", "blue", "green", "yellow", "orange", "pink", "purple", "black"), ("air",), 38, 38, 114, 0.62, things.kite),
    Category("balloon", "balloons", "balloon.n.02", (*_BRIGHT, "white", "black"), ("air", "wall"), 32, 32, 119, 0.58, things.balloon),
    Category("ball", "balls", "ball.n.01", (*_BRIGHT, "black", "white"), _ROOM, 35, 35, 69, 0.58, things.ball),
    Category("chair", "chairs", "chair.n.01", ("brown", "red", "blue", "white", "black", "green", "yellow"), ("floor",), 36, 36, 106, 0.76, home.chair),
    Category("couch", "couches", "sofa.n.01", ("red", "blue", "green", "gray", "brown", "pink", "orange", "purple"), ("floor",), 84, 84, 82, 0.86, home.couch, (("sofa", "sofas"),)),
    Category("lamp", "lamps", "lamp.n.02", ("red", "blue", "green", "yellow", "white", "orange", "pink", "purple"), ("floor", "counter"), 38, 38, 105, 0.62, home.lamp),
    Category("clock", "clocks", "clock.n.01", _ALL, ("wall",), 43, 43, 84, 0.56, home.clock),
    Category("vase", "vases", "vase.n.01", _ALL, ("floor", "counter"), 34, 34, 128, 0.62, things.vase),
    Category("book", "books", "book.n.02", _ALL, ("floor", "counter"), 41, 50, 98, 0.62, things.book),
    Category("cup", "cups", "cup.n.01", _ALL, _TABLE, 33, 46, 93, 0.62, things.cup, (("mug", "mugs"),)),
    Category("bottle", "bottles", "bottle.n.01", ("green", "brown", "blue", "red", "white", "purple", "black", "yellow"), _TABLE, 24, 24, 119, 0.70, things.bottle),
    Category("apple", "apples", "apple.n.01", ("red", "green", "yellow"), _TABLE, 39, 39, 80, 0.60, food.apple),
    Category("banana", "bananas", "banana.n.02", ("yellow", "green"), _TABLE, 55, 61, 67, 0.66, food.banana),
    Category("pear", "pears", "pear.n.01", ("green", "yellow", "brown"), _TABLE, 35, 35, 106, 0.58, food.pear),
    Category("cake", "cakes", "cake.n.03", ("pink", "white", "brown", "yellow", "green", "purple"), _TABLE, 57, 57, 94, 0.72, food.cake),
    Category("suitcase", "suitcases", "bag.n.06", _ALL, _ROOM, 47, 47, 80, 0.72, things.suitcase, (), ("lake",)),
)

#: Category name -> its row in `CATEGORIES`.
CATEGORY_INDEX: dict[str, int] = {category.name: row for row, category in enumerate(CATEGORIES)}

#: (singular, plural) of a more general word -> the names of every category it covers.
HYPERNYMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("animal", "animals"): ("dog", "cat", "horse", "cow", "sheep", "elephant", "rabbit", "bird", "duck"),
    ("pet", "pets"): ("dog", "cat", "rabbit"),
    ("farm animal", "farm animals"): ("horse", "cow", "sheep", "duck"),
    ("vehicle", "vehicles"): ("car", "bus", "truck", "train", "bicycle", "boat", "airplane"),
    ("piece of fruit", "fruit"): ("apple", "banana", "pear"),
    ("piece of furniture", "furniture"): ("chair", "couch", "bench", "lamp"),
    ("toy", "toys"): ("ball", "kite", "balloon"),
    ("plant", "plants"): ("tree", "flower"),
    ("container", "containers"): ("cup", "bottle", "vase", "suitcase"),
}
