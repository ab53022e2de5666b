"""The quick parts of the bootstrap against their plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from run_world import random_columns

from vlmexplain.overview import bootstrap
from vlmexplain.overview.bootstrap import (
    Draws,
    distinct_values,
    draw_images,
    median_draws,
    ratio_draws,
    summed_draws,
)


def plain_medians(draws: Draws, values: np.ndarray) -> list[float]:
    found = []
    for weights in draws.weights:
        times = weights[draws.group].astype(int)
        drawn = np.repeat(values, times)
        found.append(float(np.median(drawn)) if len(drawn) else np.nan)
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [2, 40, 3000])
def test_medians_are_those_of_the_drawn_rows(seed: int, spread: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 400))
    images = rng.integers(0, 60, n).astype(np.int32)
    values = rng.integers(1, spread, n).astype(np.int32)
    # half of the time all rows of an image are alike, so that drawn medians lie far apart
    if seed % 2:
        values = (images * 7 % spread + 1).astype(np.int32)
    draws = draw_images(images, seed, 50)
    assert median_draws(draws, values).tolist() == plain_medians(draws, values)


def test_median_of_few_images_is_looked_for_further_out(monkeypatch: pytest.MonkeyPatch) -> None:
    images = np.repeat(np.arange(3, dtype=np.int32), 100)
    values = np.concatenate([np.arange(100), np.arange(500, 600), np.arange(9000, 9100)])
    draws = draw_images(images, 1, 60)
    found = median_draws(draws, values.astype(np.int32)).tolist()
    assert found == plain_medians(draws, values)
    assert min(found) < 100 and max(found) > 9000
    monkeypatch.setattr(bootstrap, "MEDIAN_WITHIN", (0.03,))
    assert median_draws(draws, values.astype(np.int32)).tolist() != found


def test_many_figures_at_once_are_those_one_by_one() -> None:
    columns = random_columns(200, 40, 3)
    draws = draw_images(columns.image_index, 2, 40)
    below = columns.failure
    several = summed_draws(
        draws,
        [
            (draws.sums(columns.n_common), draws.sums(below)),
            (draws.sums(columns.n_common), None),
            (draws.sums(below), draws.sums(np.zeros(len(columns)))),
        ],
    )
    for found, above, under in zip(
        several,
        (columns.n_common, columns.n_common, below),
        (below, None, np.zeros(len(columns))),
        strict=True,
    ):
        for drawn, weights in zip(found, draws.weights, strict=True):
            times = weights[draws.group]
            top = float((times * above).sum())
            bottom = None if under is None else float((times * under).sum())
            expected = top if bottom is None else top / bottom if bottom else np.nan
            assert drawn == pytest.approx(expected, nan_ok=True)
        assert np.allclose(found, ratio_draws(draws, above, under), equal_nan=True)


@pytest.mark.parametrize("seed", range(4))
def test_images_are_numbered_as_a_sort_would(seed: int) -> None:
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 50, int(rng.integers(0, 60))).astype(np.int32)
    draws = draw_images(images, seed, 3)
    known, group = np.unique(images, return_inverse=True)
    assert draws.n_groups == len(known)
    assert draws.group.tolist() == group.tolist()


@pytest.mark.parametrize("kind", ["int32", "float64"])
def test_distinct_values_are_those_of_unique(kind: str) -> None:
    values = np.random.default_rng(0).integers(0, 9, 80).astype(kind) / (2 if "f" in kind else 1)
    for found, expected in zip(distinct_values(values[:0].astype(kind)), ([], [], []), strict=True):
        assert found.tolist() == expected
    known, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    found = distinct_values(values)
    assert [each.tolist() for each in found] == [known.tolist(), counts.tolist(), place.tolist()]


def test_any_whole_number_is_a_seed() -> None:
    images = np.arange(6, dtype=np.int32)
    draws = draw_images(images, -1, 3)
    np.testing.assert_array_equal(draws.weights, draw_images(images, 2**64 - 1, 3).weights)
