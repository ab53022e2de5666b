"""Official and corrected figures side by side: how many failures are right answers."""

from __future__ import annotations

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.table import OverviewTable
from vlmexplain.positives.figures import RECALLS, CorrectedFigures
from vlmexplain.ui.shared import caches, kept
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.positives_of import corrected_of, positives_key, positives_of
from vlmexplain.ui.shared.scope import Scope, rows_of


def corrected_box(gallery: Gallery, table: OverviewTable, scope: Scope) -> Html | str:
    """A sentence and a small table for every run; nothing for a gallery without sources."""
    if not positives_key(gallery) or not positives_of(gallery).listed.any():
        return ""
    lines, said = [], []
    for row in table.rows:
        rows = None
        if not scope.everything:
            rows = rows_of(gallery, kept.run_columns(row.run_key), scope)
        found = corrected_of(gallery, caches.run(row.run_key), rows)
        said.append(_sentence(row.name, found))
        lines.append(_line(row.name, found))
    sources = ", ".join(positives_of(gallery).sources)
    names = ["Judged queries", *(f"R@{k} official → corrected" for k in RECALLS),
             "Failures: accepted first / nothing accepted"]  # fmt: skip
    heads = [tag("th", "Model", scope="col"),
             *(tag("th", name, scope="col", class_="r") for name in names)]  # fmt: skip
    return tag(
        "div",
        tag("h2", "Is it a failure at all?"),
        [tag("p", sentence) for sentence in said],
        wide("Official and corrected figures",
             tag("table", tag("thead", tag("tr", heads)), tag("tbody", lines)), also="rows"),
        tag("p", "Over the judged queries only. Official: the caption's own image; corrected: "
            f"every image that a source accepts ({sources}). What is not judged counts as wrong.",
            class_="quiet small"),
        class_="vx",
    )  # fmt: skip


def _sentence(name: str, found: CorrectedFigures) -> str:
    n = len(found.captions)
    if not n:
        return f"{name}: none of these queries is judged."
    share = f"{100 * (found.judged_share or 0):.1f} %"
    head = f"{name}: {n:,} of {found.n_queries:,} queries are judged ({share})"
    if not found.n_failures:
        return f"{head}; none of them fails."
    return (
        f"{head}; of their {found.n_failures:,} failures {found.n_false_failures:,} are right "
        f"answers ({100 * found.n_false_failures / found.n_failures:.0f} %)."
    )


def _line(name: str, found: CorrectedFigures) -> Html:
    cells = [f"{len(found.captions):,}"]
    for k in RECALLS:
        official, corrected = found.official_mean(k), found.mean(f"r{k}_corrected")
        cells.append(_both(official, corrected))
    rest = found.n_failures - found.n_false_failures
    cells.append(f"{found.n_false_failures:,} / {rest:,}")
    return tag("tr", tag("th", name, scope="row"), [tag("td", cell, class_="r") for cell in cells])


def _both(official: float | None, corrected: float | None) -> str:
    """Both figures and their difference in points.

    >>> _both(0.626, 0.774), _both(None, None)
    ('62.6 % → 77.4 % (+14.8)', 'undefined')
    """
    if official is None or corrected is None:
        return "undefined"
    gain = 100 * (corrected - official)
    return f"{100 * official:.1f} % → {100 * corrected:.1f} % ({gain:+.1f})"
