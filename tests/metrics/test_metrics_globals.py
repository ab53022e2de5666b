"""The global figures, each against its formula, and what each rests on."""

from __future__ import annotations

import numpy as np
import pytest
from metric_cases import LENGTHS, VOCABULARY, image_of
from test_metrics_batch import table_of

from vlmexplain.metrics.batch import score_pairs
from vlmexplain.metrics.globals import GlobalFigure, global_figures
from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.records import ImageAnnotations, Instance

BOX, LARGE = (0.0, 0.0, 10.0, 10.0), (0.0, 0.0, 10.0, 20.0)
CROWD = ImageAnnotations(100, 100, (Instance("a.n.01", BOX, crowd=True),))
GALLERY = [
    image_of(("a", BOX), ("a", BOX), ("b", BOX), ("c", None)),  # 0
    image_of(("a", LARGE), ("d", None)),  # 1
    image_of(("a", BOX), ("b", BOX), ("b", None)),  # 2
    image_of(("f", None)),  # 3
    CROWD,  # 4
]
# 0-1: common a (2:1), left b, c against d; one size pair, D_A = 1
# 0-2: common a (2:1), b (1:2), left c against nothing; two size pairs, D_A = 0
# 0-3: nothing common, no path between a, b, c and f
# 0-4: common a, a crowd; left b, c against nothing
PAIRS = np.array([0, 0, 0, 0]), np.array([1, 2, 3, 4])
RANKS = np.array([1, 2, 7, 20, 3])


def figures(scores: PairScores, ranks: np.ndarray) -> dict[str, GlobalFigure]:
    found = global_figures(scores, ranks)
    by_key = {figure.key: figure for figure in found}
    assert len(by_key) == len(found)
    return by_key


@pytest.fixture(scope="module")
def of_four() -> dict[str, GlobalFigure]:
    return figures(score_pairs(table_of(GALLERY), *PAIRS, LENGTHS), RANKS)


PS = 1 / (1 + min(LENGTHS[VOCABULARY.index("b.n.01"), 3], LENGTHS[2, 3]))


@pytest.mark.parametrize(
    ("key", "value", "n_cases", "cases"),
    [
        ("n_failures", 4, 4, "failures"),
        ("ca", (1 / 3 + 2 / 3 + 0 / 3 + 1 / 3) / 4, 4, "failures"),
        ("hit", 1 + 2 + 0 + 1, 4, "failures"),
        ("miss", 2 + 1 + 3 + 2, 4, "failures"),
        ("matched_synsets", 4 / (4 + 8), 12, "ground-truth concepts"),
        ("ncs_micro", PS / 1, 1, "matchings"),
        ("ncs_macro", PS / 1, 1, "failures"),
        ("n_matchings", 1, 4, "failures"),
        ("matchings_share", 1 / (8 + (1 + 0 + 1 + 0)), 10, "non-common synsets of both images"),
        ("ce", (1 + 2) / 2, 2, "failures"),
        ("n_equal_multiplicity", 0, 4, "failures"),
        ("n_different_multiplicity", 1 + 2, 4, "failures"),
        ("n_crowd_not_counted", 1, 4, "failures"),
        ("enumeration_disagreement", 3 / 3, 3, "common concepts that can be counted"),
        ("sd", (1 / 1 + 0 / 2) / 2, 2, "failures"),
        ("sd_raw", (1.0 + 0.0) / 2, 2, "failures"),
        ("mrr", (1 + 1 / 2 + 1 / 7 + 1 / 20 + 1 / 3) / 5, 5, "queries"),
        ("median_rank", 3, 5, "queries"),
        ("r1", 1 / 5, 5, "queries"),
        ("r5", 3 / 5, 5, "queries"),
        ("r10", 4 / 5, 5, "queries"),
    ],
)
def test_figures(
    of_four: dict[str, GlobalFigure], key: str, value: float, n_cases: int, cases: str
) -> None:
    figure = of_four[key]
    assert figure.value == pytest.approx(value, abs=1e-12)
    assert (figure.n_cases, figure.cases) == (n_cases, cases)


def test_a_mode_with_a_tie_shows_both(of_four: dict[str, GlobalFigure]) -> None:
    assert (of_four["ce_mode"].value, of_four["ce_mode"].others) == (1, (2,))


def test_micro_and_macro_differ() -> None:
    left, right = image_of(("a", None), ("e", None)), image_of(("b", None), ("d", None))
    scores = score_pairs(
        table_of([left, right, image_of(("a", None)), image_of(("c", None))]),
        np.array([0, 2]), np.array([1, 3]), LENGTHS,
    )  # fmt: skip
    found = figures(scores, RANKS)
    # a-b 1/2 and e-d 1/6 in one failure, a-c 1/3 in the other
    assert found["ncs_micro"].value == pytest.approx((1 / 2 + 1 / 6 + 1 / 3) / 3)
    assert found["ncs_macro"].value == pytest.approx(((1 / 2 + 1 / 6) / 2 + 1 / 3) / 2)


def test_no_failures_leave_means_undefined_and_totals_zero() -> None:
    none = np.zeros(0, int)
    found = figures(score_pairs(table_of(GALLERY), none, none, LENGTHS), none)
    for key, figure in found.items():
        assert figure.n_cases == 0
        assert figure.value == (0 if figure.unit == "count" else None), key
    assert found["ce_mode"].others == ()
