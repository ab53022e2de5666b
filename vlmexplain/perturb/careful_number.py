"""Number flips that agree with what they count and, where it is counted, are known to be false."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.perturb.absence import related
from vlmexplain.perturb.english import plural, plural_verb
from vlmexplain.perturb.lexis import (
    AFTER_NOUN,
    FINITE_SINGULAR,
    FUNCTION,
    MODIFIERS,
    NEGATIVES,
    PARTICIPLES,
    word_set,
)
from vlmexplain.perturb.objects import FORMS
from vlmexplain.perturb.perturbation import Edit, NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Words, replace, with_articles, words_of

_TO_TEN = "one two three four five six seven eight nine ten"
NUMBERS = tuple(_TO_TEN.split())
VALUES = {word: n for n, word in enumerate(NUMBERS, 1)} | {str(n): n for n in range(2, 11)}
STEPS_UP = 3
"""How far above the number of the caption (and of the image) the new one may lie."""

_BEFORE_NO_COUNT = word_set(
    """or to by number no than out this that each another every any which half figure page
    channel route line platform bus train at a an up only some"""
)
_NOT_COUNTED = word_set(
    """times thirds halves quarters days years hours minutes years-old ways others more way
    side direction end time day another thing point half others ones feet inches miles pm am
    stories o'clock languages commandments wheelers storied"""
)
_IRREGULAR = word_set(
    """people men women children sheep geese fish deer mice skis scissors oxen cattle"""
)
_SEQUEL = word_set("another other others its his her himself herself itself each one")


@dataclass(frozen=True, slots=True)
class _Count:
    """A number at word ``at`` that counts the noun at word ``noun``."""

    at: int
    noun: int
    value: int


def careful_numbers(caption: str, request: Request) -> Outcome:
    """Every number that counts something becomes a greater one.

    Greater, since a caption that counts two dogs stays true of an image of three when it is read
    as "at least": only more than there are is surely false.
    """
    words = words_of(caption)
    if not words.has(VALUES):
        return NotApplicable(request.rule, "no number word")
    draws = request.draws(caption)
    made: list[Perturbation] = []
    because = "the number does not count a noun that is sure to be one"
    for i in range(len(words.all)):
        count = _count(words, i, request)
        if count is None:
            continue
        floor, known, ground = _floor(words, count, request)
        floor = max(floor, _largest_named(request))
        choices = [n for n in range(floor + 1, floor + 1 + STEPS_UP) if n <= len(NUMBERS)]
        if not choices:
            because = "no number up to ten is greater than the count in the image"
            continue
        new = draws.choice(choices)
        edits = _edits(words, count, new)
        note = f"{words.all[i].text} → {edits[0].after}; {ground}"
        verified = True if known else None
        made.append(Perturbation(request.rule, "drop", edits, request.seed, verified, note))
    return tuple(made) or NotApplicable(request.rule, because)


def _largest_named(request: Request) -> int:
    """The largest number that a caption of the image names; 0 where none does.

    People count differently: a number that another caption has is not surely false.
    """
    captions = request.facts.captions if request.facts is not None else ()
    return max((VALUES.get(w.lower, 0) for text in captions for w in words_of(text).all), default=0)


def _count(words: Words, i: int, request: Request) -> _Count | None:
    value = VALUES.get(words.all[i].lower)
    if value is None or words.before(i) in _BEFORE_NO_COUNT:
        return None
    near = [word.lower for word in words.all[max(0, i - 3) : i]]
    if not NEGATIVES.isdisjoint(near):
        return None
    if value > 1 and _goes_on_about_each(words):
        return None
    noun = _singular_noun(words, i, request) if value == 1 else _plural_noun(words, i)
    if noun is None or words.all[noun].lower in _NOT_COUNTED or words.after(noun) == "or":
        return None
    return _Count(i, noun, value)


def _goes_on_about_each(words: Words) -> bool:
    """Whether the caption names the counted ones ("both", "one is", "the other")."""
    for i, word in enumerate(words.all):
        if word.lower == "both" or (word.lower == "other" and words.before(i) != "each"):
            return True
        if word.lower == "one" and (words.after(i) in AFTER_NOUN or words.after(i) in FUNCTION):
            return True
    return False


