"""LGIP's figures for the overview table, with intervals from the stored triples."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.errors import StoreError
from vlmexplain.lgip.figures import lgip_figures
from vlmexplain.lgip.result import LgipResult
from vlmexplain.lgip.samples import FLIP_TYPES
from vlmexplain.overview.bootstrap import draw_images, interval_of, ratio_draws
from vlmexplain.overview.figures import Figure

_NAMES = ["image_index", "caption_index", "kind", "flip_type", "gap"]


def lgip_overview(
    result: LgipResult, seed: int = 0, chosen: NDArray[np.bool_] | None = None
) -> tuple[Figure, ...]:
    """Invariance error, gap and positive rate, and the last two by flip type.

    Over all triples the values are those that the result stores; the intervals draw whole images.

    Args:
        chosen: bool [n_captions], only the triples of these captions; triples of a caption that
            the gallery does not have are then left out.

    Raises:
        StoreError: the result's triples are missing or damaged.
    """
    table = _triples(result)
    image = table.column("image_index").to_numpy()
    gap = table.column("gap").to_numpy().astype(np.float64)
    flip = _is(table.column("kind"), "flip")
    of_type = {kind: flip & _is(table.column("flip_type"), kind) for kind in FLIP_TYPES}
    kept, found = np.ones(len(gap), dtype=bool), result.figures
    if chosen is not None:
        caption = table.column("caption_index").to_numpy()
        kept = (caption >= 0) & chosen[caption]
        others = {"": flip & ~np.logical_or.reduce(list(of_type.values()))}
        found = lgip_figures(
            gap[kept & ~flip], {k: gap[kept & rows] for k, rows in (of_type | others).items()}
        )

    def figure(
        key: str, value: float | None, values: NDArray[np.float64], rows: NDArray[np.bool_]
    ) -> Figure:
        rows = rows & kept
        n = int(rows.sum())
        if value is None or not n:
            return Figure(key, None, 0)
        draws = draw_images(image[rows], seed)
        drawn = ratio_draws(draws, values[rows], np.ones(n))
        return Figure(key, value, n, interval_of(drawn, draws.n_groups))

    above = (gap > 0).astype(np.float64)
    every = found.sensitivity
    figures = [
        figure("lgip_invariance", found.invariance_error, np.abs(gap), ~flip),
        figure("lgip_gap", every.gap_mean, gap, flip),
        figure("lgip_positive", every.positive_rate, above, flip),
    ]
    for kind, rows in of_type.items():
        own = found.by_type.get(kind)
        figures += [
            figure(f"lgip_gap_{kind}", own.gap_mean if own else None, gap, rows),
            figure(f"lgip_positive_{kind}", own.positive_rate if own else None, above, rows),
        ]
    return tuple(figures)


def _triples(result: LgipResult) -> pa.Table:
    try:
        return pq.read_table(result.triples_path, columns=_NAMES)
    except (OSError, pa.ArrowInvalid) as error:
        raise StoreError(
            "the triples are missing or damaged.",
            where=str(result.triples_path),
            remedy="Remove the folder and run LGIP again.",
        ) from error


def _is(column: pa.ChunkedArray, text: str) -> NDArray[np.bool_]:
    same = pc.fill_null(pc.equal(column, text), False)
    result: NDArray[np.bool_] = same.to_numpy()
    return result
