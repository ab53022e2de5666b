"""Which reason is said first; the order is declared once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vlmexplain.reasons.reason import Reason

ORDER: tuple[tuple[str, Callable[[Reason], bool]], ...] = (
    ("accepted", lambda r: r.kind == "fits_too"),
    ("no score or tie", lambda r: r.kind in ("no_score", "tie")),
    ("caption at odds", lambda r: r.kind == "caption_at_odds"),
    ("causal and fixing", lambda r: r.verdict == "causal" and r.fixes),
    ("hub", lambda r: r.kind == "hub"),
    ("unused", lambda r: r.verdict == "unused" and r.kind != "not_annotated"),
    ("causal", lambda r: r.verdict == "causal"),
)
"""Name, and which reasons it holds for; within one the largest effect comes first.

Words that nobody annotated are never a cause: that they do not count says nothing about the
difference between the images.
"""


def first_cause(reasons: Sequence[Reason]) -> int | None:
    """The place of the first cause among the reasons; None when none was found."""
    for name, holds in ORDER:
        fits = [n for n, reason in enumerate(reasons) if holds(reason)]
        if fits:
            by_effect = name.startswith("causal")
            return max(fits, key=lambda n: (reasons[n].effect if by_effect else 0.0, -n))
    return None
