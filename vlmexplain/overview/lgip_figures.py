"""LGIP's figures for the overview table, with intervals from the stored triples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vlmexplain.lgip.figures import LgipFigures, lgip_figures
from vlmexplain.lgip.result import LgipResult
from vlmexplain.lgip.samples import FLIP_TYPES
from vlmexplain.overview.bootstrap import draw_images, interval_of, summed_draws
from vlmexplain.overview.figures import Figure

_NAMES = ["image_index", "caption_index", "kind", "flip_type", "gap"]
OTHER, SAME = len(FLIP_TYPES), len(FLIP_TYPES) + 1
"""Codes of triples: the place in `FLIP_TYPES`, a flip of another type, a paraphrase."""
FLIPS = tuple(range(OTHER + 1))


@dataclass(frozen=True, slots=True)
class Gaps:
    """The triples of a result, all arrays [n_triples].

    Attributes:
        image_index, caption_index: int32; -1 for a caption that the gallery does not have.
        code: int8, which kind.
        gap: float64.
    """

    image_index: NDArray[np.int32]
    caption_index: NDArray[np.int32]
    code: NDArray[np.int8]
    gap: NDArray[np.float64]

    def of(self, codes: tuple[int, ...], kept: NDArray[np.bool_] | None) -> NDArray[np.intp]:
        """The triples of these kinds, of the kept ones only."""
        wanted = np.zeros(SAME + 1, dtype=bool)
        wanted[list(codes)] = True
        rows = wanted[self.code]
        return np.flatnonzero(rows if kept is None else rows & kept)


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
    with result.reading_triples():
        gaps = _gaps(str(result.triples_path))
    kept, found = None, result.figures
    if chosen is not None:
        kept = (gaps.caption_index >= 0) & chosen[gaps.caption_index]
        found = _figures_of(gaps, kept)
    every = found.sensitivity
    same, flips = _Kind(gaps, (SAME,), kept, seed), _Kind(gaps, FLIPS, kept, seed)
    figures = [
        same.mean("lgip_invariance", found.invariance_error, np.abs),
        flips.mean("lgip_gap", every.gap_mean, np.asarray),
        flips.mean("lgip_positive", every.positive_rate, _positive),
    ]
    for code, kind in enumerate(FLIP_TYPES):
        own, rows = found.by_type.get(kind), _Kind(gaps, (code,), kept, seed)
        figures += [
            rows.mean(f"lgip_gap_{kind}", own.gap_mean if own else None, np.asarray),
            rows.mean(f"lgip_positive_{kind}", own.positive_rate if own else None, _positive),
        ]
    return tuple(figures)


class _Kind:
    """The triples of some kinds, and the draws of their images."""

    def __init__(
        self, gaps: Gaps, codes: tuple[int, ...], kept: NDArray[np.bool_] | None, seed: int
    ):
        rows = gaps.of(codes, kept)
        self._gap = gaps.gap[rows]
        self._draws = draw_images(gaps.image_index[rows], seed)
        self._counts = self._draws.sums(np.ones(len(rows)))

    def mean(
        self,
        key: str,
        value: float | None,
        measure: Callable[[NDArray[np.float64]], NDArray[np.generic]],
    ) -> Figure:
        n = len(self._gap)
        if value is None or not n:
            return Figure(key, None, 0)
        sums = self._draws.sums(measure(self._gap))
        drawn = summed_draws(self._draws, [(sums, self._counts)])[0]
        return Figure(key, value, n, interval_of(drawn, self._draws.n_groups))


def _positive(gap: NDArray[np.float64]) -> NDArray[np.bool_]:
    return gap > 0


def _figures_of(gaps: Gaps, kept: NDArray[np.bool_]) -> LgipFigures:
    flips = {kind: gaps.gap[gaps.of((code,), kept)] for code, kind in enumerate(FLIP_TYPES)}
    flips[""] = gaps.gap[gaps.of((OTHER,), kept)]
    return lgip_figures(gaps.gap[gaps.of((SAME,), kept)], flips)


@lru_cache(maxsize=2)
def _gaps(path: str) -> Gaps:
    """The triples of a result, which never changes: 17 bytes each are kept."""
    table = pq.read_table(path, columns=_NAMES, read_dictionary=["kind", "flip_type"])
    flip = _is(table.column("kind"), "flip")
    code = np.where(flip, OTHER, SAME).astype(np.int8)
    for number, kind in enumerate(FLIP_TYPES):
        code[flip & _is(table.column("flip_type"), kind)] = number
    return Gaps(
        table.column("image_index").to_numpy(),
        table.column("caption_index").to_numpy(),
        code,
        table.column("gap").to_numpy().astype(np.float64),
    )


def _is(column: pa.ChunkedArray, text: str) -> NDArray[np.bool_]:
    same = pc.fill_null(pc.equal(column, text), False)
    result: NDArray[np.bool_] = same.to_numpy()
    return result
