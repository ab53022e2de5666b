"""The analysis against numbers worked out by hand."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.analysis.agreement import alpha_interval
from vlmexplain.ratings.analysis.alpha import Level, alphas
from vlmexplain.ratings.analysis.analyse import Analysis, analyse
from vlmexplain.ratings.analysis.text import analysis_text
from vlmexplain.ratings.plan.classes import DEFAULT_CLASSES, FailureClass
from vlmexplain.ratings.plan.rows import RatingData, RatingRow
from vlmexplain.ratings.plan.spec import SessionSpec

A, B, C = (FailureClass(key, key.title()) for key in ("action", "details", "scene"))


def row(item: int, rater: int | None, rating: int | None = None, **parts: Any) -> RatingRow:
    return RatingRow(
        **{
            "item": item,
            "occurrence": 0,
            "caption_index": 10 + item,
            "query": f"query {item}",
            "ground_truth_image": item,
            "retrieved_image": 100 + item,
            "rater": rater,
            "version": 0 if rater is None else 1,
            "status": "unrated" if rater is None else "answered",
            "rating": rating,
            "first_rating": rating,
            **parts,
        }
    )


def analysed(*rows: RatingRow, **questions: Any) -> Analysis:
    spec = SessionSpec(**{"name": "by hand", "classes": (A, B, C), **questions})
    return analyse(RatingData("abcdef", spec, rows), resamples=100)


@pytest.fixture
def three_items() -> Analysis:
    """Items 0, 1 with two raters, item 2 with one, item 3 with none."""
    return analysed(
        row(0, 1, 2, classes=("action", "details"), seconds=10.0),
        row(0, 2, 4, classes=("details",), seconds=20.0),
        row(1, 1, 7, classes=("action",), seconds=60.0, version=2, first_rating=6),
        row(1, 1, 9, classes=("scene",), is_current=False),  # edited away
        row(1, 2, 7),
        row(2, 1, 10, classes=("action", "details", "scene")),
        row(3, None),
        row(2, 2, None, status="skipped", version=0),
        row(0, 1, 3, occurrence=1, classes=("details", "action"), seconds=5.0),
        row(1, 1, 7, occurrence=1, classes=("scene",)),
    )


def test_counts(three_items: Analysis) -> None:
    found = three_items
    assert (found.n_items, found.n_items_rated, found.n_raters) == (4, 3, 2)
    assert (found.n_answers, found.n_repeated, found.n_skipped, found.n_edited) == (5, 2, 1, 1)


def test_ratings(three_items: Analysis) -> None:
    given = three_items.ratings
    assert given is not None
    assert given.mean.value == pytest.approx((2 + 4 + 7 + 7 + 10) / 5)
    assert given.mean.n == 5
    assert given.median.value == 7
    assert given.mean_of_items.value == pytest.approx((3 + 7 + 10) / 3)
    assert given.spread.value == pytest.approx((38 / 4) ** 0.5)
    assert given.counts == {1: 0, 2: 1, 3: 0, 4: 1, 5: 0, 6: 0, 7: 2, 8: 0, 9: 0, 10: 1}
    means = given.mean_by_class
    assert means["action"].value == pytest.approx((2 + 7 + 10) / 3)
    assert means["details"].value == pytest.approx((2 + 4 + 10) / 3)
    assert (means["scene"].value, means["scene"].n) == (10, 1)


def test_class_frequencies(three_items: Analysis) -> None:
    action, details, scene = three_items.class_frequencies
    assert (action.n_answers, action.share_of_answers.value) == (3, 3 / 5)
    # Item 0: one of two raters (a tie), item 1: one of two, item 2: its only rater.
    assert (action.n_items_any, action.n_items_most, action.n_items_tied) == (3, 1, 2)
    assert (details.n_items_any, details.n_items_most, details.n_items_tied) == (2, 2, 0)
    assert details.share_of_items.value == pytest.approx(2 / 3)
    assert (scene.n_answers, scene.n_items_most) == (1, 1)


def test_how_many_classes_at_once(three_items: Analysis) -> None:
    none, one, two, three = three_items.class_counts
    assert [count.n_answers for count in (none, one, two, three)] == [1, 2, 1, 1]
    assert one.share.value == pytest.approx(2 / 5)
    assert one.share_of_marked.value == pytest.approx(2 / 4)
    assert none.share_of_marked.value is None


def test_the_papers_shares() -> None:
    """82.52, 14.56 and 2.91 % are 85, 15 and 3 of 103."""
    sizes = [1] * 85 + [2] * 15 + [3] * 3
    keys = [one.key for one in DEFAULT_CLASSES]
    found = analysed(
        *(row(n, 1, 5, classes=tuple(keys[:size])) for n, size in enumerate(sizes)),
        classes=DEFAULT_CLASSES,
    )
    shares = [100 * (one.share.value or 0) for one in found.class_counts]
    assert shares == pytest.approx([0, 82.52, 14.56, 2.91], abs=0.005)
    assert [one.share_of_marked for one in found.class_counts[1:]] == [
        one.share for one in found.class_counts[1:]
    ]


def test_co_occurrence_and_rules(three_items: Analysis) -> None:
    assert three_items.co_occurrence["action"] == {"action": 3, "details": 2, "scene": 1}
    rules = {(rule.if_class, rule.then_class): rule for rule in three_items.rules}
    rule = rules["action", "details"]
    assert rule.support.value == pytest.approx(2 / 5)
    assert rule.confidence.value == pytest.approx(2 / 3)
    assert rule.confidence.n == 3
    assert rule.lift.value == pytest.approx((2 / 3) / (3 / 5))
    assert rules["scene", "action"].confidence.value == 1
    confidences = [rule.confidence.value or 0 for rule in three_items.rules]
    assert confidences == sorted(confidences, reverse=True)
    assert len(rules) == 6


def ordinal_alpha(units: list[list[int]]) -> float:
    """Krippendorff's alpha from its definition: over all pairs of values."""
    pairable = [unit for unit in units if len(unit) > 1]
    values = sorted(value for unit in pairable for value in unit)
    n_of = {value: values.count(value) for value in set(values)}

    def delta(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(n for value, n in n_of.items() if low <= value <= high)
        return float((between - (n_of[a] + n_of[b]) / 2) ** 2)

    observed = sum(
        delta(a, b) / (len(unit) - 1)
        for unit in pairable
        for a, b in itertools.permutations(unit, 2)
    ) / len(values)
    expected = sum(delta(a, b) for a, b in itertools.permutations(values, 2)) / (
        len(values) * (len(values) - 1)
    )
    return 1 - observed / expected


def test_alpha_of_a_small_table_by_hand(three_items: Analysis) -> None:
    # Pairable: (2, 4) and (7, 7). n_2 = n_4 = 1, n_7 = 2; deltas 2-4: (2 - 1)^2 = 1,
    # 2-7: (4 - 1.5)^2 = 6.25, 4-7: (3 - 1.5)^2 = 2.25. Observed (1 + 1) / 4 = 0.5;
    # expected 2 (1 + 2 * 6.25 + 2 * 2.25) / 12 = 3. Alpha = 1 - 0.5 / 3.
    alpha = three_items.agreement.rating
    assert alpha is not None
    assert alpha.value == pytest.approx(5 / 6)
    assert ordinal_alpha([[2, 4], [7, 7]]) == pytest.approx(5 / 6)
    assert (alpha.n, three_items.agreement.n_pairable_items) == (2, 2)
    # details: item 0 both, item 1 neither; full agreement.
    assert three_items.agreement.by_class["details"].value == pytest.approx(1)
    # action: (yes, no), (yes, no): observed 1, expected 2 * 2 * 2 / 12; alpha = 1 - 3 / 2.
    assert three_items.agreement.by_class["action"].value == pytest.approx(-0.5)
    # scene: never on a pairable item; nothing to tell chance by.
    scene = three_items.agreement.by_class["scene"]
    assert scene.value is None and "same" in (scene.undefined_because or "")


def test_alpha_equals_its_definition_on_random_ratings() -> None:
    rng = random.Random(5)
    for _ in range(20):
        units = [[rng.randint(1, 10) for _ in range(rng.randint(0, 4))] for _ in range(12)]
        rows = [
            row(item, rater, rating)
            for item, unit in enumerate(units)
            for rater, rating in enumerate(unit)
        ]
        found = analysed(*rows).agreement.rating
        assert found is not None and found.value is not None
        assert found.value == pytest.approx(ordinal_alpha(units))


def test_krippendorffs_own_example() -> None:
    """The textbook's data with four observers: alpha nominal 0.743, ordinal 0.815."""
    nan = 0
    data = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    counts = np.array(
        [[unit.count(v) for v in range(1, 6)] for unit in map(list, zip(*data, strict=True))]
    )
    pairable = counts[counts.sum(axis=1) > 1]
    assert alpha_interval(pairable, "nominal", 0, 50).value == pytest.approx(0.743, abs=5e-4)
    assert alpha_interval(pairable, "ordinal", 0, 50).value == pytest.approx(0.815, abs=5e-4)


@pytest.mark.parametrize("level", ["ordinal", "nominal"])
def test_alphas_of_resamples_equal_nltks_of_the_repeated_items(level: Level) -> None:
    """Each weighting of the items, against NLTK over the items written out as often."""
    agreement = pytest.importorskip("nltk.metrics.agreement")
    rng = np.random.default_rng(4)
    counts = rng.multinomial(1, [0.1, 0.2, 0.3, 0.4], (9, 5)).sum(axis=1)
    counts[:4] = rng.multinomial(1, [0.7, 0.1, 0.1, 0.1], (4, 3)).sum(axis=1)  # fewer raters
    weights = np.array([np.bincount(rng.integers(0, 9, 9), minlength=9) for _ in range(5)])
    for weighting, found in zip(weights, alphas(counts, weights, level), strict=True):
        repeated = np.repeat(counts, weighting, axis=0)
        n_of = repeated.sum(axis=0)

        def distance(a: int, b: int, n_of: Any = n_of) -> float:
            low, high = min(a, b), max(a, b)
            between = float(n_of[low : high + 1].sum() - (n_of[a] + n_of[b]) / 2)
            return between**2 if level == "ordinal" else float(a != b)

        labels = [
            (f"rater {rater}", item, value)
            for item, row_counts in enumerate(repeated)
            for rater, value in enumerate(np.repeat(np.arange(4), row_counts).tolist())
        ]
        task = agreement.AnnotationTask(labels, distance=distance)
        assert found == pytest.approx(task.alpha(), abs=1e-12)


def test_intervals_are_seeded_and_hold_the_value() -> None:
    rng = random.Random(1)
    rows = [
        row(item, rater, min(10, max(1, item % 8 + rng.randint(0, 3))))
        for item in range(30)
        for rater in (1, 2)
    ]
    one, two = (analysed(*rows).agreement.rating for _ in range(2))
    assert one == two and one is not None
    assert one.low is not None and one.high is not None and one.value is not None
    assert one.low < one.value < one.high <= 1


def test_one_rater_has_no_agreement() -> None:
    found = analysed(row(0, 1, 5), row(1, 1, 6)).agreement
    assert found.rating is not None and found.rating.value is None
    assert found.rating.undefined_because == "fewer than two raters"
    two = analysed(row(0, 1, 5), row(1, 2, 6)).agreement.rating
    assert two is not None and two.undefined_because == "no item has answers of two raters"


def test_self_consistency_and_time(three_items: Analysis) -> None:
    same = three_items.consistency
    assert (same.n_pairs, same.n_raters) == (2, 1)
    assert (same.same_rating.value, same.within_one.value) == (1 / 2, 1)
    assert same.mean_difference.value == 0.5
    assert same.same_classes.value == 1 / 2  # the order of the classes does not matter
    assert {key: figure.value for key, figure in same.same_by_class.items()} == {
        "action": 1 / 2,
        "details": 1,
        "scene": 1 / 2,
    }
    time = three_items.time
    assert time.median.value == pytest.approx((10 + 20) / 2)
    assert time.mean.value == pytest.approx((10 + 20 + 60 + 5) / 4)
    assert (time.median.n, time.n_unknown) == (4, 3)
    assert time.median_by_rater[1].value == 10


def with_metric(values: list[float | None], ratings: list[int], key: str) -> Analysis:
    return analysed(
        *(
            row(n, 1, rating, metrics={key: value})
            for n, (value, rating) in enumerate(zip(values, ratings, strict=True))
        )
    )


def test_rank_correlation_by_hand() -> None:
    # Ranks 1 2 3 4 against 1 3 2 4: rho = 1 - 6 * (1 + 1) / (4 * 15) = 0.8; one undefined.
    found = with_metric([0.1, 0.3, 0.2, 0.4, None], [2, 5, 7, 9, 1], "ca")
    (one,) = found.correlations
    assert one.rho == pytest.approx(0.8)
    assert (one.n, one.n_undefined, one.high_is_good) == (4, 1, True)


@pytest.mark.parametrize(
    ("values", "ratings", "said"),
    [
        ([0.1, None, 0.2], [1, 2, 3], "only 2 items"),
        ([0.5, 0.5, 0.5], [1, 2, 3], "same value"),
        ([0.1, 0.2, 0.3], [4, 4, 4], "same mean rating"),
    ],
)
def test_rank_correlation_undefined(
    values: list[float | None], ratings: list[int], said: str
) -> None:
    (one,) = with_metric(values, ratings, "ca").correlations
    assert one.rho is None and said in (one.undefined_because or "")


def test_where_people_and_metric_disagree() -> None:
    found = with_metric([0.9, 0.5, 0.1], [1, 5, 10], "ca").disagreements
    assert [(one.item, one.difference) for one in found] == [(0, -1.0), (2, 1.0)]
    assert (found[0].caption_index, found[0].n_ratings) == (10, 1)
    # CE is good when it is low: the same numbers now agree.
    assert with_metric([0.9, 0.5, 0.1], [1, 5, 10], "ce").disagreements == ()


def test_successful_alternatives() -> None:
    key = "successful_alternative"
    found = analysed(
        row(0, 1, 9, classes=(key,)),
        row(0, 2, 8, classes=(key,)),
        row(1, 1, 9, classes=(key,)),
        row(1, 2, 2),
        row(2, 1, 1),
        classes=DEFAULT_CLASSES,
    ).alternatives
    assert [(one.item, one.by_most, one.tied) for one in found.items] == [
        (0, True, False),
        (1, False, True),
    ]
    assert found.items[0].mean_rating.value == 8.5
    assert (found.share_by_most.value, found.share_by_most.n) == (1 / 3, 3)
    assert not analysed(row(0, 1, 5)).alternatives.asked


def choice(item: int, rater: int, preference: str, other_on_left: bool) -> RatingRow:
    return row(
        item,
        rater,
        other_image=200 + item,
        preference=preference,
        first_preference=preference,
        other_on_left=other_on_left,
    )


def test_two_alternatives() -> None:
    found = analysed(
        choice(0, 1, "retrieved", False),
        choice(0, 2, "retrieved", True),
        choice(1, 1, "other", True),
        choice(1, 2, "retrieved", False),
        choice(2, 1, "equal", False),
        kind="choice",
    )
    given = found.preference
    assert given is not None and found.ratings is None and found.correlations == ()
    assert (given.n_retrieved, given.n_other, given.n_equal) == (3, 1, 1)
    assert (given.share_retrieved.value, given.share_retrieved.n) == (0.75, 4)
    assert given.p_value.value == pytest.approx(10 / 16)  # (1 + 4 + 4 + 1) / 16
    assert (given.items_retrieved, given.items_other, given.items_tied) == (1, 0, 2)
    assert given.share_left.value == 0.75
    # (ret, ret), (other, ret): observed (0 + 2) / 4, expected 2 * 3 * 1 / 12: alpha = 0.
    assert found.agreement.preference is not None
    assert found.agreement.preference.value == pytest.approx(0)
    assert "share for the run      0.750 [" in analysis_text(found)


def test_nothing_at_all_is_undefined_and_never_zero() -> None:
    found = analysed(row(0, None), row(1, None))
    assert found.ratings is not None
    figures = [found.ratings.mean, found.ratings.median, found.time.median]
    figures += [one.share_of_answers for one in found.class_frequencies]
    figures += [one.share for one in found.class_counts]
    assert all(one.value is None and one.undefined_because for one in figures)
    assert "n/a (no answers with a rating)" in analysis_text(found)
    with pytest.raises(UnknownName):
        analyse(RatingData("abcdef", SessionSpec("x"), (row(0, None),)), metrics=["ca"])


def test_the_order_of_rows_does_not_matter(three_items: Analysis) -> None:
    rng = random.Random(2)
    rows = [
        row(i, r, (3 * i + r) % 10 + 1, metrics={"ca": i / 9, "ce": float(i % 3)})
        for i in range(9)
        for r in (1, 2, 3)
    ]
    expected = analysed(*rows)
    shuffled = rows[:]
    rng.shuffle(shuffled)
    assert analysed(*shuffled) == expected


@pytest.mark.parametrize("resamples", [-1, 10**12])
def test_resamples_that_never_end_are_refused(resamples: int) -> None:
    data = RatingData("abcdef", SessionSpec("x"), (row(0, None),))
    with pytest.raises(DataError, match="resamples cannot be drawn"):
        analyse(data, resamples=resamples)
