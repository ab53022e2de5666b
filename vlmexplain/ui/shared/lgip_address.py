"""What the address says about the LGIP page: which result, and which of its triples."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.ui.shared.address import Codec, PageAddress, part, text, whole

PARAPHRASES = "paraphrases"
FLIPS = "flips"


@dataclass(frozen=True, slots=True)
class LgipAddress(PageAddress):
    """The state of the LGIP page.

    Attributes:
        lgip: beginning of the result's key, or "" for the latest of the chosen model.
        cases: which list a link meant: `PARAPHRASES`, `FLIPS` or a flip type; "" for none.
        cases_at: which page of that list, 0-based.
    """

    lgip: str = part("", text())
    cases: str = part("", text())
    cases_at: int = part(0, whole())


LGIP = Codec(LgipAddress, "lgip")
