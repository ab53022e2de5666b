"""Which of two models' images fits better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.ratings.analysis.figure import Figure, Interval, share_of
from vlmexplain.ratings.plan.rows import RatingRow, by_item


@dataclass(frozen=True, slots=True)
class PreferenceSummary:
    """Answers of a ``choice``.

    Attributes:
        n_retrieved, n_other, n_equal: answers for the run, for the other run, for neither.
        share_retrieved: of the answers that choose one, with Wilson's 95 % interval (which takes
            answers as independent; several of one rater or item are not quite).
        p_value: two-sided exact binomial test of "both as often"; undefined without a choice.
        items_retrieved, items_other, items_tied: items by what more of their raters chose.
        share_left: of the answers that choose one, the share for the image on the left; far from
            one half, raters have a favourite side.
    """

    n_retrieved: int
    n_other: int
    n_equal: int
    share_retrieved: Interval
    p_value: Figure
    items_retrieved: int
    items_other: int
    items_tied: int
    share_left: Figure


def summarise_preference(answers: Sequence[RatingRow]) -> PreferenceSummary:
    """Count the choices.

    Args:
        answers: from `rows.first_answers`.
    """
    n = {
        choice: sum(row.preference == choice for row in answers)
        for choice in ("retrieved", "other", "equal")
    }
    decided = [row for row in answers if row.preference in ("retrieved", "other")]
    left = sum((row.preference == "other") == row.other_on_left for row in decided)
    leads = [
        sum((row.preference == "retrieved") - (row.preference == "other") for row in rows)
        for rows in by_item([row for row in answers if row.preference]).values()
    ]
    share, p_value = _binomial(n["retrieved"], len(decided))
    return PreferenceSummary(
        n["retrieved"],
        n["other"],
        n["equal"],
        share,
        p_value,
        sum(lead > 0 for lead in leads),
        sum(lead < 0 for lead in leads),
        sum(lead == 0 for lead in leads),
        share_of(left, len(decided), "no answer chooses one"),
    )


def _binomial(successes: int, n: int) -> tuple[Interval, Figure]:
    if not n:
        none = "no answer chooses one"
        return Interval(None, None, None, 0, none), Figure(None, 0, none)
    from scipy import stats

    test = stats.binomtest(successes, n)
    limits = test.proportion_ci(method="wilson")
    share = Interval(successes / n, float(limits.low), float(limits.high), n)
    return share, Figure(float(test.pvalue), n)
