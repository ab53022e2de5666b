"""Paraphrases by template that keep to grammar: phrases and sentences take different ones."""

from __future__ import annotations

from vlmexplain.perturb.lexis import FINITE_PLURAL, FINITE_SINGULAR, FUNCTION, MODIFIERS
from vlmexplain.perturb.objects import FORMS
from vlmexplain.perturb.paper import PARAPHRASES_A_CAPTION
from vlmexplain.perturb.perturbation import Edit, NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import Words, in_case_of, words_of

PHRASE_TEMPLATES = (
    "a photo of {}",
    "an image of {}",
    "a picture of {}",
    "{} in the scene",
    "a scene showing {}",
    "this image shows {}",
)
"""For a noun phrase ("a dog on a sofa")."""

ANY_TEMPLATES = ("in this image, {}", "in the picture, {}")
"""For a noun phrase and for a sentence ("a dog sits on a sofa")."""


def careful_paraphrases(caption: str, request: Request) -> Outcome:
    """The benchmark's templates that fit, with the capitals and the full stop where they belong."""
    words = words_of(caption)
    if not words.all:
        return NotApplicable(request.rule, "the caption has no words")
    phrase = not _has_verb(words) and not _has_second_sentence(caption)
    templates = [*(PHRASE_TEMPLATES if phrase else ()), *ANY_TEMPLATES]
    made = [
        Perturbation(
            request.rule, "same", _edits(words, template, request), request.seed, None, template
        )
        for template in templates
    ]
    return tuple(request.draws(caption).sample(made, PARAPHRASES_A_CAPTION))


def _edits(words: Words, template: str, request: Request) -> tuple[Edit, ...]:
    caption, first, last = words.caption, words.all[0], words.all[-1]
    before, after = template.split("{}")
    start = len(caption) - len(caption.lstrip())
    edits: list[Edit] = []
    if before:
        opening = in_case_of(first.text[:1], before)
        if first.start == start and _is_lowered(words, request):
            letter = first.text[:1]
            edits.append(Edit(start, start + 1, letter, opening + letter.lower()))
        else:
            edits.append(Edit(start, start, "", opening))
    if after:
        edits.append(Edit(last.end, last.end, "", after))
    return tuple(edits)


def _is_lowered(words: Words, request: Request) -> bool:
    """Whether the first word has its capital only for standing first."""
    word = words.all[0]
    if not word.text[:1].isupper() or (len(word.text) > 1 and not word.text[1:].islower()):
        return False
    if len(word.text[:1].lower()) != 1:
        return False  # a letter that has no single small one
    if word.lower in FUNCTION or word.lower in MODIFIERS or word.lower in FORMS:
        return True
    lexicon = request.lexicon
    if lexicon is None:
        return False
    bases = {word.lower, *lexicon.lemmatize(word.lower, "n")}
    spellings = {
        lemma
        for base in bases
        for pos in ("n", "a", "v")
        for sense in lexicon.senses(base, pos)[:1]
        for lemma in lexicon.lemmas(sense)
    }
    return any(base in spellings for base in bases)


def _has_verb(words: Words) -> bool:
    """Whether the caption has, or may have, a finite verb: then it is read as a sentence."""
    for i, word in enumerate(words.all):
        if word.lower in FINITE_SINGULAR or word.lower in ("can", "will", "am", "there's", "it's"):
            return True
        if word.lower in FINITE_PLURAL and i > 0:
            before = words.all[i - 1].lower
            if before.endswith("s") or before in ("people", "men", "women", "children", "and"):
                return True
        if word.lower in ("are", "were", "there"):
            return True
    return False


def _has_second_sentence(caption: str) -> bool:
    return any(mark in caption.rstrip(" \t\n.!?\"'") for mark in (". ", "! ", "? ", "; ", ": "))
