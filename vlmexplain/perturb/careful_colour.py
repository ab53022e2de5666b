"""Colour changes that one can see: the new colour is at least a threshold away in RGB.

Source: Lymperaiou et al., COLING 2022 (``color-all``, ``color-in``); Lee 2026 (the eleven).
"""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.perturb.colours import (
    COMMON,
    ColourUse,
    colour_uses,
    named_colours,
    rgb_distance,
)
from vlmexplain.perturb.lexis import word_set
from vlmexplain.perturb.perturbation import Edit, Expects, NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Words, in_case_of, with_articles, words_of

_SHADED = word_set("light dark bright deep pale soft vivid")
_SHADELESS = word_set("black white")
_ANY_COLOUR = word_set(
    """sky skies light lights signal signals metal metallic water ocean sea lake river snow ice
    glass mirror window windows screen screens display reflection reflections shadow shadows
    sunset sunrise"""
)
"""Things that are of many colours, or of one that people name differently."""


def careful_colours(caption: str, request: Request) -> Outcome:
    """Every colour of the caption becomes one of the benchmark's eleven that is far from it."""
    return _change(caption, request, COMMON)


def colours_from_all(caption: str, request: Request) -> Outcome:
    """Every colour of the caption becomes any named colour that is far from it."""
    return _change(caption, request, tuple(sorted(named_colours())))


def colours_from_data(caption: str, request: Request) -> Outcome:
    """Every colour of the caption becomes one of the data set's that is far from it."""
    known = named_colours()
    return _change(caption, request, [name for name in sorted(request.colours) if name in known])


def _change(caption: str, request: Request, pool: Sequence[str]) -> Outcome:
    words = words_of(caption)
    uses = colour_uses(words, request.lexicon)
    if not uses:
        return NotApplicable(request.rule, "no colour word used as a colour")
    threshold = request.parameters["rgb_threshold"]
    named = _named_colours_of(caption, request)
    draws = request.draws(caption)
    made: list[Perturbation] = []
    for use in uses:
        far = _far_enough(words, use, named, pool, threshold)
        if far:
            made.append(_recoloured(words, use, draws.choice(far), request))
    return tuple(made) or NotApplicable(
        request.rule, f"no colour to draw from is {threshold:g} or more away in RGB"
    )


def _far_enough(
    words: Words,
    use: ColourUse,
    named: frozenset[str],
    pool: Sequence[str],
    threshold: float,
) -> list[str]:
    shaded = words.before(use.first) in _SHADED
    return [
        name
        for name in pool
        if named.isdisjoint(name.split())
        and not (shaded and name in _SHADELESS)
        and rgb_distance(use.name, name) >= threshold
    ]


def _named_colours_of(caption: str, request: Request) -> frozenset[str]:
    """Every colour word of the caption and of the image's other captions, however it is used.

    What another caption calls green may well be called green: it is not put in.
    """
    captions = [caption, *(request.facts.captions if request.facts is not None else ())]
    words = {word.lower.replace("grey", "gray") for text in captions for word in words_of(text).all}
    parts = {part for name in named_colours() for part in name.split()}
    return frozenset(words & parts)


def _recoloured(words: Words, use: ColourUse, name: str, request: Request) -> Perturbation:
    start, end = words.all[use.first].start, words.all[use.last].end
    before = words.caption[start:end]
    edit = Edit(start, end, before, in_case_of(before, name))
    of = words.after(use.last)
    doubt = of in _ANY_COLOUR
    note = f"{before} → {name}; " + (
        f"a {of} may have more colours than one: what to expect is not known"
        if doubt
        else "the annotations have no colours, so this is not verified"
    )
    edits = with_articles(words, [edit])
    expects: Expects = "unknown" if doubt else "drop"
    return Perturbation(request.rule, expects, edits, request.seed, None, note)