def _plural_noun(words: Words, i: int) -> int | None:
    """The plural noun that two and more count: the first after modifiers only."""
    for j in range(i + 1, min(i + 5, len(words.all))):
        word = words.all[j].lower
        if not words.joined(j - 1) or word in FUNCTION:
            return None
        if _is_plural(word):
            return j
        if word not in MODIFIERS and not (word in PARTICIPLES and j > i + 1):
            return None
    return None


def _is_plural(word: str) -> bool:
    if word in _IRREGULAR or (word in FORMS and FORMS[word].plural is True):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "’s"))


def _singular_noun(words: Words, i: int, request: Request) -> int | None:
    """The noun that "one" counts, where its plural leaves nothing else to change.

    A caption that goes on about the one ("its", "the other") or has a verb of its own further on
    is left alone: too much would have to agree.
    """
    rest = words.all[i + 1 :]
    if any(word.lower in _SEQUEL for word in rest) or words.before(i) in ("the", "with", "as"):
        return None
    noun = i
    while noun + 1 < len(words.all) and words.joined(noun):
        following = words.all[noun + 1].lower
        if following in AFTER_NOUN or following in FUNCTION:
            break
        noun += 1
    if noun == i or noun > i + 3 or words.after(noun) not in AFTER_NOUN:
        return None
    if any(words.all[j].lower not in MODIFIERS for j in range(i + 1, noun)):
        return None
    later = [word.lower for word in words.all[noun + 2 :]]
    if any(word in FINITE_SINGULAR for word in later):
        return None
    word = words.all[noun].lower
    return noun if not _is_plural(word) and _is_noun(word, request) else None


def _is_noun(word: str, request: Request) -> bool:
    """Whether the word is surely a noun: one of ours, or only a noun to WordNet."""
    lexicon = request.lexicon
    if word in FORMS or lexicon is None:
        return word in FORMS
    return bool(lexicon.senses(word, "n")) and not lexicon.senses(word, "a")


def _floor(words: Words, count: _Count, request: Request) -> tuple[int, bool, str]:
    """The number to exceed, whether that makes the flip known to be false, and why."""
    facts, lexicon = request.facts, request.lexicon
    if facts is None:
        return count.value, False, "not checked against the image"
    noun = words.all[count.noun].lower
    synset = _synset(noun, count.value > 1, request)
    searched: set[str] = set()
    if synset is not None and lexicon is not None:
        above = lexicon.hypernym_closure(synset) if lexicon.has(synset) else {synset: 0}
        searched = set(facts.vocabulary) & set(above)
    if not searched or lexicon is None:
        return count.value, False, f"the annotations do not count {noun}"
    same = {s for s in facts.synsets if any(related(s, own, lexicon) for own in searched)}
    found = facts.count(same)
    if found is None:
        return count.value, False, f"the annotations have a crowd of {noun}, not counted"
    if found < count.value:
        return count.value, False, f"the annotations have only {found} {noun}"
    return max(found, count.value), True, f"the annotations have {found} that may be {noun}"


def _synset(noun: str, is_plural: bool, request: Request) -> str | None:
    if noun in FORMS:
        return FORMS[noun].thing.synsets[0] if noun not in ("bike", "bikes") else None
    if request.lexicon is None:
        return None
    bases = request.lexicon.lemmatize(noun, "n")
    if is_plural:  # "men" is an entry of its own, but here the plural of "man"
        bases = tuple(base for base in bases if base != noun) or bases
    return next((sense for base in bases for sense in request.lexicon.senses(base, "n")), None)


def _edits(words: Words, count: _Count, new: int) -> tuple[Edit, ...]:
    word = words.all[count.at]
    edits = [replace(word, str(new) if word.text.isdigit() else NUMBERS[new - 1])]
    if count.value == 1:
        noun = words.all[count.noun]
        edits.append(replace(noun, plural(noun.lower)))
        if words.after(count.noun) in FINITE_SINGULAR:
            verb = words.all[count.noun + 1]
            edits.append(replace(verb, plural_verb(verb.lower)))
        if count.at > 0 and words.before(count.at) in ("is", "was"):
            there = words.all[count.at - 1]
            edits.append(replace(there, plural_verb(there.lower)))
    return with_articles(words, sorted(edits, key=lambda edit: edit.start))
