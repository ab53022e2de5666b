"""Read a caption of the drawn world back: which things, how many, which colour, where and when.

This knows the words but nothing of the grammar that made the sentence, so that it can check it; and
it reads captions that were changed word by word, which no grammar of ours made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from drawn_world.categories import CATEGORIES, HYPERNYMS
from drawn_world.colours import COLOURS

__all__ = ["Reading", "Seen", "Spoken", "contradicts", "noun_table", "read_caption"]

_NUMBERS = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_AT_LEAST = {"some": 2, "multiple": 2, "several": 3, "few": 3, "group": 3}
_PAIRS = ("pair", "couple")
_SIZES = {
    **dict.fromkeys(("small", "little", "tiny"), "small"),
    **dict.fromkeys(("big", "large", "huge"), "large"),
}
_YOUNG = {"puppy": "dog", "kitten": "cat", "pony": "horse", "lamb": "sheep"}
_YOUNG_PLURALS = {"puppies": "dog", "kittens": "cat", "ponies": "horse", "lambs": "sheep"}
_PLACES = {
    "meadow": r"meadow|grassy field|green field",
    "street": r"city street|street|city|road",
    "beach": r"sandy beach|beach|sea",
    "lake": r"lake",
    "snow": r"snowy field|snowy landscape|snow",
    "desert": r"dry desert|desert",
    "living room": r"living room",
    "kitchen": r"kitchen table|kitchen",
}
_TIMES = {
    "night": r"at night|under the moon|in the dark",
    "sunset": r"at sunset|in the evening light",
}
_DETAILS = re.compile(
    r"with white sails|with white flowers|with candles|with a long trunk|with open wings"
    r"|on the water|on the wall|in the air|in the sky|flying|sailing|swimming|standing"
)
_WORD = re.compile(r"[a-z]+|,")


@dataclass(frozen=True, slots=True)
class Spoken:
    """Things that a caption speaks of: `low` to `high` of the categories together."""

    categories: tuple[str, ...]
    low: int
    high: int
    colour: str | None = None
    size: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a caption says; `strange` are words that are not understood."""

    things: tuple[Spoken, ...]
    setting: str | None
    time: str | None
    strange: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What the annotations say: category -> (count, colour, size class), and setting and time."""

    things: Mapping[str, tuple[int, str, str]]
    setting: str
    time: str


@lru_cache(maxsize=1)
def noun_table() -> dict[str, tuple[tuple[str, ...], bool, str | None]]:
    """Noun -> (categories, plural, size that the noun itself says)."""
    table: dict[str, tuple[tuple[str, ...], bool, str | None]] = {}
    for category in CATEGORIES:
        for singular, plural in ((category.name, category.plural), *category.synonyms):
            table[plural] = ((category.name,), True, None)
            table[singular] = ((category.name,), False, None)
    for word, name in _YOUNG.items():
        table[word] = ((name,), False, "small")
    for word, name in _YOUNG_PLURALS.items():
        table[word] = ((name,), True, "small")
    for (singular, plural), covered in HYPERNYMS.items():
        table[singular.replace(" ", "")] = (covered, False, None)
        table[plural.replace(" ", "")] = (covered, plural not in ("fruit", "furniture"), None)
    return table


def _take(patterns: Mapping[str, str], text: str, lead: str) -> tuple[str | None, str]:
    for name, pattern in patterns.items():
        found = re.search(rf"\b{lead}(?:{pattern})\b", text)
        if found:
            return name, text[: found.start()] + " , " + text[found.end() :]
    return None, text


def _quantity(words: Sequence[str], plural: bool) -> tuple[int, int]:
    for word in words:
        if word in _NUMBERS:
            return _NUMBERS[word], _NUMBERS[word]
        if word in _PAIRS:
            return 2, 2
        if word in _AT_LEAST:
            return _AT_LEAST[word], 99
    return (2, 99) if plural else (1, 99)


def read_caption(text: str) -> Reading:
    """What a caption of the drawn world says."""
    rest = text.lower()
    time, rest = _take(_TIMES, rest, "")
    setting, rest = _take(_PLACES, rest, r"(?:(?:in|on|at|by|inside) )?(?:an? |the )?")
    rest = _DETAILS.sub(" ", rest)
    for pair in HYPERNYMS:
        for phrase in pair:
            rest = re.sub(rf"\b{phrase}\b", phrase.replace(" ", ""), rest)
    nouns, things, strange = noun_table(), [], []
    before: list[str] = []
    for word in _WORD.findall(rest):
        if word in nouns:
            categories, plural, young = nouns[word]
            low, high = _quantity(before, plural)
            colour = next((w for w in before if w in COLOURS), None)
            size = young or next((_SIZES[w] for w in before if w in _SIZES), None)
            things.append(Spoken(categories, low, high, colour, size))
            before = []
        elif word in COLOURS and things and before and before[-1] in ("in", "wearing", "are", "is"):
            things[-1] = replace(things[-1], colour=word)
            before = []
        elif word == ",":
            before = []
        else:
            before.append(word)
            known = word in COLOURS or word in _SIZES or word in _NUMBERS or word in _AT_LEAST
            if not (known or word in _PAIRS or word in _FILLERS):
                strange.append(word)
    return Reading(tuple(things), setting, time, tuple(strange))


# fmt: off
_FILLERS = frozenset((
    "a", "an", "the", "of", "and", "with", "along", "together", "as", "well", "there", "is",
    "are", "that", "in", "wearing", "dressed", "clothes",
))
# fmt: on


def contradicts(reading: Reading, seen: Seen) -> str | None:
    """Why a caption is false of what is seen, or None where it is true."""
    if reading.setting is not None and reading.setting != seen.setting:
        return f"not {reading.setting}"
    if reading.time is not None and reading.time != seen.time:
        return f"not {reading.time}"
    for spoken in reading.things:
        total = 0
        for name in spoken.categories:
            count, colour, size = seen.things.get(name, (0, "", ""))
            if spoken.colour in (None, colour) and spoken.size in (None, size):
                total += count
        if not spoken.low <= total <= spoken.high:
            return f"{total} of {spoken}"
    return None
