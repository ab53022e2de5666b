"""What the address says about the Audit page."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.overview.audit import SIGNS
from vlmexplain.ui.shared.address import Codec, ListAddress, one_of, part, whole


@dataclass(frozen=True, slots=True)
class AuditAddress(ListAddress):
    """The state of the Audit page.

    Attributes:
        sign: which sign of a wrong annotation is looked for.
        aquery: the caption that is shown, or None for the first of the list.
    """

    sign: str = part("lowest", one_of(*SIGNS))
    aquery: int | None = part(None, whole())


AUDIT = Codec(AuditAddress, "audit")
