"""A list of queries with their ranks and metrics, each a link to all its evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.shared import kept
from vlmexplain.ui.shared.explore_address import query_link
from vlmexplain.ui.shared.handover_control import draw_list_handover
from vlmexplain.ui.shared.query_rows import draw_rows
from vlmexplain.ui.shared.words import value_text

METRICS = ("ca", "ncs", "ce", "sd")
HEADS = ("Rank", "CA", "NCS", "CE", "SD")
NOTHING = "No query is among them."


def draw_queries(gallery: Gallery, run: Run, queries: Sequence[int]) -> None:
    """Draw one page of the list, in the order given, and what takes the list elsewhere."""
    columns = kept.run_columns(run.key)

    def row(query: int) -> tuple[str, str, Sequence[str]]:
        rank = int(columns.rank_1based[query])
        failed = bool(columns.failure[query])
        values = [_cell(key, float(columns.column(key)[query]), failed) for key in METRICS]
        cells = [f"{rank:,}" if rank else "unranked", *values]
        link = query_link(gallery.id, run.key, query)
        return gallery.caption(query).text, link, cells

    draw_rows(OVERVIEW, queries, HEADS, row, NOTHING)
    draw_list_handover(gallery, run, queries)


def _cell(key: str, value: float, failed: bool) -> str:
    """A metric as the Explore page writes it."""
    if math.isnan(value):
        return "undefined" if failed else "–"
    return value_text(key, value)
