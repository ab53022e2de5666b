"""The table of the paper: one row a run, one column a figure, best and worst marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vlmexplain.overview.bootstrap import Interval
from vlmexplain.overview.columns import COLUMNS, Column, column_of
from vlmexplain.overview.figures import Figure
from vlmexplain.scoring.run_store import RunManifest

ONLY_WHERE_PRESENT = ("corrected", "lgip")
"""Groups of columns that a table without their figures does not have."""

Mark = Literal["best", "worst", ""]


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One run.

    Attributes:
        run_key, gallery_id: which run.
        model, mode: of what; ``name`` tells it from the other rows.
        drawn: gallery or model is of the drawn world.
        n_queries: how many queries the figures are over.
        figures: by key.
        lgip_key: of the LGIP result that its figures are from, or "".
    """

    run_key: str
    gallery_id: str
    name: str
    model: str
    mode: str
    drawn: bool
    n_queries: int
    figures: Mapping[str, Figure] = field(default_factory=dict)
    lgip_key: str = ""


@dataclass(frozen=True, slots=True)
class OverviewTable:
    """Runs of one gallery and the columns that any of them has."""

    rows: tuple[OverviewRow, ...]
    columns: tuple[Column, ...]

    def figure(self, row: OverviewRow, key: str) -> Figure:
        """The figure of a row; one that was not computed has no value and no case."""
        return row.figures.get(key) or Figure(key, None, 0)

    def mark(self, row: OverviewRow, key: str) -> Mark:
        """Whether the row is the best or the worst of the column; equal values share the mark."""
        good = column_of(key).good
        values = [v for r in self.rows if (v := self.figure(r, key).value) is not None]
        own = self.figure(row, key).value
        if good == "none" or own is None or len(values) < 2 or min(values) == max(values):
            return ""
        best, worst = (max, min) if good == "high" else (min, max)
        return "best" if own == best(values) else "worst" if own == worst(values) else ""


def overview_table(
    runs: Sequence[tuple[RunManifest, Sequence[Figure], int]],
    lgip_keys: Mapping[str, str] | None = None,
) -> OverviewTable:
    """Put runs beside each other.

    Args:
        runs: manifest, figures, and the number of queries that the figures are over.
        lgip_keys: by run key, the LGIP result that its figures are from.
    """
    names = [manifest.model.name for manifest, _, _ in runs]
    rows = tuple(
        OverviewRow(
            run_key=manifest.key,
            gallery_id=manifest.gallery_id,
            name=_name(manifest, names),
            model=manifest.model.name,
            mode=manifest.mode,
            drawn=manifest.drawn,
            n_queries=n_queries,
            figures={figure.key: figure for figure in figures},
            lgip_key=(lgip_keys or {}).get(manifest.key, ""),
        )
        for manifest, figures, n_queries in runs
    )
    present = {key for row in rows for key in row.figures}
    return OverviewTable(
        rows, tuple(c for c in COLUMNS if c.key in present or c.group not in ONLY_WHERE_PRESENT)
    )


def overlap(left: Interval | None, right: Interval | None) -> bool:
    """Whether two intervals share a number; an unknown one overlaps everything."""
    if left is None or right is None:
        return True
    return left.low <= right.high and right.low <= left.high


def _name(manifest: RunManifest, names: Sequence[str]) -> str:
    name = manifest.model.name
    return name if names.count(name) == 1 else f"{name} ({manifest.key[:6]}, top {manifest.k})"
