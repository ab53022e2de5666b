"""The queries behind a figure: those that it rests on, the worst first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vlmexplain.errors import UnknownName
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.positives.figures import KEYS

Rows = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def figure_queries(key: str, columns: RunColumns, rows: Rows) -> NDArray[np.intp]:
    """The queries that a figure of `figures.run_figures` rests on, the worst first; ties as stored.

    Of a recall they are those that it does not count, since these are what is to be explained.

    Args:
        key: of the figure.
        rows: bool [n_queries], those that the figure is over.

    Raises:
        UnknownName: no such figure.
    """
    if key not in _BEHIND:
        raise UnknownName("figure", key, _BEHIND)
    chosen, badness = _BEHIND[key](columns)
    found = np.flatnonzero(rows & chosen)
    return found[np.argsort(-badness[found], kind="stable")]


def _failures(columns: RunColumns) -> tuple[Rows, Numbers]:
    return columns.failure, columns.rank_1based.astype(np.float64)


def _defined(name: str, sign: int) -> Callable[[RunColumns], tuple[Rows, Numbers]]:
    """Failures where a metric has a value; ``sign`` is 1 where a high value is bad."""

    def found(columns: RunColumns) -> tuple[Rows, Numbers]:
        values = columns.column(name).astype(np.float64)
        return ~np.isnan(values), sign * np.nan_to_num(values)

    return found


def _counted(
    parts: tuple[str, ...], by: str, sign: int = 1
) -> Callable[[RunColumns], tuple[Rows, Numbers]]:
    """Failures where any of the counts is not 0, in the order of one of them."""

    def found(columns: RunColumns) -> tuple[Rows, Numbers]:
        some = np.zeros(len(columns), dtype=bool)
        for name in parts:
            some |= columns.column(name) > 0
        return some & columns.failure, sign * columns.column(by).astype(np.float64)

    return found


def _ranked(columns: RunColumns) -> tuple[Rows, Numbers]:
    return columns.rank_1based > 0, columns.rank_1based.astype(np.float64)


def _beyond(k: int) -> Callable[[RunColumns], tuple[Rows, Numbers]]:
    return lambda columns: (columns.rank_1based > k, columns.rank_1based.astype(np.float64))


_BEHIND: dict[str, Callable[[RunColumns], tuple[Rows, Numbers]]] = {
    "n_failures": _failures,
    "ca": _defined("ca", -1),
    "ncs_micro": _counted(("n_ncs_pairs",), "ncs", -1),
    "ncs_macro": _defined("ncs", -1),
    "ce": _defined("ce", 1),
    "ce_mode": _defined("ce", -1),
    "sd": _defined("sd", 1),
    "hit": _counted(("n_common",), "n_common"),
    "miss": _counted(("n_only_ground_truth",), "n_only_ground_truth"),
    "matched_synsets": _counted(("n_common", "n_only_ground_truth"), "n_only_ground_truth"),
    "enumeration_disagreement": _counted(
        ("n_equal_multiplicity", "n_different_multiplicity"), "n_different_multiplicity"
    ),
    "n_matchings": _counted(("n_ncs_pairs",), "n_ncs_pairs"),
    "mrr": _ranked,
    "median_rank": _ranked,
    **{f"r{k}": _beyond(k) for k in (1, 5, 10)},
    **dict.fromkeys(KEYS, _ranked),
    **{f"q_{name}": _defined(f"q_{name}", sign) for name, sign in
       (("ca", -1), ("ncs", -1), ("ce", 1), ("sd", 1))},
    "q_ce_mode": _defined("q_ce", -1),
}  # fmt: skip
