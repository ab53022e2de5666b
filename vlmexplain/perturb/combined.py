"""A careful paraphrase and a careful flip at once; scored against the paraphrase."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from vlmexplain.perturb.careful_colour import careful_colours
from vlmexplain.perturb.careful_number import careful_numbers
from vlmexplain.perturb.careful_object import careful_objects
from vlmexplain.perturb.careful_paraphrase import careful_paraphrases
from vlmexplain.perturb.diff import edits_between
from vlmexplain.perturb.perturbation import Edit, NotApplicable, Outcome, Perturbation, apply
from vlmexplain.perturb.request import Request

_FLIPS = (careful_objects, careful_colours, careful_numbers)


def combined(caption: str, request: Request) -> Outcome:
    """Each careful flip of the caption inside one drawn paraphrase of it."""
    paraphrases = careful_paraphrases(caption, request)
    if isinstance(paraphrases, NotApplicable):
        return paraphrases
    flips: list[Perturbation] = []
    for make in _FLIPS:
        made = make(caption, request)
        flips += () if isinstance(made, NotApplicable) else made
    if not flips:
        return NotApplicable(request.rule, "no word to flip")
    paraphrase = request.draws(caption).choice(paraphrases)
    return tuple(_join(caption, paraphrase, flip) for flip in flips)


def _join(caption: str, paraphrase: Perturbation, flip: Perturbation) -> Perturbation:
    """The flip's edits and the paraphrase's, joined where they meet at the first letter."""
    note = f"{flip.note}; inside: {paraphrase.note}"
    edits = merged(paraphrase.edits, flip.edits)
    if edits is None:
        edits = edits_between(caption, _on_top(caption, paraphrase, flip))
    return replace(flip, edits=edits, note=note, baseline=paraphrase.edits)


def merged(one: tuple[Edit, ...], other: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
    """Both lists of edits of a text in order; None when two of them touch the same letters."""
    both = sorted((*one, *other), key=lambda edit: (edit.start, edit.end))
    apart = all(a.end <= b.start for a, b in pairwise(both))
    return tuple(both) if apart else None


def _on_top(caption: str, paraphrase: Perturbation, flip: Perturbation) -> str:
    """The paraphrase of the flipped caption: its template, with the first letter lowered."""
    flipped = apply(caption, flip.edits)
    first = paraphrase.edits[0]
    assert len(first.before) == 1 and flipped[first.start] != ""
    letter = flipped[first.start]
    head = flipped[: first.start] + first.after[:-1] + letter.lower()
    tail = flipped[first.start + 1 :]
    return head + tail
