"""Whether an image is known not to show a thing, by its annotations and captions."""

from __future__ import annotations

from collections.abc import Iterable

from vlmexplain.perturb.facts import ImageFacts
from vlmexplain.perturb.lexicon import Lexicon
from vlmexplain.perturb.objects import Thing
from vlmexplain.perturb.words import words_of


def is_mentioned(thing: Thing, captions: Iterable[str]) -> bool:
    """Whether a caption names the thing, or something that it may be."""
    return any(words_of(caption).has(thing.hints) for caption in captions)


def is_absent(thing: Thing, facts: ImageFacts | None, lexicon: Lexicon | None) -> bool | None:
    """True when known to be absent, False when it is or may be there, None when not known.

    Absent means: the image has annotated objects, the annotators looked for this thing (it is
    in the vocabulary), no object is of the thing, of a kind of it or of something more general
    (which might be it), no annotation has its name, and no caption of the image mentions it.
    """
    if facts is None:
        return None
    heads = {synset.partition(".")[0] for synset in facts.synsets}  # WordNet's lambs are no sheep
    if is_mentioned(thing, facts.captions) or not thing.hints.isdisjoint(facts.names | heads):
        return False
    if lexicon is None:
        return False if facts.synsets & set(thing.synsets) else None
    if any(related(synset, own, lexicon) for synset in facts.synsets for own in thing.synsets):
        return False
    searched = bool(facts.instances) and not facts.vocabulary.isdisjoint(thing.synsets)
    return True if searched else None


def related(one: str, other: str, lexicon: Lexicon) -> bool:
    """Whether one synset is the other, or above or below it."""
    if one == other:
        return True
    if not (lexicon.has(one) and lexicon.has(other)):
        return False
    return other in lexicon.hypernym_closure(one) or one in lexicon.hypernym_closure(other)
