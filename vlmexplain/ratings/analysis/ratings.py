"""Mean ratings, overall and per class, and how the ratings spread."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.ratings.analysis.figure import Figure, mean_of
from vlmexplain.ratings.plan.rows import RatingRow, by_item
from vlmexplain.ratings.plan.spec import SessionSpec


@dataclass(frozen=True, slots=True)
class RatingSummary:
    """The ratings of a session.

    Attributes:
        mean, median: over answers.
        mean_of_items: mean over the items' own means, each item counting once.
        spread: standard deviation over answers (n - 1).
        counts: answers by rating, every step of the scale.
        mean_by_class: mean rating of the answers that mark a class.
    """

    mean: Figure
    median: Figure
    mean_of_items: Figure
    spread: Figure
    counts: dict[int, int]
    mean_by_class: dict[str, Figure]


def summarise_ratings(answers: Sequence[RatingRow], spec: SessionSpec) -> RatingSummary:
    """Means over the answers' ratings.

    Args:
        answers: from `rows.first_answers`.
    """
    given = [row.rating for row in answers if row.rating is not None]
    per_item = [
        statistics.fmean(ratings)
        for rows in by_item(answers).values()
        if (ratings := [row.rating for row in rows if row.rating is not None])
    ]
    counted = Counter(given)
    scale = range(spec.scale.lowest, spec.scale.highest + 1)
    none = "no answers with a rating"
    return RatingSummary(
        mean=mean_of(given, none),
        median=Figure(statistics.median(given), len(given)) if given else Figure(None, 0, none),
        mean_of_items=mean_of(per_item, none),
        spread=Figure(statistics.stdev(given), len(given))
        if len(given) > 1
        else Figure(None, len(given), "fewer than two answers"),
        counts={step: counted.get(step, 0) for step in scale},
        mean_by_class={
            key: mean_of(
                [row.rating for row in answers if key in row.classes and row.rating is not None],
                "no answer marks this class",
            )
            for key in spec.class_keys()
        },
    )


def mean_rating_by_item(answers: Sequence[RatingRow]) -> dict[int, float]:
    """Mean rating of each item that has one."""
    return {
        item: statistics.fmean(ratings)
        for item, rows in by_item(answers).items()
        if (ratings := [row.rating for row in rows if row.rating is not None])
    }
