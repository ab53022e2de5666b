"""One caption now: the cache of its texts, and LGIP of the pair."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vlmexplain.lgip.figures import lgip_figures
from vlmexplain.lgip.live import ScoredPerturbation, pair_figures
from vlmexplain.lgip.text_cache import TextCache
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.perturb.engine import perturb_all
from vlmexplain.perturb.perturbation import NotApplicable, Perturbation


class CountingEncoder(FakeEncoder):
    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.asked: Counter[str] = Counter()

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.update(texts)
        return super().encode_texts(texts)


def all_of(caption: str, mode: str) -> list[Perturbation]:
    made = perturb_all(caption, mode=mode).values()
    return [one for own in made if not isinstance(own, NotApplicable) for one in own]


def scored(one: Perturbation, gaps: tuple[float, ...]) -> ScoredPerturbation:
    nothing = np.zeros(1, dtype=np.float32)
    return ScoredPerturbation(one, "", "", gaps, gaps, (False, False), "seen", nothing)


def test_figures_of_the_pair_are_those_of_its_lgip_rules() -> None:
    made = all_of("two dogs near a red bus", "paper")
    gaps = np.random.default_rng(1).uniform(-1, 1, (len(made), 2))
    every = [scored(one, tuple(own)) for one, own in zip(made, gaps.tolist(), strict=True)]
    assert {one.rule for one in made} > {"paper-paraphrase", "word-removed"}
    for image in (0, 1):
        figures = pair_figures(every, image)
        same = [p for p in every if p.perturbation.rule == "paper-paraphrase"]
        assert figures.n_invariance == len(same) == 6
        mean = sum(abs(p.gaps[image]) for p in same) / 6
        assert figures.invariance_error == pytest.approx(mean)
        assert {k: v.count for k, v in figures.by_type.items()} == {
            "color": 1,
            "number": 1,
            "object": 1,
        }
    assert pair_figures([]).by_type["color"].gap_mean is None
    hidden = [replace(one, visibility="past the cut") for one in every]
    assert pair_figures(hidden).not_seen == 9  # counted, and part of the means
    assert pair_figures(hidden).invariance_error == pair_figures(every).invariance_error


def test_texts_that_come_back_cost_nothing() -> None:
    encoder, cache = CountingEncoder(), TextCache()
    first = cache.vectors(encoder, ["a dog", "a cat", "a dog"])
    again = cache.vectors(encoder, ["a cat", "a dog", "a bird"])
    assert encoder.asked == {"a dog": 1, "a cat": 1, "a bird": 1}
    assert np.array_equal(first[[1, 0]], again[:2]) and np.array_equal(first[0], first[2])
    other = CountingEncoder(seed=5)
    assert not np.array_equal(cache.vectors(other, ["a dog"])[0], first[0])
    assert other.asked == {"a dog": 1}  # another model's vectors are its own
    assert cache.vectors(encoder, []).shape == (0, 64)


def test_the_cache_is_bounded_and_lets_the_oldest_go() -> None:
    encoder, cache = CountingEncoder(), TextCache(most_bytes=3 * 64 * 4)
    cache.vectors(encoder, ["a", "b", "c"])
    cache.vectors(encoder, ["a"])
    cache.vectors(encoder, ["d"])
    assert len(cache) == 3
    cache.vectors(encoder, ["a", "c", "d"])
    assert encoder.asked == {"a": 1, "b": 1, "c": 1, "d": 1}
    made = cache.vectors(encoder, [str(n) for n in range(50)])  # more than it holds
    assert made.shape == (50, 64) and len(cache) == 3


def test_the_cache_is_safe_between_threads() -> None:
    encoder, cache = FakeEncoder(), TextCache(most_bytes=10 * 64 * 4)
    wrong: list[str] = []

    def work(n: int) -> None:
        for i in range(200):
            text = f"word{(n * i) % 37}"
            if not np.array_equal(cache.vectors(encoder, [text])[0], expected[text]):
                wrong.append(text)

    expected = {f"word{i}": encoder.encode_texts([f"word{i}"])[0] for i in range(37)}
    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(cache) <= 10


gaps = arrays(np.float64, st.integers(0, 12), elements=st.floats(-2, 2, width=32))


@given(gaps, gaps, gaps)
def test_figures_equal_the_definition(same: np.ndarray, one: np.ndarray, two: np.ndarray) -> None:
    figures = lgip_figures(same, {"color": one, "sort": two})
    assert list(figures.by_type) == ["color", "number", "object", "sort"]
    assert figures.by_type["number"].gap_mean is None
    every = [*one.tolist(), *two.tolist()]
    assert figures.sensitivity.count == len(every)
    if every:
        assert figures.sensitivity.gap_mean == pytest.approx(sum(every) / len(every), abs=1e-9)
        assert figures.sensitivity.positive_rate == sum(g > 0 for g in every) / len(every)
    else:
        assert figures.sensitivity.gap_mean is figures.sensitivity.positive_rate is None
    if len(same):
        mean = sum(abs(g) for g in same.tolist()) / len(same)
        assert figures.invariance_error == pytest.approx(mean, abs=1e-9)
    else:
        assert figures.invariance_error is None
