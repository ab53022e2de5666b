"""One rater's answer about one item, checked against what the session asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.plan.names import clean_comment
from vlmexplain.ratings.plan.spec import SessionSpec

Preference = Literal["retrieved", "other", "equal"]
"""Which image fits better: the run's, the other run's, or both equally. Never a side."""

LONGEST_COMMENT = 4000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rater says about an item.

    Attributes:
        rating: on the session's scale; None in a ``choice``.
        preference: in a ``choice``; None in a ``rating``.
        classes: keys of the failure classes marked, in the session's order.
        comment: as written, may be empty.
    """

    rating: int | None = None
    preference: Preference | None = None
    classes: tuple[str, ...] = ()
    comment: str = ""


def checked_answer(answer: Answer, spec: SessionSpec) -> Answer:
    """The answer with its classes in order, or a refusal.

    Raises:
        DataError: a rating off the scale, a missing or unasked part, a comment that is too long.
        UnknownName: a class that the session does not have, or a choice that there is not.
    """
    if spec.kind == "rating":
        if answer.rating is None:
            raise DataError("the answer has no rating.", remedy="Choose one, then submit.")
    elif answer.preference is None:
        raise DataError("the answer has no choice.", remedy="Choose one image, then submit.")
    return checked_draft(answer, spec)


def checked_draft(answer: Answer, spec: SessionSpec) -> Answer:
    """As `checked_answer`, but the rating or choice may still be missing."""
    if spec.kind == "rating" and answer.preference is not None:
        raise DataError("the session asks for a rating, not for a choice.")
    if spec.kind == "choice" and answer.rating is not None:
        raise DataError("the session asks for a choice, not for a rating.")
    if answer.preference is not None and answer.preference not in get_args(Preference):
        raise UnknownName("choice", str(answer.preference), get_args(Preference))
    if answer.preference == "equal" and not spec.equal_allowed:
        raise DataError("one of the two images must be chosen.")
    rating, scale = answer.rating, spec.scale
    whole = rating is None or (isinstance(rating, int) and not isinstance(rating, bool))
    if not whole or (rating is not None and not scale.holds(rating)):
        raise DataError(
            f"the rating is {rating!r}, expected a whole number from {scale.lowest} "
            f"to {scale.highest}."
        )
    for key in answer.classes:
        if key not in spec.class_keys():
            raise UnknownName("failure class", str(key), spec.class_keys())
    comment = clean_comment(answer.comment)
    if comment and not spec.comment:
        raise DataError("the session does not ask for comments.")
    if len(comment) > LONGEST_COMMENT:
        raise DataError(
            f"the comment has {len(comment)} characters, at most {LONGEST_COMMENT} are kept.",
            remedy="Shorten it.",
        )
    ordered = tuple(key for key in spec.class_keys() if key in answer.classes)
    return Answer(answer.rating, answer.preference, ordered, comment)
