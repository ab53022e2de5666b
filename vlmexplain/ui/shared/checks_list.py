"""The findings of the data checks as a list."""

from __future__ import annotations

from collections.abc import Callable

from vlmexplain.datasets.checks import Finding, ImportSummary, Severity
from vlmexplain.ui.shared.html import Html, tag, wide

HEADINGS: tuple[tuple[Severity, str], ...] = (
    ("left-out", "Left out"),
    ("flagged", "Taken, but look at"),
    ("taken", "Taken after a change"),
)
IDS_SHOWN = 40
HEADS = (("Count", "r"), ("Code", None), ("What it means", None), ("Which", None))


def checks_list(summary: ImportSummary, link: Callable[[str], str] | None = None) -> Html:
    """The findings of the data checks by severity and code, with their ids.

    Args:
        link: from a code to where its images are shown; None for no links.
    """
    if not summary.findings:
        return tag("div", tag("p", "The data checks found nothing to remark."), class_="vx")
    return tag(
        "div",
        [
            (tag("h2", heading, style="margin:14px 0 6px"), _findings(found, link))
            for severity, heading in HEADINGS
            if (found := summary.of(severity))
        ],
        class_="vx",
    )


def _findings(findings: tuple[Finding, ...], link: Callable[[str], str] | None) -> Html:
    titles = [tag("th", text, scope="col", class_=align) for text, align in HEADS]
    body = [_finding(finding, link) for finding in findings]
    table = tag("table", tag("thead", tag("tr", titles)), tag("tbody", body))
    return wide("Findings", table)


def _finding(finding: Finding, link: Callable[[str], str] | None) -> Html:
    check = finding.check
    code: Html = tag("code", finding.code)
    if link is not None:
        code = tag("a", code, href=link(finding.code), title="Show the images")
    return tag(
        "tr",
        tag("td", f"{finding.count:,}", class_="r"),
        tag("td", code),
        tag("td", check.sentence, " ", tag("span", check.remedy, class_="quiet")),
        tag("td", ids_of(finding)),
    )


def ids_of(finding: Finding) -> Html | None:
    """The first ids a finding is about, and how many more."""
    shown = ", ".join(finding.ids[:IDS_SHOWN])
    more = finding.count - min(len(finding.ids), IDS_SHOWN)
    if not shown:
        return None
    return tag(
        "details",
        tag("summary", f"{finding.check.about} ids"),
        tag("span", shown, f" and {more:,} more" if more > 0 else None),
    )
