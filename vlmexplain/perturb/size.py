"""A size becomes the opposite size. Source: Lymperaiou et al., COLING 2022."""

from __future__ import annotations

from vlmexplain.perturb.lexis import AFTER_NOUN, FUNCTION, word_set
from vlmexplain.perturb.perturbation import NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Words, replace, with_articles, words_of

LARGE = ("large", "big", "enormous", "huge")
SMALL = ("small", "little", "minor", "tiny")
_ADVERBIAL = word_set("bit more less too different while league leagues ben apple top")


def sizes(caption: str, request: Request) -> Outcome:
    """Every size word becomes one of the opposite sizes, drawn; the others are offered."""
    words = words_of(caption)
    draws = request.draws(caption)
    made: list[Perturbation] = []
    for i, word in enumerate(words.all):
        opposite = SMALL if word.lower in LARGE else LARGE if word.lower in SMALL else ()
        if not opposite or not _is_size(words, i):
            continue
        drawn = draws.choice(opposite)
        for new in [drawn, *(one for one in opposite if one != drawn)]:
            made.append(
                Perturbation(
                    request.rule,
                    "drop",
                    with_articles(words, [replace(word, new)]),
                    request.seed,
                    None,
                    f"{word.text} → {new}; sizes are not annotated, so this is not verified",
                    drawn=new == drawn,
                )
            )
    return tuple(made) or NotApplicable(request.rule, "no word for a size")


def _is_size(words: Words, i: int) -> bool:
    after = words.after(i)
    if after in _ADVERBIAL:
        return False
    if words.all[i].lower in ("little", "minor"):
        return after not in FUNCTION and after not in AFTER_NOUN
    return True
