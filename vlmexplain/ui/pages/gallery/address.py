"""What the address says about the Gallery page."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.ui.shared.address import Codec, ListAddress, one_of, part, text, whole

VIEWS = ("checks", "pictures", "concepts", "positives", "runs", "sizes")


@dataclass(frozen=True, slots=True)
class GalleryAddress(ListAddress):
    """The state of the Gallery page.

    Attributes:
        gview: which of the views.
        finding: code of the data check whose images are shown, or "".
        gconcept: the concept whose images are shown, or "" for all.
        gimage: the image that is shown in full, or None.
    """

    gview: str = part("checks", one_of(*VIEWS))
    finding: str = part("", text())
    gconcept: str = part("", text())
    gimage: int | None = part(None, whole())


GALLERY = Codec(GalleryAddress, "gallery")
