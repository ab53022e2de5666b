"""The queries behind each figure, against plain Python over the same outcomes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from run_world import nothing, random_columns

from vlmexplain.errors import UnknownName
from vlmexplain.overview.behind import figure_queries
from vlmexplain.overview.columns import COLUMNS
from vlmexplain.overview.figures import run_figures
from vlmexplain.overview.run_columns import RunColumns

KEYS = [column.key for column in COLUMNS if column.group != "lgip"]
Plain = Callable[[RunColumns, int], float | None]


def value(name: str, sign: int = 1) -> Plain:
    """How bad a query is by one metric; None when it is not behind the figure."""

    def found(c: RunColumns, i: int) -> float | None:
        number = float(c.column(name)[i])
        return None if number != number else sign * number

    return found


def count(by: str, *parts: str) -> Plain:
    return lambda c, i: (
        float(c.column(by)[i]) if sum(int(c.column(p)[i]) for p in parts or (by,)) else None
    )


def rank_over(least: int) -> Plain:
    return lambda c, i: float(c.rank_1based[i]) if c.rank_1based[i] > least else None


PLAIN: dict[str, Plain] = {
    "n_failures": lambda c, i: float(c.rank_1based[i]) if c.failure[i] else None,
    "ca": value("ca", -1),
    "ncs_macro": value("ncs", -1),
    "ce": value("ce"),
    "ce_mode": value("ce", -1),
    "sd": value("sd"),
    "hit": count("n_common"),
    "miss": count("n_only_ground_truth"),
    "matched_synsets": count("n_only_ground_truth", "n_common", "n_only_ground_truth"),
    "enumeration_disagreement": count(
        "n_different_multiplicity", "n_different_multiplicity", "n_equal_multiplicity"
    ),
    "n_matchings": count("n_ncs_pairs"),
    "q_ca": value("q_ca", -1),
    "q_ncs": value("q_ncs", -1),
    "q_ce": value("q_ce"),
    "q_ce_mode": value("q_ce", -1),
    "q_sd": value("q_sd"),
    "mrr": rank_over(0),
    "median_rank": rank_over(0),
    "r1": rank_over(1),
    "r5": rank_over(5),
    "r10": rank_over(10),
}


@pytest.mark.parametrize("key", KEYS)
def test_every_figure_has_its_queries_the_worst_first(key: str) -> None:
    columns = random_columns(90, seed=3)
    rows = np.random.default_rng(5).random(90) < 0.7
    found = figure_queries(key, columns, rows).tolist()
    if key == "ncs_micro":  # in the order of NCS, those with a matched pair
        assert set(found) == {i for i in range(90) if rows[i] and columns.n_ncs_pairs[i]}
        return
    bad = {i: b for i in range(90) if rows[i] and (b := PLAIN[key](columns, i)) is not None}
    assert found == sorted(bad, key=lambda i: (-bad[i], i))


def test_a_mean_opens_as_many_queries_as_it_rests_on() -> None:
    columns = random_columns(120, seed=8)
    rows = np.ones(120, dtype=bool)
    n_cases = {figure.key: figure.n_cases for figure in run_figures(columns, rows)}
    for key in ("ca", "ncs_macro", "ce", "ce_mode", "sd", "mrr", "median_rank", "q_ca", "q_sd"):
        assert len(figure_queries(key, columns, rows)) == n_cases[key] > 0, key


def test_nothing_behind_nothing() -> None:
    empty = nothing()
    for key in KEYS:
        assert figure_queries(key, empty, np.zeros(0, dtype=bool)).tolist() == []
    with pytest.raises(UnknownName, match="Did you mean 'sd'"):
        figure_queries("sdd", empty, np.zeros(0, dtype=bool))
