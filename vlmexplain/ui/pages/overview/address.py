"""What the address says about the Overview page, beside which queries it is about."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.ui.pages.overview.selection import LONGEST, read_selection
from vlmexplain.ui.shared.address import Codec, one_of, part, text, whole
from vlmexplain.ui.shared.scope import ScopeAddress

VIEWS = ("figures", "distributions", "slices", "concepts")
KINDS = ("concept", "supercategory", "words", "objects")
AXES = ("ca", "ncs", "ce", "sd", "sd_raw", "rank_1based", "margin", "n_words")


def _selection(said: str) -> str:
    if said:
        read_selection(text(LONGEST)(said))
    return said


@dataclass(frozen=True, slots=True)
class OverviewAddress(ScopeAddress):
    """The state of the Overview page.

    Attributes:
        view: which of the four.
        behind: the number whose queries are listed (see `behind_view`), or "".
        kind: what the lines of the Slices view are made by.
        lines: which page of these lines, 0-based.
        x, y: the metrics of the Distributions view.
        within: what is selected in its charts (see `selection`), or "".
    """

    view: str = part("figures", one_of(*VIEWS))
    behind: str = part("", text(500))
    kind: str = part("concept", one_of(*KINDS))
    lines: int = part(0, whole())
    x: str = part("ca", one_of(*AXES))
    y: str = part("ncs", one_of(*AXES))
    within: str = part("", _selection)


OVERVIEW = Codec(OverviewAddress, "overview")
