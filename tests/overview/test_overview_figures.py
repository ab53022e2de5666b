"""Figures of a run against plain Python, and the intervals against a plain bootstrap."""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from run_world import nothing, random_columns

from vlmexplain.overview import bootstrap
from vlmexplain.overview.bootstrap import draw_images, median_draws, mode_draws, ratio_draws
from vlmexplain.overview.figures import run_figures
from vlmexplain.overview.run_columns import RunColumns


def plain(c: RunColumns, rows: list[int]) -> dict[str, tuple[float | None, int]]:
    """The same figures, one query at a time."""
    failures = [i for i in rows if c.failure[i]]
    ranks = [int(c.rank_1based[i]) for i in rows if c.rank_1based[i]]

    def mean(name: str) -> tuple[float | None, int]:
        values = [
            float(c.column(name)[i]) for i in failures if c.column(name)[i] == c.column(name)[i]
        ]
        return (sum(values) / len(values) if values else None), len(values)

    def total(name: str) -> int:
        return sum(int(c.column(name)[i]) for i in failures)

    def share(above: float, below: int) -> tuple[float | None, int]:
        return (above / below if below else None), below

    def mode(name: str) -> tuple[float | None, int]:
        values = [v for i in failures if (v := float(c.column(name)[i])) == v]
        modes = Counter(values)
        most = max(modes.values(), default=0)
        return min((v for v, n in modes.items() if n == most), default=None), len(values)

    hit, miss = total("n_common"), total("n_only_ground_truth")
    equal, different = total("n_equal_multiplicity"), total("n_different_multiplicity")
    pairs = total("n_ncs_pairs")
    return {
        "n_failures": (len(failures), len(rows)),
        "ca": mean("ca"),
        "ncs_micro": share(sum(float(c.sum_ps[i]) for i in failures), pairs),
        "ncs_macro": mean("ncs"),
        "ce": mean("ce"),
        "ce_mode": mode("ce"),
        "sd": mean("sd"),
        "hit": (hit, len(failures)),
        "miss": (miss, len(failures)),
        "matched_synsets": share(hit, hit + miss),
        "enumeration_disagreement": share(different, equal + different),
        "n_matchings": (pairs, len(failures)),
        **{f"q_{name}": mean(f"q_{name}") for name in ("ca", "ncs", "ce", "sd")},
        "q_ce_mode": mode("q_ce"),
        "mrr": share(sum(1 / r for r in ranks), len(ranks)),
        "median_rank": ((statistics.median(ranks) if ranks else None), len(ranks)),
        **{f"r{k}": share(sum(r <= k for r in ranks), len(ranks)) for k in (1, 5, 10)},
    }


@pytest.mark.parametrize("seed", range(6))
def test_figures_equal_plain_python(seed: int) -> None:
    columns = random_columns(n=40 + 13 * seed, seed=seed)
    chosen = np.random.default_rng(seed).random(len(columns)) < (1.0, 0.5)[seed % 2]
    found = {f.key: f for f in run_figures(columns, chosen)}
    expected = plain(columns, np.flatnonzero(chosen).tolist())
    assert set(found) == set(expected)
    for key, (value, n_cases) in expected.items():
        assert found[key].n_cases == n_cases, key
        assert found[key].value == (None if value is None else pytest.approx(value)), key
        interval = found[key].interval
        if interval is not None and key not in ("ce_mode", "q_ce_mode"):
            assert interval.low <= found[key].value <= interval.high, key


def test_undefined_everywhere_is_never_zero() -> None:
    columns = random_columns()
    hits = columns.rank_1based == 1
    found = {f.key: f for f in run_figures(columns, hits)}
    assert found["n_failures"].value == 0
    for key in ("ca", "ncs_micro", "ncs_macro", "ce", "ce_mode", "sd", "matched_synsets"):
        assert (found[key].value, found[key].n_cases, found[key].interval) == (None, 0, None)
    assert found["mrr"].value == 1


def test_no_query_at_all() -> None:
    for figure in run_figures(nothing()):
        assert figure.interval is None
        assert figure.value in (None, 0) and figure.n_cases == 0


def plain_draws(c: RunColumns, seed: int, draws: int) -> list[list[int]]:
    """The rows of each draw: whole images, with repeats, as `draw_images` weighs them."""
    made = draw_images(c.image_index, seed, draws)
    rows_of = [np.flatnonzero(made.group == g).tolist() for g in range(made.n_groups)]
    return [
        [i for g, times in enumerate(weights) for _ in range(int(times)) for i in rows_of[g]]
        for weights in made.weights.tolist()
    ]


def test_drawn_values_equal_those_of_the_drawn_rows() -> None:
    columns = random_columns(n=50, n_images=9, seed=4)
    made = draw_images(columns.image_index, 7, 30)
    rows = plain_draws(columns, 7, 30)
    defined = ~np.isnan(columns.ca)
    ca = ratio_draws(made, np.where(defined, columns.ca, 0), defined)
    ranked = columns.rank_1based > 0
    some = bootstrap.Draws(made.group[ranked], made.n_groups, made.weights)
    medians = median_draws(some, columns.rank_1based[ranked])
    modes = mode_draws(made, columns.ce)
    for n, drawn in enumerate(rows):
        expected = plain(columns, drawn)
        assert ca[n] == pytest.approx(expected["ca"][0])
        assert medians[n] == expected["median_rank"][0]
        assert modes[n] == expected["ce_mode"][0]
    assert {round(float(w.sum())) for w in made.weights} == {made.n_groups}


def test_many_images_are_drawn_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = random_columns(n=6000, n_images=1500, seed=2)
    whole = {f.key: f for f in run_figures(columns)}
    monkeypatch.setattr(bootstrap, "MOST_GROUPS", 300)
    grouped = {f.key: f for f in run_figures(columns)}
    for key in ("ca", "ncs_micro", "sd", "mrr", "r1"):
        wide = whole[key].interval.high - whole[key].interval.low
        assert grouped[key].value == pytest.approx(whole[key].value)
        assert grouped[key].interval.high - grouped[key].interval.low == pytest.approx(
            wide, rel=0.25
        )


def test_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(120):
        values = rng.exponential(1.0, 80)
        made = draw_images(np.arange(80, dtype=np.int32), 0)
        interval = bootstrap.interval_of(ratio_draws(made, values, np.ones(80)), 80)
        covered += interval.low <= 1.0 <= interval.high
    assert 0.85 <= covered / 120 <= 0.99


def test_same_seed_same_interval() -> None:
    columns = random_columns()
    assert run_figures(columns, seed=3) == run_figures(columns, seed=3)
    assert run_figures(columns, seed=3) != run_figures(columns, seed=4)
