"""A noun becomes a synonym of its sense, by WordNet's synsets."""

from __future__ import annotations

from vlmexplain.perturb.english import plural
from vlmexplain.perturb.lexicon import Lexicon
from vlmexplain.perturb.lexis import AFTER_NOUN, BEFORE_NOUN, FUNCTION, PARTICIPLES
from vlmexplain.perturb.perturbation import NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Word, replace, with_articles, words_of


def synonyms(caption: str, request: Request) -> Outcome:
    """Every noun that has a synonym; one is drawn, the others are offered.

    The sense is the word's only one, or one that is annotated in the image; else the most
    frequent, and then what to expect is not known.
    """
    lexicon = request.lexicon
    assert lexicon is not None
    words = words_of(caption)
    draws = request.draws(caption)
    made: list[Perturbation] = []
    for i, word in enumerate(words.all):
        if words.after(i) not in AFTER_NOUN or words.before(i) not in BEFORE_NOUN:
            continue
        found = _synonyms(word, request, lexicon)
        if found is None:
            continue
        sense, is_sure, offers = found
        ground = "" if is_sure else ", its most frequent one: whether it is meant is not known"
        drawn = draws.choice(offers)
        for offer in [drawn, *(one for one in offers if one != drawn)]:
            made.append(
                Perturbation(
                    request.rule,
                    "same" if is_sure else "unknown",
                    with_articles(words, [replace(word, offer)]),
                    request.seed,
                    None,
                    f"{word.text} → {offer}, a synonym in the sense {sense}{ground}",
                    drawn=offer == drawn,
                )
            )
    return tuple(made) or NotApplicable(request.rule, "no noun with a synonym")


def _synonyms(word: Word, request: Request, lexicon: Lexicon) -> tuple[str, bool, list[str]] | None:
    """The sense, whether it is sure to be the one meant, and its other words."""
    if not word.text.isalpha() or word.lower in FUNCTION or word.lower in PARTICIPLES:
        return None
    base = next(iter(lexicon.lemmatize(word.lower, "n")), None)
    if base is None or lexicon.count(base, "n") < lexicon.count(base, "v"):
        return None
    senses = lexicon.senses(base, "n")
    seen = request.facts.synsets if request.facts is not None else frozenset()
    sense = next((s for s in senses if s in seen), senses[0] if senses else None)
    if sense is None:
        return None
    is_plural = word.lower != base
    lemmas = [lemma.replace("_", " ") for lemma in lexicon.lemmas(sense)]
    offers = [
        plural(lemma) if is_plural else lemma
        for lemma in lemmas
        if lemma != base and lemma.islower() and "." not in lemma
    ]
    offers = [offer for offer in offers if offer != word.lower]
    is_sure = sense in seen or len(senses) == 1
    return (sense, is_sure, offers) if offers else None
