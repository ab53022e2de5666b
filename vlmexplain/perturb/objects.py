"""The things that careful object flips exchange: animals for animals, vehicles for vehicles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["animal", "vehicle", "person"]


@dataclass(frozen=True, slots=True)
class Thing:
    """A COCO category whose name is exchanged.

    Attributes:
        one, many: its name for one and for more.
        kind: what it is exchanged within; a person is exchanged for an animal.
        synsets: the WordNet 3.0 synsets under which it is annotated.
        hints: other words by which a caption may mean it; it is not put where one stands.
        unlike: things whose name it might also be called by; never exchanged for one another.
        aliases: further forms in which it is found in a caption, one and many.
    """

    one: str
    many: str
    kind: Kind
    synsets: tuple[str, ...]
    hints: frozenset[str]
    unlike: frozenset[str] = frozenset()
    aliases: tuple[tuple[str, str], ...] = ()


def _thing(
    one: str,
    many: str,
    kind: Kind,
    synsets: str,
    hints: str = "",
    unlike: str = "",
    aliases: tuple[tuple[str, str], ...] = (),
) -> Thing:
    names = {one, many, *(form for pair in aliases for form in pair)}
    words = frozenset(hints.split())
    plurals = {f"{word}s" for word in words}
    return Thing(
        one,
        many,
        kind,
        tuple(synsets.split()),
        words | plurals | names,
        frozenset(unlike.split()),
        aliases,
    )


THINGS: tuple[Thing, ...] = (
    _thing("person", "people", "person", "person.n.01", aliases=(("person", "persons"),)),
    _thing(
        "dog",
        "dogs",
        "animal",
        "dog.n.01",
        "puppy puppies pup doggy doggie hound terrier retriever poodle bulldog labrador canine "
        "collie corgi pug chihuahua husky dachshund dalmatian hotdog",
    ),
    _thing("cat", "cats", "animal", "cat.n.01", "kitten kitty kitties feline tabby calico siamese"),
    _thing(
        "horse",
        "horses",
        "animal",
        "horse.n.01",
        "pony ponies mare stallion foal colt horseback jockey clydesdale donkey mule equestrian",
        "zebra",
    ),
    _thing(
        "cow",
        "cows",
        "animal",
        "cow.n.01 cow.n.02 cattle.n.01 ox.n.01 beef.n.01",
        "cattle bull calf calves ox oxen steer buffalo bison bovine longhorn yak heifer",
    ),
    _thing(
        "sheep", "sheep", "animal", "sheep.n.01", "lamb ram ewe goat flock wool shepherd", "cow"
    ),
    _thing("elephant", "elephants", "animal", "elephant.n.01", "pachyderm"),
    _thing("bear", "bears", "animal", "bear.n.01", "teddy panda cub grizzly grizzlies koala"),
    _thing("zebra", "zebras", "animal", "zebra.n.01", unlike="horse"),
    _thing("giraffe", "giraffes", "animal", "giraffe.n.01", "giraffee girafe giraff"),
    _thing(
        "bird",
        "birds",
        "animal",
        "bird.n.01",
        "pigeon seagull gull duck duckling goose geese parrot owl eagle hawk swan pelican flamingo "
        "ostrich crow chicken hen rooster peacock sparrow finch hummingbird parakeet penguin "
        "heron crane turkey vulture dove robin cardinal falcon emu stork poultry fowl",
    ),
    _thing(
        "car",
        "cars",
        "vehicle",
        "car.n.01",
        "sedan suv taxi taxis cab van minivan jeep convertible limo limousine vehicle automobile "
        "auto traffic hatchback wagon hearse",
        "truck bus",
    ),
    _thing("bus", "buses", "vehicle", "bus.n.01", "coach busses trolley double-decker "
           "vehicle traffic tram streetcar", "car truck train"),
    _thing("train", "trains", "vehicle", "train.n.01", "locomotive subway tram railway trolley "
           "metro caboose railcar monorail streetcar engine railroad rail amtrak", "bus"),
    _thing("boat", "boats", "vehicle", "boat.n.01", "ship sailboat yacht canoe kayak ferry "
           "ferries vessel gondola rowboat speedboat raft dinghy barge tugboat sailboats marina"),
    _thing("bicycle", "bicycles", "vehicle", "bicycle.n.01", "bicyclist cyclist biker cycle "
           "cycling biking bicyclers tricycle bmx", "motorcycle", (("bike", "bikes"),)),
    _thing("truck", "trucks", "vehicle", "truck.n.01", "lorry lorries pickup semi vehicle van "
           "trailer firetruck traffic tractor", "car bus"),
    _thing("motorcycle", "motorcycles", "vehicle", "motorcycle.n.01", "motorbike bike scooter "
           "moped cycle biker motorcyclist dirtbike motorcross motocross vespa", "bicycle"),
    _thing("airplane", "airplanes", "vehicle", "airplane.n.01", "jet aircraft aeroplane biplane "
           "airliner jetliner jumbo 747 aeroplane", "", (("plane", "planes"),)),
)  # fmt: skip
THING_BY_NAME = {thing.one: thing for thing in THINGS}


@dataclass(frozen=True, slots=True)
class Form:
    """A thing in one of its forms; ``plural`` is None where the form is both (sheep)."""

    thing: Thing
    plural: bool | None


def _forms() -> dict[str, Form]:
    found: dict[str, Form] = {}
    for thing in THINGS:
        for one, many in ((thing.one, thing.many), *thing.aliases):
            found[one] = Form(thing, None if one == many else False)
            found[many] = Form(thing, None if one == many else True)
    return found


FORMS = _forms()
"""Every form by its lower-cased spelling."""
