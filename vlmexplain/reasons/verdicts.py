"""From effects and controls to a verdict; the rules, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.reasons.kinds import TIE_WITHIN, Verdict
from vlmexplain.reasons.reason import Test


def pull_verdict(tests: Sequence[Test]) -> Verdict:
    """Whether what was hidden draws the retrieved image up.

    *causal*: the effect lies above every control in every test; *opposite*: below every control
    in every test; *bystander*: within the controls in every test; *undecided* otherwise.
    Within 1e-6 of a control is within the controls. *untestable* without a test.

    >>> from vlmexplain.reasons.reason import Test
    >>> pull_verdict([Test("P", "mean", 0.3, (0.1, 0.2), 1, True)])
    'causal'
    """
    if not tests or not all(test.controls for test in tests):
        return "untestable"
    places = {place(test) for test in tests}
    if places == {1}:
        # Nothing draws an image up whose score does not fall without it.
        return "causal" if all(test.effect > TIE_WITHIN for test in tests) else "undecided"
    return {-1: "opposite", 0: "bystander"}[places.pop()] if len(places) == 1 else "undecided"  # type: ignore[return-value]


def unused_verdict(words: Test | None, hidden: Sequence[Test] = ()) -> Verdict:
    """Whether something that the caption asks for does not count for the model.

    *unused*: changing its words moves the margin less than every control does (within 1e-6 is
    less), and hiding it in the ground truth, where that was tried, lies within the controls
    under both fills; *used*: more than every control; *undecided* otherwise.

    >>> from vlmexplain.reasons.reason import Test
    >>> unused_verdict(Test("C", None, -0.0, (0.01, 0.02, 0.03), 2, False))
    'unused'
    """
    if words is None or not words.controls:
        return "untestable"
    moved = abs(words.effect)
    controls = [abs(value) for value in words.controls]
    if moved <= min(controls) + TIE_WITHIN:
        return "unused" if all(place(test) == 0 for test in hidden) else "undecided"
    return "used" if moved > max(controls) + TIE_WITHIN else "undecided"


def place(test: Test) -> int:
    """1 above every control, -1 below every control, 0 within or within 1e-6 of one."""
    if test.effect > max(test.controls) + TIE_WITHIN:
        return 1
    return -1 if test.effect < min(test.controls) - TIE_WITHIN else 0
