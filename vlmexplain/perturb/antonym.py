"""An adjective becomes its opposite, by WordNet's antonyms.

Source: Lymperaiou et al., COLING 2022. Satellite adjectives go through the head of their
cluster; where WordNet has no opposite, there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.perturb.lexicon import AntonymLike, Lexicon
from vlmexplain.perturb.lexis import AFTER_NOUN, FUNCTION, PARTICIPLES, PERSONS, word_set
from vlmexplain.perturb.perturbation import NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Words, replace, with_articles, words_of

_COPULAS = word_set("is are was were looks seems appears very")
_NO_ADJECTIVES = word_set(
    """back front top bottom left right side middle center plate stop set head light close
    clear living dining parking one two even well just still like past next last first
    second open light present subject kind sort pair lot bit set couple"""
)
"""Words that in a caption are mostly something else; "open" and "light" are taken before a noun."""
_ONLY_BEFORE_NOUN = word_set("open light clear left right front back top")


def antonyms(caption: str, request: Request) -> Outcome:
    """Every adjective with an opposite; one opposite is drawn, the others are offered."""
    lexicon = request.lexicon
    assert lexicon is not None
    words = words_of(caption)
    draws = request.draws(caption)
    made: list[Perturbation] = []
    adjectives = 0
    for i, word in enumerate(words.all):
        if not _is_adjective(words, i, lexicon):
            continue
        adjectives += 1
        offers = [a for a in lexicon.antonyms(word.lower) if a.word.lower() != word.lower]
        if not offers:
            continue
        drawn = draws.choice(_likeliest(offers))
        for offer in [drawn, *(one for one in offers if one is not drawn)]:
            new = offer.word.replace("_", " ")
            through = "" if offer.direct else ", through a similar adjective"
            made.append(
                Perturbation(
                    request.rule,
                    "drop",
                    with_articles(words, [replace(word, new)]),
                    request.seed,
                    None,
                    f"{word.text} → {new}, its opposite in WordNet{through}; not verified",
                    drawn=offer is drawn,
                )
            )
    if made:
        return tuple(made)
    if adjectives:
        return NotApplicable(request.rule, "no adjective has an opposite in WordNet")
    return NotApplicable(request.rule, "no adjective")


def _likeliest(offers: Sequence[AntonymLike]) -> list[AntonymLike]:
    """Those to draw from: the word's own opposites; else those of its most frequent sense."""
    direct = [offer for offer in offers if offer.direct]
    return direct or [offer for offer in offers if offer.of_synset == offers[0].of_synset]


def _is_adjective(words: Words, i: int, lexicon: Lexicon) -> bool:
    """Whether the word is used as an adjective: before a noun, or after a form of "be"."""
    word = words.all[i].lower
    if (
        not word.isalpha()
        or word in FUNCTION
        or word in PARTICIPLES
        or not lexicon.senses(word, "a")
    ):
        return False
    before, after = words.before(i), words.after(i)
    ahead = after not in AFTER_NOUN and after not in FUNCTION
    if word in _NO_ADJECTIVES and not (word in _ONLY_BEFORE_NOUN and ahead):
        return False
    if lexicon.count(word, "a") < lexicon.count(word, "n"):
        return False
    if after == "and":
        following = words.all[i + 2].lower if i + 2 < len(words.all) else ""
        return bool(lexicon.senses(following, "a"))
    if ahead and after in PERSONS:
        return True  # an old man is an old man, whatever "old man" may mean besides
    if ahead:
        bases = lexicon.lemmatize(after, "n")
        return not any(lexicon.senses(f"{word}_{noun}") for noun in (after, *bases))
    return before in _COPULAS
