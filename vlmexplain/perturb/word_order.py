"""Words taken out, one at a time, and words in another order: what the model makes of grammar."""

from __future__ import annotations

from vlmexplain.perturb.perturbation import Edit, NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request
from vlmexplain.perturb.words import words_of


def word_removed(caption: str, request: Request) -> Outcome:
    """One perturbation a word, each without that word and the blanks beside it."""
    words = words_of(caption)
    if len(words.all) < 2:
        return NotApplicable(request.rule, "there are fewer than two words")
    drawn = request.draws(caption).below(len(words.all))
    made: list[Perturbation] = []
    for i, word in enumerate(words.all):
        start, end = word.start, word.end
        while end < len(caption) and caption[end].isspace():
            end += 1
        if end == word.end or end == len(caption):
            while start > 0 and caption[start - 1].isspace():
                start -= 1
        edit = Edit(start, end, caption[start:end], "")
        note = f"without {word.text!r}"
        made.append(
            Perturbation(
                request.rule, "unknown", (edit,), request.seed, None, note, drawn=i == drawn
            )
        )
    return tuple(made)


def words_shuffled(caption: str, request: Request) -> Outcome:
    """The words in a drawn order; marks and blanks stay where they are."""
    words = words_of(caption)
    texts = [word.text for word in words.all]
    if len(set(texts)) < 2:
        return NotApplicable(request.rule, "there are fewer than two different words")
    order = request.draws(caption).shuffled(texts)
    if order == texts:
        order = texts[1:] + texts[:1]
    edits = tuple(
        Edit(word.start, word.end, word.text, new)
        for word, new in zip(words.all, order, strict=True)
        if word.text != new
    )
    note = "the same words in another order"
    return (Perturbation(request.rule, "unknown", edits, request.seed, None, note),)
