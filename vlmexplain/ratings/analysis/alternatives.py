"""Successful alternatives: what the automatic metrics wrongly call a failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.ratings.analysis.figure import Figure, mean_of, share_of
from vlmexplain.ratings.plan.classes import SUCCESSFUL_ALTERNATIVE
from vlmexplain.ratings.plan.rows import RatingRow, by_item


@dataclass(frozen=True, slots=True)
class Alternative:
    """An item that at least one rater calls a successful alternative.

    Attributes:
        caption_index: opens the query on the Explore page.
        n_marked, n_raters: how many of its raters say so.
        by_most: more than half do; ``tied``: exactly half.
        mean_rating: over its raters.
    """

    item: int
    caption_index: int
    query: str
    ground_truth_image: int
    retrieved_image: int
    n_marked: int
    n_raters: int
    by_most: bool
    tied: bool
    mean_rating: Figure


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The list, most agreed upon first, and the share of rated items that most call one.

    ``asked`` is False when the session has no such class: then nothing can be said.
    """

    asked: bool
    items: tuple[Alternative, ...]
    share_by_most: Figure


def successful_alternatives(
    answers: Sequence[RatingRow], class_keys: Sequence[str]
) -> Alternatives:
    """Items marked with the class ``successful_alternative``.

    Args:
        answers: from `rows.first_answers`.
    """
    if SUCCESSFUL_ALTERNATIVE not in class_keys:
        none = f"the session has no class {SUCCESSFUL_ALTERNATIVE}"
        return Alternatives(False, (), Figure(None, 0, none))
    groups = by_item(answers)
    found = [_alternative(rows) for rows in groups.values()]
    marked = [one for one in found if one.n_marked]
    marked.sort(key=lambda one: (-one.n_marked / one.n_raters, -one.n_raters, one.item))
    n_most = sum(one.by_most for one in marked)
    return Alternatives(True, tuple(marked), share_of(n_most, len(groups), "no answers"))


def _alternative(rows: Sequence[RatingRow]) -> Alternative:
    row, n = rows[0], len(rows)
    n_marked = sum(SUCCESSFUL_ALTERNATIVE in one.classes for one in rows)
    return Alternative(
        row.item,
        row.caption_index,
        row.query,
        row.ground_truth_image,
        row.retrieved_image,
        n_marked,
        n,
        2 * n_marked > n,
        2 * n_marked == n,
        mean_of([one.rating for one in rows if one.rating is not None], "no ratings"),
    )
