"""Noun phrases: from a group to "two small red cars", and what that phrase claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from drawn_world.categories import CATEGORIES, CATEGORY_INDEX, HYPERNYMS
from drawn_world.claims import Mention
from drawn_world.scene import Group

__all__ = [
    "NUMBERS",
    "Phrase",
    "PhraseStyle",
    "a_or_an",
    "bare_phrase",
    "hypernym_phrase",
    "noun_phrase",
    "pick",
]

#: The number words; index 0 is unused.
NUMBERS: tuple[str, ...] = ("", "one", "two", "three", "four", "five")

_SIZE_WORDS = {"small": ("small", "little", "tiny"), "large": ("big", "large", "huge")}
_YOUNG = {
    "dog": ("puppy", "puppies"),
    "cat": ("kitten", "kittens"),
    "horse": ("pony", "ponies"),
    "sheep": ("lamb", "lambs"),
}
_DETAILS: dict[str, tuple[str, ...]] = {
    "bird": ("flying", "in the air", "with open wings"),
    "airplane": ("flying", "in the air", "in the sky"),
    "boat": ("on the water", "with white sails", "sailing"),
    "duck": ("on the water", "swimming"),
    "kite": ("in the sky", "in the air"),
    "clock": ("on the wall",),
    "cake": ("with candles",),
    "vase": ("with white flowers",),
    "person": ("standing",),
    "dog": ("standing",),
    "horse": ("standing",),
    "elephant": ("with a long trunk",),
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase without its first capital; `plural` decides between "is" and "are"."""

    text: str
    plural: bool
    mention: Mention


@dataclass(frozen=True, slots=True)
class PhraseStyle:
    """Chances, in [0, 1], of saying or leaving out each thing.

    `one`: that a single thing is "one" instead of "a". `slip`: that a noun beside a number word
    takes either form, whatever the number ("one dogs"); only training has slips, and a false twin
    has the form of its original, so that the number word counts and not the plural.
    """

    colour: float = 0.87
    number: float = 0.84
    size: float = 0.30
    synonym: float = 0.22
    detail: float = 0.16
    hypernym: float = 0.02
    one: float = 0.14
    slip: float = 0.0


def pick(rng: np.random.Generator, options: Sequence[str]) -> str:
    """One of the options, all equally likely."""
    return options[int(rng.integers(len(options)))]


def a_or_an(text: str) -> str:
    """The phrase with its indefinite article."""
    return ("an " if text[0] in "aeiou" and not text.startswith(("one", "uni")) else "a ") + text


def _noun(group: Group, synonym: float, rng: np.random.Generator) -> tuple[str, str, bool]:
    """(singular, plural, whether the word itself says "small")."""
    category = CATEGORIES[CATEGORY_INDEX[group.category]]
    if rng.uniform() < synonym:
        if group.size == "small" and group.category in _YOUNG and rng.uniform() < 0.5:
            return (*_YOUNG[group.category], True)
        if category.synonyms:
            return (*category.synonyms[int(rng.integers(len(category.synonyms)))], False)
    return category.name, category.plural, False


def _quantity(
    count: int, style: PhraseStyle, rng: np.random.Generator
) -> tuple[str, int, int, bool]:
    """(words before the noun, low, high, vague); "" is the indefinite article."""
    draw = rng.uniform()
    if count == 1:
        if draw < style.one + 0.05:
            return ("one" if draw < style.one else "a single"), 1, 1, False
        return "", 1, 25, False
    if draw < style.number:
        if count == 2 and draw < 0.08:
            return ("a pair of" if draw < 0.04 else "a couple of", 2, 2, False)
        return NUMBERS[count], count, count, False
    if count >= 3 and rng.uniform() < 0.7:
        return pick(rng, ["several", "a few", "a group of"]), 3, 25, True
    return pick(rng, ["some", "multiple"]), 2, 25, True


def noun_phrase(group: Group, style: PhraseStyle, rng: np.random.Generator) -> Phrase:
    """A group in words, with omissions as the style has it."""
    singular, plural, young = _noun(group, style.synonym, rng)
    words, low, high, vague = _quantity(group.count, style, rng)
    colour = group.colour if rng.uniform() < style.colour else None
    size = (
        group.size if group.size != "medium" and rng.uniform() < style.size and not young else None
    )
    size_word = pick(rng, _SIZE_WORDS[size]) if size else ""
    form, detail = rng.uniform(), rng.uniform()
    many = group.count > 1
    if style.slip > 0 and words in NUMBERS[1:] and rng.uniform() < style.slip:
        many = bool(rng.uniform() < 0.5)
    noun = plural if many else singular
    after, before = "", colour or ""
    if colour and group.category == "person" and form < 0.75:
        before, after = (
            "",
            pick(
                rng,
                [
                    f"in {colour}",
                    f"wearing {colour}",
                    f"dressed in {colour}",
                    f"in {colour} clothes",
                ],
            ),
        )
    elif colour and form < 0.06:
        before, after = "", f"that {'is' if group.count == 1 else 'are'} {colour}"
    elif detail < style.detail and group.category in _DETAILS:
        after = pick(rng, _DETAILS[group.category])
    core = " ".join(word for word in (size_word, before, noun, after) if word)
    text = f"{words} {core}" if words else a_or_an(core)
    said_size = "small" if young else size
    return Phrase(
        text, group.count > 1, Mention((group.category,), colour, low, high, said_size, vague)
    )


def bare_phrase(group: Group, colour: bool, rng: np.random.Generator) -> Phrase:
    """The shortest ways to name a group: "a dog", "dogs", "dog", "red cars"."""
    singular, plural, young = _noun(group, 0.15, rng)
    said = group.colour if colour else None
    prefix = f"{said} " if said else ""
    size = "small" if young else None
    form = rng.uniform()
    if form < 0.55:
        return Phrase(
            a_or_an(prefix + singular), False, Mention((group.category,), said, 1, 25, size)
        )
    if form < 0.68:
        return Phrase(prefix + singular, False, Mention((group.category,), said, 1, 25, size))
    if form < 0.74 and not prefix:
        return Phrase("the " + singular, False, Mention((group.category,), said, 1, 25, size))
    return Phrase(prefix + plural, True, Mention((group.category,), said, 2, 25, size, vague=True))


def hypernym_phrase(group: Group, rng: np.random.Generator) -> Phrase | None:
    """A more general word for a group ("animals"), or None where there is none."""
    words = [pair for pair, covered in HYPERNYMS.items() if group.category in covered]
    if not words:
        return None
    singular, plural = words[int(rng.integers(len(words)))]
    covered = HYPERNYMS[singular, plural]
    if group.count == 1:
        return Phrase(a_or_an(singular), False, Mention(covered))
    return Phrase(
        plural,
        plural not in ("fruit", "furniture"),
        Mention(covered, None, 2, 25, None, vague=True),
    )
