"""The findings of the data checks, each with its pictures."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.checks import Finding, ImportSummary, Severity
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.finding_pictures import finding_images
from vlmexplain.ui.gallery.pictures import draw_chosen, draw_tiles
from vlmexplain.ui.html import Html, tag, wide
from vlmexplain.ui.overview import address

HEADINGS: tuple[tuple[Severity, str], ...] = (
    ("left-out", "Left out"),
    ("flagged", "Taken, but look at"),
    ("taken", "Taken after a change"),
)
IDS_SHOWN = 40
HEADS = (("Count", "r"), ("Code", None), ("What it means", None), ("Which", None))


def draw_findings(gallery: Gallery) -> None:
    """The list of findings, or the pictures of the one that the address names."""
    summary = gallery.checks()
    codes = {finding.code: finding for finding in summary.findings}
    code = address.part("finding", codes)
    if not code:
        st.html(checks_list(summary, with_pictures=True))
        return
    finding = codes[code]
    back = address.same_page("gallery", finding=None, at=None, gimage=None)
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
        st.html(tag("div", tag("p", why), _ids(finding), class_="vx"))
        return
    draw_chosen(gallery)
    draw_tiles(gallery, images.tolist(), "The pictures it is about")


def checks_list(summary: ImportSummary, *, with_pictures: bool = False) -> Html:
    """The findings of the data checks by severity and code, with their ids.

    Args:
        with_pictures: whether a code leads to its pictures, as on the Gallery page.
    """
    if not summary.findings:
        return tag("div", tag("p", "The data checks found nothing to remark."), class_="vx")
    return tag(
        "div",
        [
            (tag("h2", heading, style="margin:14px 0 6px"), _findings(found, with_pictures))
            for severity, heading in HEADINGS
            if (found := summary.of(severity))
        ],
        class_="vx",
    )


def _findings(findings: tuple[Finding, ...], with_pictures: bool) -> Html:
    titles = [tag("th", text, scope="col", class_=align) for text, align in HEADS]
    body = [_finding(finding, with_pictures) for finding in findings]
    table = tag("table", tag("thead", tag("tr", titles)), tag("tbody", body))
    return wide("Findings", table)


def _finding(finding: Finding, with_pictures: bool) -> Html:
    check = finding.check
    code: Html = tag("code", finding.code)
    if with_pictures:
        link = address.same_page("gallery", gview="checks", finding=finding.code, at=None)
        code = tag("a", code, href=link, title="Show the pictures")
    return tag(
        "tr",
        tag("td", f"{finding.count:,}", class_="r"),
        tag("td", code),
        tag("td", check.sentence, " ", tag("span", check.remedy, class_="quiet")),
        tag("td", _ids(finding)),
    )


def _ids(finding: Finding) -> Html | None:
    shown = ", ".join(finding.ids[:IDS_SHOWN])
    more = finding.count - min(len(finding.ids), IDS_SHOWN)
    if not shown:
        return None
    return tag(
        "details",
        tag("summary", f"{finding.check.about} ids"),
        tag("span", shown, f" and {more:,} more" if more > 0 else None),
    )
