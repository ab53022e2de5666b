"""What the address says about the Compare page, beside which queries it is about."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.overview.comparison import COMPARED, QUADRANTS, SIDES
from vlmexplain.ui.shared.address import Codec, one_of, part, text, whole
from vlmexplain.ui.shared.scope import ScopeAddress

ALL = "all"


@dataclass(frozen=True, slots=True)
class CompareAddress(ScopeAddress):
    """The state of the Compare page.

    Attributes:
        a, b: beginnings of the runs' keys, or "" for the two latest.
        quadrant: whose successes are listed; `ALL` for every query.
        by: the metric that orders the list.
        side: whose side the listed differences are on; "" for either.
        cquery: the query that is shown in full, or None.
    """

    a: str = part("", text(80))
    b: str = part("", text(80))
    quadrant: str = part("only-a", one_of(ALL, *QUADRANTS))
    by: str = part("rr", one_of(*COMPARED))
    side: str = part("", one_of("", *SIDES))
    cquery: int | None = part(None, whole())


COMPARE = Codec(CompareAddress, "compare")
