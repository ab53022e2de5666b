"""Does a rater say the same of the same item twice, and how long does an item take."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vlmexplain.ratings.analysis.figure import Figure, mean_of, share_of
from vlmexplain.ratings.plan.rows import RatingRow, is_answer
from vlmexplain.ratings.plan.spec import SessionSpec

NO_PAIRS = "no item was answered twice by one rater"


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Over all pairs of a first and a repeated answer by the same rater.

    Attributes:
        n_pairs: how many; n_raters: of how many raters.
        same_rating, within_one: share of pairs with the same rating, or one step apart.
        mean_difference: mean absolute difference of the ratings.
        same_preference: share of pairs, in a ``choice``.
        same_by_class: share of pairs in which the class is marked both times or neither.
        same_classes: share of pairs with exactly the same classes.
    """

    n_pairs: int
    n_raters: int
    same_rating: Figure
    within_one: Figure
    mean_difference: Figure
    same_preference: Figure
    same_by_class: dict[str, Figure]
    same_classes: Figure


@dataclass(frozen=True, slots=True)
class TimePerItem:
    """Seconds per first answer.

    Attributes:
        median, mean: over answers whose time is known.
        quartile_low, quartile_high: numpy's linear percentiles.
        n_unknown: answers whose time is not known.
        median_by_rater: by rater number.
    """

    median: Figure
    mean: Figure
    quartile_low: Figure
    quartile_high: Figure
    n_unknown: int
    median_by_rater: dict[int, Figure]


def self_consistency(rows: Sequence[RatingRow], spec: SessionSpec) -> SelfConsistency:
    """Compare first and repeated answers.

    Args:
        rows: all rows, repeated answers included.
    """
    answers = [row for row in rows if is_answer(row)]
    first = {(row.rater, row.item): row for row in answers if row.occurrence == 0}
    pairs = [
        (first[row.rater, row.item], row)
        for row in answers
        if row.occurrence == 1 and (row.rater, row.item) in first
    ]
    differences = [
        abs(a.rating - b.rating) for a, b in pairs if a.rating is not None and b.rating is not None
    ]
    chosen = [(a.preference, b.preference) for a, b in pairs if a.preference and b.preference]
    n = len(pairs)
    return SelfConsistency(
        n_pairs=n,
        n_raters=len({a.rater for a, _ in pairs}),
        same_rating=share_of(sum(d == 0 for d in differences), len(differences), NO_PAIRS),
        within_one=share_of(sum(d <= 1 for d in differences), len(differences), NO_PAIRS),
        mean_difference=mean_of(differences, NO_PAIRS),
        same_preference=share_of(sum(a == b for a, b in chosen), len(chosen), NO_PAIRS),
        same_by_class={
            key: share_of(
                sum((key in a.classes) == (key in b.classes) for a, b in pairs), n, NO_PAIRS
            )
            for key in spec.class_keys()
        },
        same_classes=share_of(sum(set(a.classes) == set(b.classes) for a, b in pairs), n, NO_PAIRS),
    )


def time_per_item(rows: Sequence[RatingRow]) -> TimePerItem:
    """How long answers took; repeated ones count, edits do not.

    Args:
        rows: all rows.
    """
    answers = [row for row in rows if is_answer(row)]
    known = [row.seconds for row in answers if row.seconds is not None]
    by_rater: dict[int, list[float]] = {}
    for row in answers:
        if row.seconds is not None and row.rater is not None:
            by_rater.setdefault(row.rater, []).append(row.seconds)

    def at(percent: float) -> Figure:
        if not known:
            return Figure(None, 0, "no answer has a known time")
        return Figure(float(np.percentile(known, percent)), len(known))

    return TimePerItem(
        median=at(50),
        mean=mean_of(known, "no answer has a known time"),
        quartile_low=at(25),
        quartile_high=at(75),
        n_unknown=len(answers) - len(known),
        median_by_rater={
            rater: Figure(statistics.median(times), len(times))
            for rater, times in sorted(by_rater.items())
        },
    )
