"""A list of queries with their ranks and metrics, each a link to all its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.overview import kept
from vlmexplain.ui.overview.links import explore_link
from vlmexplain.ui.overview.query_rows import draw_rows

HEADS = ("Rank", "CA", "NCS", "CE", "SD")
NOTHING = "No query is among them."


def draw_queries(page: str, gallery: Gallery, run: Run, queries: Sequence[int]) -> None:
    """Draw one page of the list, in the order given."""
    columns = kept.run_columns(run.key)

    def row(query: int) -> tuple[str, str, Sequence[str]]:
        rank = int(columns.rank_1based[query])
        values = (columns.ca[query], columns.ncs[query], columns.ce[query], columns.sd[query])
        failed = bool(columns.failure[query])
        cells = [f"{rank:,}" if rank else "unranked", *(_cell(value, failed) for value in values)]
        link = explore_link(gallery.id, run.key, {"query": query, "failures": "no"})
        return gallery.caption(query).text, link, cells

    draw_rows(page, queries, HEADS, row, NOTHING)


def _cell(value: float, failed: bool) -> str:
    if value == value:
        return f"{value:.3f}"
    return "undefined" if failed else "–"
