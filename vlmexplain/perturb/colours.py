"""Named colours, how far apart they are, and where a caption uses one as a colour."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from PIL import ImageColor

from vlmexplain.perturb.english import singular
from vlmexplain.perturb.lexicon import Lexicon
from vlmexplain.perturb.lexis import AFTER_NOUN, FUNCTION, NEGATIVES, PERSONS, word_set
from vlmexplain.perturb.paper import WORDS
from vlmexplain.perturb.words import Words, words_of

RGB = tuple[int, int, int]

_PARTS = """alice antique azure beige blanched blue cadet chartreuse coral corn cornflower cream
crimson cyan dark deep dim dodger drab fire firebrick floral forest ghost gold goldenrod gray green
hot indian indigo ivory khaki lace lavender lawn lemon light lime magenta medium midnight mint
misty navajo navy old olive orange orchid pale papaya peach pink powder purple rebecca red rose
rosy royal saddle salmon sandy sea sky slate smoke spring steel turquoise violet white yellow
brick brown almond aquamarine blush chiffon puff silk whip"""
_SPLIT = re.compile("|".join(sorted(_PARTS.split(), key=len, reverse=True)))
_WHOLE = word_set("seashell firebrick goldenrod cornsilk")
_MOSTLY_THINGS = word_set(
    """snow tomato linen wheat chocolate salmon lime plum orchid peru thistle seashell coral olive
    sienna bisque moccasin azure ivory"""
)
"""Names that in a caption mean a thing: put in as colours, never read as one."""
_PARTLY_THINGS = word_set("gold silver tan violet lavender")
"""Names read as colours only right before a noun."""


@lru_cache(maxsize=1)
def named_colours() -> dict[str, RGB]:
    """The CSS colour names, written as words, with their RGB values (0..255).

    >>> named_colours()["light goldenrod yellow"]
    (250, 250, 210)
    """
    found: dict[str, RGB] = {}
    for name in ImageColor.colormap:
        if "grey" not in name:
            red, green, blue = ImageColor.getrgb(name)[:3]
            found[_as_words(name)] = (red, green, blue)
    return found


def _as_words(name: str) -> str:
    parts = _SPLIT.findall(name)
    whole = name in _WHOLE or "".join(parts) != name
    return name if whole else " ".join(parts)


@cache
def rgb_distance(one: str, other: str) -> float:
    """Euclidean distance of two named colours in RGB, 0..441.7; grey is gray.

    >>> rgb_distance("red", "lime"), rgb_distance("black", "white")
    (360.62445840513925, 441.6729559300637)
    """
    left, right = _rgb(one), _rgb(other)
    return float(sum((a - b) ** 2 for a, b in zip(left, right, strict=True)) ** 0.5)


def _rgb(name: str) -> RGB:
    return named_colours()[name.replace("grey", "gray")]


def colours_in(captions: Iterable[str]) -> tuple[str, ...]:
    """The named colours that captions use, sorted: what ``color-in`` draws from."""
    found: set[str] = set()
    for caption in captions:
        found |= {use.name for use in colour_uses(words_of(caption), None)}
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class ColourUse:
    """A colour word used as a colour: words ``first`` to ``last`` of the caption."""

    first: int
    last: int
    name: str


def colour_uses(words: Words, lexicon: Lexicon | None) -> tuple[ColourUse, ...]:
    """Where a caption uses a named colour as a colour, and changing it would change a fact.

    Left out: the fruit orange, proper names (Red Sox), fixed names of things (green beans,
    black bear; WordNet's, when it is at hand), people's skin, black-and-white photographs,
    and what is negated or one of two choices.
    """
    known = named_colours()
    found: list[ColourUse] = []
    for i, word in enumerate(words.all):
        name = word.lower.replace("grey", "gray")
        if name not in known or name in _MOSTLY_THINGS:
            continue
        first = i
        before = words.before(i)
        if f"{before} {name}" in known:
            first, name = i - 1, f"{before} {name}"
        if _is_colour(words, first, i, lexicon):
            found.append(ColourUse(first, i, name))
    return tuple(found)


_AS_STATE = word_set("in wearing is are was all painted bright dressed")
_SHADES = word_set("off hot snow blood navy sky neon jet olive lime mint army forest hunter")
_PHOTO = word_set(
    """photo photos photograph photographs photography picture pictures image images shot film
    movie still scene portrait drawing pic snapshot footage print view selfie"""
)
_FIXED = {
    "red": "wine onion onions pepper peppers sox cabbage velvet bull head carpet cross potatoes",
    "white": "wine rice house bread water caps board bean beans sauce noise washed meat out",
    "green": "bean beans tea pepper peppers onion onions pea peas salad house belt thumb screen",
    "black": "bear bears board bean beans pepper top olive olives jack hawk lab labrador friday",
    "brown": "bear bears rice sugar bread bagged",
    "blue": "jay jays cheese jean jeans bell berry berries ray whale moon angels",
    "orange": """juice slice slices peel peels tree trees wedge wedges section sections segment
        segments fruit fruits half halves soda piece pieces grove rind zest drink beverage
        cones banana bananas apple apples marmalade""",
    "yellow": "squash pages jacket jackets",
    "pink": "grapefruit floyd",
    "gray": "hound area matter",
    "purple": "heart onion onions cabbage",
}
_FIXED_AFTER = {name: frozenset(text.split()) for name, text in _FIXED.items()}


def _is_colour(words: Words, first: int, last: int, lexicon: Lexicon | None) -> bool:
    word = words.all[last]
    name = word.lower.replace("grey", "gray")
    before, after = words.before(first), words.after(last)
    if before in _SHADES or after == "or" or before == "or" or _is_proper(words, first, last):
        return False
    near = [w.lower for w in words.all[max(0, first - 3) : first]]
    if not NEGATIVES.isdisjoint(near) or _is_photo(words, last):
        return False
    if name == "orange" and after.endswith("ing"):
        return False  # the fruit: "an orange growing on a tree"
    head = coloured_word(words, last)
    if head is None:
        if name == "orange" or name in _PARTLY_THINGS or after == "and":
            return False
        return before in _AS_STATE and after in AFTER_NOUN
    noun = words.all[head].lower
    if noun in PERSONS or noun in _FIXED_AFTER.get(name, ()):
        return False
    return not (head == last + 1 and lexicon is not None and _is_entry(name, noun, lexicon))


def coloured_word(words: Words, last: int) -> int | None:
    """The word a colour belongs to, past other colours ("black and white cat"); None if none."""
    known = named_colours()
    i = last
    while True:
        after = words.after(i)
        step = 2 if after == "and" else 1
        ahead = i + step
        if not after or ahead >= len(words.all) or (step == 2 and not words.joined(i + 1)):
            return None
        name = words.all[ahead].lower.replace("grey", "gray")
        if name in known:
            i = ahead
            continue
        if step == 2 or name in FUNCTION or name in AFTER_NOUN or name.isdigit():
            return None
        return ahead


def _is_photo(words: Words, last: int) -> bool:
    """Whether the colours belong to the picture, not to something in it."""
    lower = [w.lower for w in words.all]
    around = lower[max(0, last - 2) : last + 3]
    if "black" not in around or "white" not in around:
        return False
    pair = lower.index("black", max(0, last - 2))
    return "in" in lower[max(0, pair - 1) : pair] or not _PHOTO.isdisjoint(lower)


def _is_proper(words: Words, first: int, last: int) -> bool:
    if words.shouting:
        return False
    after = last + 1
    if words.all[first].text[0].isupper():
        if not words.starts_sentence(first):
            return True
        return after < len(words.all) and words.joined(last) and words.all[after].text[0].isupper()
    return False


def _is_entry(name: str, noun: str, lexicon: Lexicon) -> bool:
    """Whether WordNet has colour and noun as one entry (red wine)."""
    forms = {noun, singular(noun) or noun}
    return any(lexicon.senses(f"{name}_{form}") for form in forms)


COMMON = WORDS["color"]
"""The colours that careful flips put in: the benchmark's eleven."""
