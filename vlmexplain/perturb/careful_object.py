"""Object flips that keep the grammar and, where the annotations allow, are known to be false."""

from __future__ import annotations

from vlmexplain.perturb.absence import is_absent, is_mentioned
from vlmexplain.perturb.lexis import (
    AFTER_NOUN,
    BEFORE_NOUN,
    FINITE_PLURAL,
    FINITE_SINGULAR,
    MODIFIERS,
    NEGATIVES,
    word_set,
)
from vlmexplain.perturb.objects import FORMS, THINGS, Form, Thing
from vlmexplain.perturb.perturbation import NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Words, replace, with_articles, words_of

_HOT_DOG = word_set("hot hotdog bun mustard ketchup chili relish sausage fries onions")
_SINGULAR_BEFORE = word_set("a an one this that single lone another each every")
_PLURAL_BEFORE = word_set(
    """of some several many two three four five six these those few various multiple both"""
)
_PAIRED = word_set("another other others")
_NOT_AFTER_TRAIN = word_set("crossing stops track lines parking")
"""After a vehicle these make a compound (a train crossing, bus stops)."""


def careful_objects(caption: str, request: Request) -> Outcome:
    """One flip for every animal, vehicle or person that stands as a noun of its own."""
    words = words_of(caption)
    named = [i for i, word in enumerate(words.all) if word.lower in FORMS]
    if not named:
        return NotApplicable(request.rule, "no animal, vehicle or person is named")
    draws = request.draws(caption)
    made: list[Perturbation] = []
    because = "the object word is part of a longer name or of a negation"
    for i in named:
        form = FORMS[words.all[i].lower]
        plural = _number(words, i, form)
        if plural is None or not _stands_alone(words, i, form.thing, plural):
            continue
        targets = _targets(form.thing, caption, request)
        if not targets:
            because = "everything it could become is, or may be, in the image"
            continue
        made.append(_flip(words, i, draws.choice(targets), plural, request))
    return tuple(made) or NotApplicable(request.rule, because)


def _targets(thing: Thing, caption: str, request: Request) -> list[tuple[Thing, bool]]:
    """What it may become, with whether that is known to be absent; the known ones alone if any."""
    kind = "animal" if thing.kind == "person" else thing.kind
    found: list[tuple[Thing, bool]] = []
    for other in THINGS:
        if other.kind != kind or other is thing or other.one in thing.unlike:
            continue
        if thing.one in other.unlike or is_mentioned(other, [caption]):
            continue
        absent = is_absent(other, request.facts, request.lexicon)
        if absent is not False:
            found.append((other, absent is True))
    known = [pair for pair in found if pair[1]]
    return known or found


def _flip(
    words: Words, i: int, target: tuple[Thing, bool], plural: bool, request: Request
) -> Perturbation:
    thing, known = target
    new = thing.many if plural else thing.one
    edits = with_articles(words, [replace(words.all[i], new)])
    ground = (
        f"no {thing.one} is annotated in the image, nor in its captions"
        if known
        else "not checked against the image"
        if request.facts is None
        else f"the annotations do not tell whether there is a {thing.one}"
    )
    note = f"{words.all[i].text} → {new}; {ground}"
    return Perturbation(request.rule, "drop", edits, request.seed, True if known else None, note)


def _number(words: Words, i: int, form: Form) -> bool | None:
    """Whether the word is plural here; None when that cannot be told."""
    before, after = words.before(i), words.after(i)
    if form.plural is not None:
        return form.plural if form.plural == _agrees_with_plural(words, i, form) else None
    if before in _SINGULAR_BEFORE or after in FINITE_SINGULAR:
        return False
    if before in _PLURAL_BEFORE or after in FINITE_PLURAL:
        return True
    return None


def _agrees_with_plural(words: Words, i: int, form: Form) -> bool:
    """What the words before the noun ask for; its own number where they ask for nothing.

    A caption's own slip ("a couple of bird", "a large trains") is not carried on.
    """
    for word in reversed(_near(words, i)):
        if word in _PLURAL_BEFORE:
            return True
        if word in _SINGULAR_BEFORE:
            return False
        if word not in MODIFIERS and word != "and":
            break
    return form.plural is True


def _near(words: Words, i: int) -> list[str]:
    """The three words before word i."""
    return [word.lower for word in words.all[max(0, i - 3) : i]]


def _stands_alone(words: Words, i: int, thing: Thing, plural: bool) -> bool:
    """Whether the word is a noun by itself, asserted of the image, and the only one meant."""
    before, after = words.before(i), words.after(i)
    if after not in AFTER_NOUN or before not in BEFORE_NOUN:
        return False
    if after in (FINITE_SINGULAR if plural else FINITE_PLURAL):
        return False  # no verb of it then, but the second half of a compound: "a train ride"
    if thing.kind == "vehicle" and (after in _NOT_AFTER_TRAIN or before in ("up", "down")):
        return False
    if not NEGATIVES.isdisjoint(_near(words, i)) or after == "or":
        return False
    if thing.one == "dog" and words.has(_HOT_DOG):
        return False
    names = {thing.one, thing.many}
    return not any(
        words.all[j].lower in names and words.before(j) in _PAIRED for j in range(len(words.all))
    )
