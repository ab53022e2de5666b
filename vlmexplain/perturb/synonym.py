"""A noun becomes a synonym of its sense, by WordNet's synsets."""

from __future__ import annotations

from vlmexplain.perturb.english import plural
from vlmexplain.perturb.lexicon import Lexicon
from vlmexplain.perturb.lexis import AFTER_NOUN, BEFORE_NOUN, FUNCTION, PARTICIPLES, word_set
from vlmexplain.perturb.perturbation import NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Word, replace, with_articles, words_of

_CAPTION_WORDS = word_set("bike bikes motorbike donut doughnut plane puppy kitty")
"""Words of captions that WordNet's texts hardly have in the sense that captions mean."""


def synonyms(caption: str, request: Request) -> Outcome:
    """Every noun that has a synonym; one is drawn, the others are offered.

    A plural is looked up by its singular (two *men* are no work force). The sense is one that is
    annotated in the image, or the word's only one where the word is a common one; else the most
    frequent, and then what to expect is not known. Words that are rare (camelopard) or mostly mean
    something else (wheel for a bicycle) are not offered.
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
    base, one_reading = _base(word.lower, lexicon)
    if base is None or lexicon.count(base, "n") < lexicon.count(base, "v"):
        return None
    senses = lexicon.senses(base, "n")
    seen = request.facts.synsets if request.facts is not None else frozenset()
    sense = next((s for s in senses if s in seen), senses[0] if senses else None)
    if sense is None:
        return None
    is_plural = word.lower != base
    lemmas = [lemma for lemma in lexicon.lemmas(sense) if _is_used(lemma, sense, lexicon)]
    spaced = [lemma.replace("_", " ") for lemma in lemmas]
    offers = [
        plural(lemma) if is_plural else lemma
        for lemma in spaced
        if lemma != base and lemma.islower() and "." not in lemma
    ]
    offers = [offer for offer in offers if offer != word.lower]
    only_sense = len(senses) == 1 and one_reading and lexicon.count(base, "n") > 0
    return (sense, sense in seen or only_sense, offers) if offers else None


def _is_used(lemma: str, sense: str, lexicon: Lexicon) -> bool:
    """Whether a caption would have the word in this sense."""
    if lemma in _CAPTION_WORDS:
        return True
    return lexicon.count(lemma, "n") > 0 and lexicon.senses(lemma)[:1] == (sense,)


def _base(word: str, lexicon: Lexicon) -> tuple[str | None, bool]:
    """The dictionary form, and whether the word can be read as that form alone.

    Where a word is both an entry of its own and a plural (men, hands, glasses), the more frequent
    of the two.
    """
    bases = lexicon.lemmatize(word, "n")
    if not bases:
        return None, False
    return max(bases, key=lambda base: lexicon.count(base, "n")), len(bases) == 1
