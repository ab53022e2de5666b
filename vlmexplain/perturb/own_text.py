"""The user's own text, as edits of the caption."""

from __future__ import annotations

from vlmexplain.perturb.diff import edits_between
from vlmexplain.perturb.perturbation import NotApplicable, Outcome, Perturbation
from vlmexplain.perturb.request import Request


def own_text(caption: str, request: Request) -> Outcome:
    """The edits that make the caption into the user's text."""
    assert request.text is not None
    if request.text == caption:
        return NotApplicable(request.rule, "the text is the caption")
    edits = edits_between(caption, request.text)
    return (Perturbation(request.rule, "unknown", edits, request.seed, None, "your own text"),)
