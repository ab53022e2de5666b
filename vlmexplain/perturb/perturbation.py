"""A perturbation is data: the edits that make it, what it expects, and whether that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vlmexplain.errors import DataError

Expects = Literal["same", "drop", "unknown"]
"""What a perturbation should do to the similarity with the caption's image."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a caption.

    Attributes:
        start, end: the span in the caption, in characters (code points), end exclusive.
        before: what stands there, ``caption[start:end]``; empty for an insertion.
        after: what comes in its place; empty for a removal.
    """

    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What one rule makes of a caption.

    Attributes:
        rule: the key of the rule in `vlmexplain.perturb.rules.RULES`.
        expects: ``same`` for a paraphrase, ``drop`` for a flip, ``unknown`` where neither is sure.
        edits: the edits of the caption, in order, none overlapping.
        seed: the seed of the draws; the same caption, rule and seed give the same edits.
        verified: True when the flip is known to be false of the image by its annotations;
            False when it is known to hold; None when that is not known or not asked.
        note: what was changed and why it is (not) verified, for people.
        drawn: False for an alternative that is offered but was not drawn.
        baseline: the edits that make the text this one is scored against; none for the caption.
    """

    rule: str
    expects: Expects
    edits: tuple[Edit, ...]
    seed: int = 0
    verified: bool | None = None
    note: str = ""
    drawn: bool = True
    baseline: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A rule has nothing to do in this caption; ``because`` says why, such as "no colour word"."""

    rule: str
    because: str


Outcome = tuple[Perturbation, ...] | NotApplicable
"""What a rule gives: at least one perturbation, or the reason for none."""


def apply(caption: str, edits: Sequence[Edit]) -> str:
    """The caption with the edits made.

    >>> apply("a red bus", [Edit(2, 5, "red", "blue")])
    'a blue bus'

    Raises:
        DataError: an edit is not of this caption, or the edits overlap or are out of order.
    """
    pieces: list[str] = []
    place = 0
    for edit in edits:
        if not place <= edit.start <= edit.end or caption[edit.start : edit.end] != edit.before:
            raise _misfit(edit, caption)
        pieces += (caption[place : edit.start], edit.after)
        place = edit.end
    return "".join(pieces) + caption[place:]


def undo(text: str, edits: Sequence[Edit]) -> str:
    """The caption that `apply` with the same edits turned into ``text``.

    >>> undo("a blue bus", [Edit(2, 5, "red", "blue")])
    'a red bus'

    Raises:
        DataError: the text was not made by these edits.
    """
    return apply(text, inverse(edits))


def inverse(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits of the perturbed text that give the caption back.

    >>> inverse([Edit(0, 1, "A", "Two"), Edit(2, 5, "dog", "dogs")])[1]
    Edit(start=4, end=8, before='dogs', after='dog')
    """
    back: list[Edit] = []
    shift = 0
    for edit in edits:
        start = edit.start + shift
        back.append(Edit(start, start + len(edit.after), edit.after, edit.before))
        shift += len(edit.after) - len(edit.before)
    return tuple(back)


def perturbation_document(caption: str, perturbation: Perturbation) -> dict[str, Any]:
    """The perturbation as a JSON value, with its text."""
    return {
        "rule": perturbation.rule,
        "expects": perturbation.expects,
        "text": apply(caption, perturbation.edits),
        "edits": [
            {"start": e.start, "end": e.end, "before": e.before, "after": e.after}
            for e in perturbation.edits
        ],
        "seed": perturbation.seed,
        "verified": perturbation.verified,
        "note": perturbation.note,
        "drawn": perturbation.drawn,
        "against": apply(caption, perturbation.baseline),
    }


def _misfit(edit: Edit, caption: str) -> DataError:
    found = caption[edit.start : edit.end]
    return DataError(
        f"an edit of {edit.before!r} at {edit.start}:{edit.end} does not fit the text, "
        f"which has {found!r} there, or overlaps the edit before it.",
        remedy="Make the edits from this very caption, in order.",
    )
