"""Sentences about scenes, true by construction: whole captions and short queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from drawn_world.claims import Claim, Mention
from drawn_world.phrases import (
    Phrase,
    PhraseStyle,
    a_or_an,
    bare_phrase,
    hypernym_phrase,
    noun_phrase,
    pick,
)
from drawn_world.scene import Group, Scene
from drawn_world.settings import SETTING_INDEX, SETTINGS

__all__ = [
    "Caption",
    "Description",
    "caption",
    "captions_of",
    "category_query",
    "counted_query",
    "pair_query",
    "short_query",
]

_LINKS = ("and", "and", "and", "with", "along with", "together with", "as well as")
_TIME_WORDS = {
    "night": ("at night", "at night", "under the moon", "in the dark"),
    "sunset": ("at sunset", "at sunset", "in the evening light"),
}


@dataclass(frozen=True, slots=True)
class Description:
    """What there is to say about a scene: no layout, so that an edited one can be put in words
    too."""

    setting: str
    time: str
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, scene: Scene) -> Description:
        """What there is to say about this scene."""
        return cls(scene.setting, scene.time, scene.groups)


@dataclass(frozen=True, slots=True)
class Caption:
    """A sentence and what it claims."""

    text: str
    claim: Claim


def _join(parts: list[str], link: str) -> str:
    if len(parts) == 1:
        return parts[0]
    return (
        f"{parts[0]} {link} {parts[1]}"
        if len(parts) == 2
        else f"{parts[0]}, {parts[1]} {'and' if link == 'and' else link} {parts[2]}"
    )


def _sentence(
    phrases: list[Phrase], where: str, place: str, when: str, rng: np.random.Generator
) -> str:
    """One of several sentence shapes; `where`, `place` and `when` may be empty."""
    link = pick(rng, _LINKS)
    texts = [phrase.text for phrase in phrases]
    things = _join(texts, link)
    tail = f" {when}" if when else ""
    verb = (
        "are"
        if phrases[0].plural
        or (len(phrases) > 1 and link == "and" and not texts[0].startswith(("a ", "an ")))
        else "is"
    )
    shape = rng.uniform()
    if where and shape < 0.10:
        return f"{where}{tail}, there {verb} {things}"
    if where and shape < 0.20 and place:
        return f"{a_or_an(place)}{tail} with {_join(texts, 'and')}"
    if where and shape < 0.38 and len(texts) > 1:
        return f"{texts[0]} {where} with {_join(texts[1:], 'and')}{tail}"
    if shape < 0.50:
        return f"there {verb} {things}{' ' + where if where else ''}{tail}"
    if where and shape < 0.58 and len(texts) == 1:
        return f"{things} {verb} {where}{tail}"
    return f"{things}{' ' + where if where else ''}{tail}"


def caption(
    about: Description, rng: np.random.Generator, style: PhraseStyle | None = None
) -> Caption:
    """One whole caption: most groups, most attributes, often the setting, in one of several shapes.

    The text is lower case and has no full stop; `captions_of` adds both.
    """
    style = style or PhraseStyle()
    groups = [about.groups[int(row)] for row in rng.permutation(len(about.groups))]
    if len(groups) > 1 and rng.uniform() < 0.10:
        groups.pop()
    phrases = []
    for group in groups:
        general = hypernym_phrase(group, rng) if rng.uniform() < style.hypernym else None
        phrases.append(general or noun_phrase(group, style, rng))
    setting = SETTINGS[SETTING_INDEX[about.setting]]
    says_setting = rng.uniform() < 0.76
    where = pick(rng, setting.phrases) if says_setting else ""
    place = pick(rng, setting.words)
    says_time = about.time != "day" and rng.uniform() < 0.6
    when = pick(rng, _TIME_WORDS[about.time]) if says_time else ""
    text = _sentence(
        phrases, where, place if setting.name != "snow" else "snowy landscape", when, rng
    )
    claim = Claim(
        tuple(p.mention for p in phrases),
        about.setting if says_setting else None,
        about.time if says_time else None,
    )
    return Caption(text, claim)


def _setting_query(about: Description, rng: np.random.Generator) -> Caption:
    setting = SETTINGS[SETTING_INDEX[about.setting]]
    words = [
        *setting.phrases,
        *setting.words,
        *(a_or_an(word) if word != "snow" else "snow" for word in setting.words),
    ]
    if about.time != "day" and rng.uniform() < 0.5:
        return Caption(
            pick(rng, [*_TIME_WORDS[about.time], f"a {about.time} scene", about.time]),
            Claim(time=about.time),
        )
    return Caption(pick(rng, words), Claim(setting=about.setting))


def pair_query(about: Description, rng: np.random.Generator) -> Caption:
    """Two things (one where the scene has one), mostly with their colours: "a red car and a blue
    dog"."""
    rows = rng.permutation(len(about.groups))[:2]
    coloured = rng.uniform() < 0.75
    pair = [bare_phrase(about.groups[int(row)], coloured, rng) for row in rows]
    return Caption(
        " and ".join(phrase.text for phrase in pair),
        Claim(tuple(phrase.mention for phrase in pair)),
    )


