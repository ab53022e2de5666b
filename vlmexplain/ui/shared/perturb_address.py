"""What the address says about the Perturb page.

Data set, run, query and place are called as on the Explore page, whose other parts are carried
along, so that the way back leads to the same list.
"""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.live.occlusion import MOST_CELLS
from vlmexplain.perturb.rules import MODES, Mode
from vlmexplain.ui.shared.address import (
    Codec,
    PageAddress,
    flag,
    like,
    one_of,
    part,
    text,
    whole,
)

MOST_CHARACTERS = 2000
_mode = one_of(*MODES)


@dataclass(frozen=True, slots=True)
class PerturbAddress(PageAddress):
    """The state of the Perturb page.

    Attributes:
        query: place of the caption in the gallery, or None for the first failure.
        place: which image of the ranking it is compared with, 1-based.
        caption: the text that is tried; None for that of the query.
        image: the image a typed caption belongs to, where there is no query.
        other: the image it is compared with; None for the one that was retrieved.
        mode: which of the two sets of LGIP rules.
        seed: of the rules' draws.
        pick: which perturbation is looked at; "" for the caption itself.
        model: the model where the data set has no run; "" for the run's.
        second: the model beside it; "" for none.
        cells: parts of the shorter side in the image weights.
        offered: whether all that the rules offer is scored, and not only what was drawn.
    """

    query: int | None = part(None, whole())
    place: int = part(1, whole(1))
    caption: str | None = part(None, text(MOST_CHARACTERS))
    image: int | None = part(None, whole(0, 10**9))
    other: int | None = part(None, whole(0, 10**9))
    mode: Mode = part("careful", _mode)
    seed: int = part(0, whole(0, 10**6))
    pick: str = part("", like(r"[a-z-]{1,40}\.[0-9]{1,4}"))
    model: str = part("", text(400))
    second: str = part("", text(400))
    cells: int = part(6, whole(1, MOST_CELLS))
    offered: bool = part(False, flag)


PERTURB = Codec(PerturbAddress, "perturb")
