"""All figures of one run, or of some of its queries, each with its interval and its cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.overview.bootstrap import (
    Draws,
    Interval,
    Sums,
    distinct_values,
    draw_images,
    interval_of,
    median_draws,
    mode_draws,
    summed_draws,
)
from vlmexplain.overview.run_columns import RunColumns


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        key: one of `columns.COLUMNS`.
        value: None when it rests on nothing.
        n_cases: how many cases it rests on.
        interval: bootstrap over images; None when there is none to give.
        others: further values that are as common, for a mode with a tie.
        undefined_because: why there is no value, where more can be said than that nothing is there.
    """

    key: str
    value: float | None
    n_cases: int
    interval: Interval | None = None
    others: tuple[float, ...] = ()
    undefined_because: str = ""


def run_figures(
    columns: RunColumns, chosen: NDArray[np.bool_] | None = None, seed: int = 0
) -> tuple[Figure, ...]:
    """The figures over all queries, or over the chosen ones.

    Args:
        columns: of the run.
        chosen: bool [n_queries]; None for all.
        seed: of the bootstrap.
    """
    rows = slice(None) if chosen is None else np.flatnonzero(chosen)
    maker = _Maker(columns, rows, draw_images(columns.image_index[rows], seed))
    return maker.drawn([*maker.concepts(), *maker.informed(), *maker.retrieval()])


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A figure whose interval is still to be drawn; `bootstrap.Sums` are what it is drawn from."""

    key: str
    value: float
    n_cases: int
    sums: Sums


@dataclass(slots=True)
class _Maker:
    columns: RunColumns
    rows: NDArray[np.intp] | slice
    draws: Draws

    def of(self, name: str) -> NDArray[Any]:
        return self.columns.column(name)[self.rows]

    def concepts(self) -> list[Figure | _Ratio]:
        hit, miss = self.of("n_common"), self.of("n_only_ground_truth")
        equal, different = self.of("n_equal_multiplicity"), self.of("n_different_multiplicity")
        pairs, failure = self.of("n_ncs_pairs"), self.of("failure")
        both = hit.astype(np.int64) + miss
        counted = equal.astype(np.int64) + different
        n = int(np.count_nonzero(failure))
        return [
            self.total("n_failures", failure, len(failure)),
            self.mean("ca", "ca"),
            self.ratio("ncs_micro", self.of("sum_ps"), pairs),
            self.mean("ncs_macro", "ncs"),
            self.mean("ce", "ce"),
            self.mode("ce_mode", self.of("ce").astype(np.float64)),
            self.mean("sd", "sd"),
            self.total("hit", hit, n),
            self.total("miss", miss, n),
            self.ratio("matched_synsets", hit, both),
            self.ratio("enumeration_disagreement", different, counted),
            self.total("n_matchings", pairs, n),
        ]

    def informed(self) -> list[Figure | _Ratio]:
        return [
            *(self.mean(f"q_{name}", f"q_{name}") for name in ("ca", "ncs", "ce")),
            self.mode("q_ce_mode", self.of("q_ce").astype(np.float64)),
            self.mean("q_sd", "q_sd"),
        ]

    def retrieval(self) -> list[Figure | _Ratio]:
        rank = self.of("rank_1based").astype(np.int32)
        ranked = rank > 0
        reciprocal = np.where(ranked, 1 / np.maximum(rank, 1), 0.0)
        return [
            self.ratio("mrr", reciprocal, ranked),
            self.median("median_rank", rank, ranked),
            *(self.ratio(f"r{k}", ranked & (rank <= k), ranked) for k in (1, 5, 10)),
        ]

    def total(self, key: str, values: NDArray[Any], n_cases: int) -> _Ratio:
        value = float(values.sum(dtype=np.int64))
        return _Ratio(key, value, n_cases, (self.draws.sums(values), None))

    def ratio(self, key: str, above: NDArray[Any], below: NDArray[Any]) -> Figure | _Ratio:
        n_cases = int(below.sum(dtype=np.int64))
        if not n_cases:
            return Figure(key, None, 0)
        value = float(above.sum(dtype=np.float64)) / n_cases
        return _Ratio(key, value, n_cases, (self.draws.sums(above), self.draws.sums(below)))

    def drawn(self, parts: Sequence[Figure | _Ratio]) -> tuple[Figure, ...]:
        """The figures with their intervals, all drawn at once."""
        open_ones = [part for part in parts if isinstance(part, _Ratio)]
        drawn = iter(summed_draws(self.draws, [part.sums for part in open_ones]))
        return tuple(
            self._figure(part, next(drawn)) if isinstance(part, _Ratio) else part for part in parts
        )

    def _figure(self, part: _Ratio, drawn: NDArray[np.float64]) -> Figure:
        below = part.sums[1]
        n_groups = self.draws.n_groups if below is None else int(np.count_nonzero(below))
        return Figure(part.key, part.value, part.n_cases, interval_of(drawn, n_groups))

    def mean(self, key: str, name: str) -> Figure | _Ratio:
        values = self.of(name).astype(np.float64)
        defined = ~np.isnan(values)
        return self.ratio(key, np.where(defined, values, 0.0), defined)

    def median(self, key: str, values: NDArray[np.int32], known: NDArray[np.bool_]) -> Figure:
        if not known.any():
            return Figure(key, None, 0)
        draws = Draws(self.draws.group[known], self.draws.n_groups, self.draws.weights)
        drawn = median_draws(draws, values[known])
        value = float(np.median(values[known]))
        return Figure(key, value, int(known.sum()), interval_of(drawn, self._n_with(known)))

    def mode(self, key: str, values: NDArray[np.float64]) -> Figure:
        defined = ~np.isnan(values)
        found, counts, _ = distinct_values(values[defined])
        if not len(found):
            return Figure(key, None, 0)
        modes = found[counts == counts.max()].tolist()
        interval = interval_of(mode_draws(self.draws, values), self._n_with(defined))
        return Figure(key, modes[0], int(defined.sum()), interval, tuple(modes[1:]))

    def _n_with(self, cases: NDArray[Any]) -> int:
        """How many groups hold a case."""
        return int(np.count_nonzero(self.draws.sums(cases)))