def category_query(category: str, rng: np.random.Generator) -> Caption:
    """A category by itself, in any of the bare forms: "a dog", "dogs", "dog"."""
    phrase = bare_phrase(Group(category, "", 1, "medium"), False, rng)
    return Caption(phrase.text, Claim((phrase.mention,)))


def counted_query(about: Description, rng: np.random.Generator, slip: float = 0.0) -> Caption:
    """One group with its number and often its colour: "three red cars"."""
    group = about.groups[int(rng.integers(len(about.groups)))]
    phrase = noun_phrase(group, PhraseStyle(0.6, 0.97, 0.15, detail=0.05, one=0.5, slip=slip), rng)
    return Caption(phrase.text, Claim((phrase.mention,)))


def short_query(about: Description, rng: np.random.Generator) -> Caption:
    """A short query that is true of the scene: one thing, a colour, a setting, a more general word,
    two things."""
    kind = rng.uniform()
    group = about.groups[int(rng.integers(len(about.groups)))]
    if kind < 0.36:
        phrase = bare_phrase(group, False, rng)
        return Caption(phrase.text, Claim((phrase.mention,)))
    if kind < 0.52:
        phrase = bare_phrase(group, True, rng)
        return Caption(phrase.text, Claim((phrase.mention,)))
    if kind < 0.66:
        phrase = noun_phrase(group, PhraseStyle(colour=0.3, number=0.95, size=0.4, detail=0.1), rng)
        return Caption(phrase.text, Claim((phrase.mention,)))
    if kind < 0.72:
        general = hypernym_phrase(group, rng)
        if general is not None:
            return Caption(general.text, Claim((general.mention,)))
    if kind < 0.76:
        text = pick(
            rng,
            [
                f"something {group.colour}",
                f"{group.colour} things",
                f"a {group.colour} object".replace("a orange", "an orange"),
                group.colour,
            ],
        )
        return Caption(text, Claim((Mention((), group.colour),)))
    if kind < 0.82:
        return _setting_query(about, rng)
    if kind < 0.88 or len(about.groups) == 1:
        phrase = bare_phrase(group, rng.uniform() < 0.5, rng)
        where = pick(rng, SETTINGS[SETTING_INDEX[about.setting]].phrases)
        return Caption(f"{phrase.text} {where}", Claim((phrase.mention,), about.setting))
    return pair_query(about, rng)


def captions_of(scene: Scene, count: int, rng: np.random.Generator) -> list[Caption]:
    """`count` different captions of a scene, each with a capital and a full stop."""
    about = Description.of(scene)
    found: dict[str, Caption] = {}
    while len(found) < count:
        made = caption(about, rng)
        text = made.text[0].upper() + made.text[1:] + "."
        found.setdefault(text, Caption(text, made.claim))
    return list(found.values())
