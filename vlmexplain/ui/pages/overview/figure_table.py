"""The overview table as the page shows it: every number a link to the queries behind it."""

from __future__ import annotations

from vlmexplain.lgip.samples import FLIP_TYPES
from vlmexplain.overview.columns import Column
from vlmexplain.overview.figures import Figure
from vlmexplain.overview.table import OverviewRow, OverviewTable
from vlmexplain.overview.table_text import ARROW, MARK, interval_text, value_text
from vlmexplain.ui.pages.overview.behind_view import behind_link
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.explore_address import EXPLORE
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.lgip_address import FLIPS, LGIP, PARAPHRASES
from vlmexplain.ui.shared.words import drawn_pill

GROUPS = {
    "concepts": "Concepts, over each model's own failures",
    "informed": "The same, query-informed: only what the caption mentions counts",
    "retrieval": "Ranks, over all ranked queries",
    "corrected": "Ranks with every accepted image, over the judged queries",
    "lgip": "Language-guided invariance probing",
}
MINUS = "−"
MARK_WORDS = {"best": "best of the line", "worst": "worst of the line", "": ""}


def figure_table(table: OverviewTable, everything: bool) -> Html:
    """One line a figure, one column a run.

    Args:
        everything: whether the figures are over all queries: then a number opens the Explore
            page, else the list of the queries that it is over.
    """
    body: list[Html] = []
    for group, heading in GROUPS.items():
        columns = [column for column in table.columns if column.group == group]
        if columns:
            title = tag("th", heading, colspan=1 + len(table.rows), scope="rowgroup")
            body += [tag("tr", title, class_="group"),
                     *(_line(table, c, everything) for c in columns)]  # fmt: skip
    return tag(
        "div",
        tag("div",
            tag("table",
                tag("caption", "Figures of every run, with their intervals", class_="sr"),
                tag("thead", tag("tr", tag("th", "Figure", scope="col"), map(_head, table.rows))),
                tag("tbody", body)),
            class_="wide overview", tabindex=0, role="region", aria_label="Overview table"),
        class_="vx",
    )  # fmt: skip


def _head(row: OverviewRow) -> Html:
    return tag(
        "th",
        tag("div", row.name, class_="model"),
        tag("div", f"{row.mode}, {row.n_queries:,} queries", class_="quiet"),
        drawn_pill() if row.drawn else None,
        scope="col",
        class_="r",
    )


def _line(table: OverviewTable, column: Column, everything: bool) -> Html:
    name = tag(
        "th",
        tag("span", column.title, title=column.meaning),
        " ",
        tag("span", ARROW[column.good] or "·", class_="dir", title=column.good_text()),
        tag("span", column.good_text(), class_="sr"),
        scope="row",
    )
    return tag("tr", name, [_cell(table, row, column, everything) for row in table.rows])


def _cell(table: OverviewTable, row: OverviewRow, column: Column, everything: bool) -> Html:
    figure, mark = table.figure(row, column.key), table.mark(row, column.key)
    return tag(
        "td",
        tag("div", _value(row, column, figure, everything), _mark(mark),
            class_=f"value {mark}".strip()),
        tag("div", _rests_on(row, column, figure), class_="rests"),
        class_="r",
        data_figure=f"{column.key}",
    )  # fmt: skip


def _value(row: OverviewRow, column: Column, figure: Figure, everything: bool) -> Html:
    text = value_text(column, figure).replace("-", MINUS)
    if figure.value is None:
        return tag("span", text, class_="undefined", title=figure.undefined_because or None)
    title = (
        f"{column.title}: open the {column.cases if lgip_cases(column) else 'queries'} behind it"
    )
    show = "cases" if lgip_cases(column) else None
    return tag("a", text, href=_link(row, column, everything), title=title, data_show=show)


def _link(row: OverviewRow, column: Column, everything: bool) -> str:
    if column.group == "lgip":
        return LGIP.link(
            gallery=short(row.gallery_id),
            run=short(row.run_key),
            lgip=short(row.lgip_key),
            cases=lgip_cases(column),
        )
    if everything and column.group != "corrected":
        return EXPLORE.link(gallery=short(row.gallery_id), run=short(row.run_key), **column.opens)
    return behind_link(row.run_key, f"figure:{column.key}")


def lgip_cases(column: Column) -> str:
    """Which list of the LGIP page holds a figure's triples, or "" for another figure.

    >>> from vlmexplain.overview.columns import column_of
    >>> [lgip_cases(column_of(key)) for key in ("lgip_invariance", "lgip_gap_color", "ca")]
    ['paraphrases', 'color', '']
    """
    if column.group != "lgip":
        return ""
    if column.key == "lgip_invariance":
        return PARAPHRASES
    return next((kind for kind in FLIP_TYPES if column.key.endswith(f"_{kind}")), FLIPS)


def _mark(mark: str) -> Html | None:
    if not mark:
        return None
    return tag("b", MARK[mark], role="img", aria_label=MARK_WORDS[mark], title=MARK_WORDS[mark])  # type: ignore[index]


def _rests_on(row: OverviewRow, column: Column, figure: Figure) -> str:
    if column.group == "lgip" and not row.lgip_key:
        return "LGIP was not run with this model"
    interval = interval_text(column, figure).replace("-", MINUS)
    cases = f"{figure.n_cases:,} {column.cases}"
    return f"{interval} · {cases}" if interval else cases
