"""How similarities, shifts and places are written on the Perturb page."""

from __future__ import annotations

import math

from vlmexplain.live.retrieval import Retrieval
from vlmexplain.perturb.seen import TIE

MINUS = "−"


def similarity_text(value: float) -> str:
    """A similarity in four decimals, with a proper minus; a dash where there is none.

    >>> similarity_text(0.23118), similarity_text(-0.02), similarity_text(float("nan"))
    ('0.2312', '−0.0200', '–')
    """
    return "–" if math.isnan(value) else f"{value:.4f}".replace("-", MINUS)


def shift_text(value: float) -> str:
    """A difference with its sign; within 1e-6 of nothing it is a tie.

    >>> shift_text(0.01), shift_text(-0.00004), shift_text(0.0000004)
    ('+0.0100', '−0.00004', '= tie')
    """
    if math.isnan(value):
        return "–"
    if abs(value) <= TIE:
        return "= tie"
    shown = f"{value:+.4f}" if abs(value) >= 5e-5 else f"{value:+.6f}".rstrip("0")
    return MINUS + shown[1:] if value < 0 else shown


def rank_text(found: Retrieval | None) -> str:
    """The place of the ground truth among how many, and whether it shares its score."""
    if found is None:
        return "–"
    if found.rank_1based is None:
        return "unranked"
    tie = " (tie)" if found.n_tied else ""
    return f"{found.rank_1based:,}{tie} of {found.n_ranked:,}"


def rank_change(before: Retrieval | None, after: Retrieval | None) -> tuple[str, str]:
    """The new place, and ``better``, ``worse`` or ``same`` against the old one."""
    if after is None or after.rank_1based is None:
        return ("–" if after is None else "unranked"), "same"
    shown = f"{after.rank_1based:,}" + (" tie" if after.n_tied else "")
    if before is None or before.rank_1based is None or before.rank_1based == after.rank_1based:
        return shown, "same"
    return shown, "better" if after.rank_1based < before.rank_1based else "worse"
