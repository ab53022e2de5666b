"""Two runs on the same queries, against plain Python."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from run_world import nothing, random_columns

from vlmexplain.errors import DataError
from vlmexplain.overview.comparison import (
    COMPARED,
    QUADRANTS,
    SIDES,
    compare_runs,
    quadrant_queries,
    query_differences,
    sided,
    sign_test,
)
from vlmexplain.overview.run_columns import RunColumns

LOW_IS_GOOD = {"ce", "sd"}


def two_runs(seed: int = 0) -> tuple[RunColumns, RunColumns]:
    a, b = random_columns(80, seed=seed), random_columns(80, seed=seed + 100)
    return a, replace(b, image_index=a.image_index)


def value(c: RunColumns, key: str, i: int) -> float:
    if key == "rr":
        return 1 / c.rank_1based[i] if c.rank_1based[i] else math.nan
    return float(c.column(key)[i])


@pytest.mark.parametrize("seed", range(4))
def test_against_plain_python(seed: int) -> None:
    a, b = two_runs(seed)
    found = compare_runs(a, b)
    ranked = [i for i in range(80) if a.rank_1based[i] and b.rank_1based[i]]
    for name, (wrong_a, wrong_b) in zip(
        QUADRANTS, ((False, False), (False, True), (True, False), (True, True)), strict=True
    ):
        rows = [i for i in ranked if (a.failure[i], b.failure[i]) == (wrong_a, wrong_b)]
        assert found.counts[name] == len(rows)
        assert sorted(quadrant_queries(found, name, "rr", a, b).tolist()) == rows
    for each in found.differences:
        pairs = [(value(a, each.key, i), value(b, each.key, i)) for i in ranked]
        pairs = [(x, y) for x, y in pairs if x == x and y == y]
        assert each.n == len(pairs)
        assert each.mean_a == pytest.approx(sum(x for x, _ in pairs) / len(pairs))
        assert each.difference == pytest.approx(sum(y - x for x, y in pairs) / len(pairs))
        sign = -1 if each.key in LOW_IS_GOOD else 1
        assert each.better_b == sum(sign * (y - x) > 0 for x, y in pairs)
        assert each.better_a == sum(sign * (y - x) < 0 for x, y in pairs)
        assert each.equal == len(pairs) - each.better_a - each.better_b
        assert each.interval.low <= each.difference <= each.interval.high
        every = quadrant_queries(found, None, each.key, a, b)
        behind = {side: sided(every, side, each.key, a, b) for side in SIDES}
        numbers = {"any": each.n, "a": each.better_a, "b": each.better_b, "equal": each.equal}
        assert {side: len(queries) for side, queries in behind.items()} == numbers
        gains = {i: sign * (value(b, each.key, i) - value(a, each.key, i)) for i in ranked}
        assert sorted(behind["a"].tolist()) == [i for i in ranked if gains[i] < 0]
        assert sorted(behind["any"].tolist()) == [i for i in ranked if gains[i] == gains[i]]


def test_over_some_queries_alone() -> None:
    a, b = two_runs(2)
    chosen = np.arange(80) % 3 == 0
    found = compare_runs(a, b, chosen)
    assert (found.quadrant[~chosen] == -1).all()
    rows = [i for i in range(80) if chosen[i] and a.rank_1based[i] and b.rank_1based[i]]
    assert sum(found.counts.values()) == len(rows)
    rr = found.differences[0]
    assert rr.n == len(rows)
    plain = [value(b, "rr", i) - value(a, "rr", i) for i in rows]
    assert rr.difference == pytest.approx(sum(plain) / len(plain))


def test_sign_test_is_the_binomial_sum() -> None:
    for wins, losses in ((3, 9), (1, 1), (0, 7), (12, 5)):
        n, few = wins + losses, min(wins, losses)
        tail = sum(math.comb(n, k) for k in range(few + 1)) / 2**n
        assert sign_test(wins, losses) == pytest.approx(min(1.0, 2 * tail))


def test_a_run_with_itself() -> None:
    a, _ = two_runs()
    found = compare_runs(a, a)
    assert found.counts["only-a"] == found.counts["only-b"] == 0
    assert found.right_p is None
    for each in found.differences:
        assert (each.difference, each.sign_p, each.better_a, each.better_b) == (0, None, 0, 0)


def test_exchanging_the_runs_turns_everything_round() -> None:
    a, b = two_runs(3)
    one, other = compare_runs(a, b), compare_runs(b, a)
    assert one.counts["only-a"] == other.counts["only-b"]
    assert one.right_p == other.right_p
    for left, right in zip(one.differences, other.differences, strict=True):
        assert left.difference == pytest.approx(-right.difference)
        assert (left.better_a, left.sign_p) == (right.better_b, right.sign_p)


def test_largest_difference_first_and_unknown_last() -> None:
    a, b = two_runs(5)
    found = compare_runs(a, b)
    for key in COMPARED:
        order = quadrant_queries(found, None, key, a, b)
        size = np.abs(query_differences(key, a, b)[order])
        known = size[~np.isnan(size)]
        assert np.all(np.diff(known) <= 0)
        assert np.isnan(size[len(known) :]).all()


def test_nothing_to_compare() -> None:
    found = compare_runs(nothing(), nothing())
    assert set(found.counts.values()) == {0}
    assert all(each.difference is None and each.n == 0 for each in found.differences)


def test_runs_of_other_queries_are_refused() -> None:
    with pytest.raises(DataError, match="same queries"):
        compare_runs(random_columns(10), random_columns(11))
