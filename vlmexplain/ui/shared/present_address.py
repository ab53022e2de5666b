"""What the address says about the Present page: the address is the saved list."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.ui.shared.address import Codec, PageAddress, part, text, whole

MOST_SLIDES = 50


@dataclass(frozen=True, slots=True)
class PresentAddress(PageAddress):
    """The state of a presentation.

    Attributes:
        list: the queries, separated by commas; "" for the first of the Explore page's list.
        notes: what is said of each, separated by ``|``.
        slide: which of them is shown, 1-based.
    """

    list: str = part("", text(20 * MOST_SLIDES))
    notes: str = part("", text(8000))
    slide: int = part(1, whole(1))


PRESENT = Codec(PresentAddress, "present")
