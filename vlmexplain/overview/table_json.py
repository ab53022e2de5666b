"""The overview table as one JSON document, corrected figures included."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.bootstrap import Interval, draw_images, interval_of, summed_draws
from vlmexplain.overview.columns import Column
from vlmexplain.overview.table import OverviewRow, OverviewTable
from vlmexplain.positives.accepted import GalleryPositives, gallery_positives
from vlmexplain.positives.figures import KEYS, CorrectedFigures, corrected_figures
from vlmexplain.scoring.run_store import open_run

NO_LGIP = "there is no LGIP result of the model on this gallery"


def table_document(
    gallery: Gallery,
    table: OverviewTable,
    seed: int = 0,
    chosen: NDArray[np.bool_] | None = None,
) -> dict[str, Any]:
    """``{"rows": [...]}``, one row a run and figure.

    A row has ``run``, ``model``, ``figure``, ``value`` (null where ``undefined`` says why), ``low``
    and ``high`` (null where there is no interval) and ``n``, the number of cases.

    Args:
        gallery: whose runs the table has.
        seed: of the bootstrap, for the corrected figures; the table has its intervals.
        chosen: bool [n_captions], those that the table is over; None for all.

    Raises:
        StoreError: a run or a source of positives is damaged.
    """
    positives = gallery_positives(gallery) if table.rows else None
    rows: list[dict[str, Any]] = []
    for row in table.rows:
        own = (column for column in table.columns if column.group != "corrected")
        rows += [_of_table(table, row, column) for column in own]
        assert positives is not None
        rows += _corrected(gallery, row, positives, seed, chosen)
    return {"rows": rows}


def _of_table(table: OverviewTable, row: OverviewRow, column: Column) -> dict[str, Any]:
    figure = table.figure(row, column.key)
    because = None
    if figure.value is None:
        without = column.group == "lgip" and not row.lgip_key
        because = NO_LGIP if without else f"no {column.cases} to make it of"
    return _row(row, column.key, figure.value, because, figure.interval, figure.n_cases)


def _corrected(
    gallery: Gallery,
    row: OverviewRow,
    positives: GalleryPositives,
    seed: int,
    chosen: NDArray[np.bool_] | None,
) -> list[dict[str, Any]]:
    found = corrected_figures(gallery, open_run(row.run_key), positives, chosen)
    n = len(found.captions)
    intervals = _intervals(found, seed) if n else {}
    return [
        _row(row, key, found.mean(key), found.undefined.get(key), intervals.get(key), n)
        for key in KEYS
    ]


def _intervals(found: CorrectedFigures, seed: int) -> dict[str, Interval | None]:
    draws = draw_images(found.image_index, seed)
    counts = draws.sums(np.ones(len(found.captions)))
    sums = [(draws.sums(values), counts) for values in found.values.values()]
    drawn = summed_draws(draws, sums)
    return {
        key: interval_of(each, draws.n_groups)
        for key, each in zip(found.values, drawn, strict=True)
    }


def _row(
    row: OverviewRow,
    key: str,
    value: float | None,
    because: str | None,
    interval: Interval | None,
    n: int,
) -> dict[str, Any]:
    return {
        "run": row.run_key,
        "model": row.model,
        "figure": key,
        "value": value,
        "undefined": because,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": n,
    }
