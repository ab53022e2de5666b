"""The findings of the data checks, each with its pictures."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.finding_pictures import finding_images
from vlmexplain.ui.pages.gallery.address import GALLERY
from vlmexplain.ui.pages.gallery.pictures import draw_chosen, draw_tiles
from vlmexplain.ui.shared.checks_list import checks_list, ids_of
from vlmexplain.ui.shared.html import tag


def draw_findings(gallery: Gallery) -> None:
    """The list of findings, or the pictures of the one that the address names."""
    summary = gallery.checks()
    codes = {finding.code: finding for finding in summary.findings}
    code = GALLERY.now().finding
    if code not in codes:
        st.html(checks_list(summary, _link))
        return
    finding = codes[code]
    back = GALLERY.here(finding="", at=0, gimage=None)
    st.html(
        tag(
            "div",
            tag("p", tag("a", "◂ All findings", href=back)),
            tag("h2", f"{finding.count:,} × ", tag("code", code)),
            tag("p", finding.check.sentence, " ", finding.check.remedy, class_="quiet"),
            class_="vx",
        )
    )
    images = finding_images(gallery, finding)
    if not len(images):
        why = (
            "What was left out is not in the gallery, so there is no picture to show."
            if finding.check.severity == "left-out"
            else "No picture of the gallery belongs to it."
        )
        st.html(tag("div", tag("p", why), ids_of(finding), class_="vx"))
        return
    draw_chosen(gallery)
    draw_tiles(gallery, images.tolist(), "The pictures it is about")


def _link(code: str) -> str:
    return GALLERY.here(gview="checks", finding=code, at=0)
