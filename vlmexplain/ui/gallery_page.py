"""The Gallery page: what a gallery holds, and what its import took, left out and flagged."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.checks import Finding, ImportSummary, Severity
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ui.choice import chosen_gallery
from vlmexplain.ui.html import Html, tag
from vlmexplain.ui.messages import note, tells

HEADINGS: tuple[tuple[Severity, str], ...] = (
    ("left-out", "Left out"),
    ("flagged", "Taken, but look at"),
    ("taken", "Taken after a change"),
)
IDS_SHOWN = 40


@tells
def gallery_page() -> None:
    """Draw the page for the gallery chosen in the sidebar."""
    gallery = chosen_gallery()
    if gallery is None:
        st.html(tag("div", tag("h1", "Gallery"), class_="vx"))
        note(
            tag("p", "No gallery is chosen: the worked example has none."),
            tag("p", "Import COCO or Visual Genome on the Import page, or choose a data set."),
        )
        return
    st.html(_about(gallery))
    summary = gallery.checks()
    st.html(checks_list(summary))


def checks_list(summary: ImportSummary) -> Html:
    """The findings of the data checks by severity and code, with their ids."""
    if not summary.findings:
        return tag("div", tag("p", "The data checks found nothing to remark."), class_="vx")
    return tag(
        "div",
        [
            (tag("h2", heading, style="margin:14px 0 6px"), _findings(found))
            for severity, heading in HEADINGS
            if (found := summary.of(severity))
        ],
        class_="vx",
    )


def _about(gallery: Gallery) -> Html:
    manifest = gallery.manifest
    facts = [
        ("Images", f"{gallery.n_images:,}"),
        ("Captions", f"{gallery.n_captions:,}"),
        ("Annotated objects", f"{gallery.n_instances:,}"),
        ("Concepts", f"{manifest.n_concepts:,}"),
        ("Content hash", gallery.id),
        ("Image folder", manifest.images_folder),
        *[
            (source.role, f"{source.path} ({source.size_bytes:,} bytes)")
            for source in manifest.sources
        ],
    ]
    return tag(
        "div",
        tag(
            "h1",
            gallery.name,
            " ",
            tag("span", "drawn demo world", class_="pill drawn") if gallery.drawn else None,
        ),
        tag(
            "dl",
            [(tag("dt", name), tag("dd", value, class_="num")) for name, value in facts],
            class_="facts",
            style="margin-top:10px",
        ),
        class_="vx",
    )


def _findings(findings: tuple[Finding, ...]) -> Html:
    titles = tag(
        "tr",
        tag("th", "Count", scope="col", class_="r"),
        tag("th", "Code", scope="col"),
        tag("th", "What it means", scope="col"),
        tag("th", "Which", scope="col"),
    )
    return tag(
        "div",
        tag("table", tag("thead", titles), tag("tbody", [_finding(f) for f in findings])),
        class_="wide",
    )


def _finding(finding: Finding) -> Html:
    check = finding.check
    shown = ", ".join(finding.ids[:IDS_SHOWN])
    more = finding.count - min(len(finding.ids), IDS_SHOWN)
    return tag(
        "tr",
        tag("td", f"{finding.count:,}", class_="r"),
        tag("td", tag("code", finding.code)),
        tag("td", check.sentence, " ", tag("span", check.remedy, class_="quiet")),
        tag(
            "td",
            tag(
                "details",
                tag("summary", f"{check.about} ids"),
                tag("span", shown, f" and {more:,} more" if more > 0 else None),
            )
            if shown
            else None,
        ),
    )
