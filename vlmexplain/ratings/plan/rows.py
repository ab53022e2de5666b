"""Answers in long format: one row an answer, all that the analysis looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vlmexplain.ratings.plan.spec import SessionSpec

Status = Literal["answered", "skipped", "unrated"]


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One answer, one skipped item, or one item that no one has rated.

    Attributes:
        item: number of the item in the session, from 0.
        occurrence: 0 the first time a rater saw it, 1 the second.
        caption_index, query, ground_truth_image, retrieved_image, other_image: the item.
        rater: the rater's number; None for an unrated item.
        rater_name: empty in an anonymous export.
        status: what the row is.
        position: the rater's own counting.
        version: of the answer; 0 without one.
        is_current: False for a version that was edited away (only with the history).
        rating, preference, classes, comment: the answer.
        first_rating, first_preference: what the rater said first, before any edit.
        other_on_left: in a ``choice``, the other image was on the left.
        seconds: how long the first answer took; None when not known.
        submitted_at: seconds since 1970, UTC.
        metrics: the item's metrics by key; None: undefined.
    """

    item: int
    occurrence: int
    caption_index: int
    query: str
    ground_truth_image: int
    retrieved_image: int
    other_image: int | None = None
    rater: int | None = None
    rater_name: str = ""
    status: Status = "answered"
    position: int | None = None
    version: int = 0
    is_current: bool = True
    rating: int | None = None
    preference: str | None = None
    classes: tuple[str, ...] = ()
    comment: str = ""
    first_rating: int | None = None
    first_preference: str | None = None
    other_on_left: bool = False
    seconds: float | None = None
    submitted_at: float | None = None
    metrics: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RatingData:
    """All rows of a session with its questions: what an export holds.

    Attributes:
        session_id: names the session.
        spec: its questions.
        rows: by item, rater, occurrence and version.
    """

    session_id: str
    spec: SessionSpec
    rows: tuple[RatingRow, ...]


def first_answers(rows: Sequence[RatingRow]) -> tuple[RatingRow, ...]:
    """The current answers without the repeated ones: what all figures but self-consistency
    rest on, so that a repeated item does not count twice."""
    return tuple(row for row in rows if is_answer(row) and row.occurrence == 0)


def is_answer(row: RatingRow) -> bool:
    """Whether the row is an answer in force."""
    return row.status == "answered" and row.is_current


def by_item(rows: Sequence[RatingRow]) -> dict[int, list[RatingRow]]:
    """The rows of each item, items in order."""
    found: dict[int, list[RatingRow]] = {}
    for row in sorted(rows, key=lambda row: row.item):
        found.setdefault(row.item, []).append(row)
    return found
