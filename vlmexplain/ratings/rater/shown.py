"""An item as a rater sees it: no scores, no model names, no one else's answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from vlmexplain.errors import DataError
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.spec import MOST, SessionSpec
from vlmexplain.ratings.store.tables import ASSIGNMENTS, DRAFTS, ITEMS, SUBMISSIONS


@dataclass(frozen=True, slots=True)
class ShownItem:
    """What a rater may see of an item, and what this rater did with it.

    Attributes:
        item, occurrence: name it in `answers.submit`; occurrence 1 is the second time.
        position_1based: the rater's own counting.
        query: the caption.
        images: gallery indices: the retrieved image; in a ``choice`` the left and the right one.
        preferences: what choosing each of ``images`` means; only for handing back in an `Answer`,
            not to be shown.
        ground_truth_image: None while it must not be seen.
        answer, version: the rater's answer in force; None and 0 before there is one.
        draft: what was begun and not submitted; what the page fills in first.
        skipped: the rater left it.
    """

    item: int
    occurrence: int
    position_1based: int
    query: str
    images: tuple[int, ...]
    preferences: tuple[str, ...]
    ground_truth_image: int | None
    answer: Answer | None
    version: int
    draft: Answer | None
    skipped: bool


def shown_item(connection: Connection, spec: SessionSpec, own: Row[Any]) -> ShownItem:
    """The item of an assignment's row as its rater may see it."""
    row = connection.execute(
        select(ITEMS).where(ITEMS.c.session_id == own.session_id, ITEMS.c.item == own.item)
    ).one()
    images, preferences = [row.retrieved_image], ["retrieved"]
    if spec.kind == "choice":
        images.append(row.other_image)
        preferences.append("other")
        if own.flipped:
            images.reverse()
            preferences.reverse()
    visible = spec.ground_truth == "shown" or (spec.ground_truth == "after" and own.version > 0)
    draft = connection.execute(select(DRAFTS).where(*same_place(DRAFTS, own))).first()
    return ShownItem(
        item=own.item,
        occurrence=own.occurrence,
        position_1based=own.position,
        query=row.query,
        images=tuple(images),
        preferences=tuple(preferences) if spec.kind == "choice" else (),
        ground_truth_image=row.ground_truth_image if visible else None,
        answer=current_answer(connection, own),
        version=own.version,
        draft=_known_classes(answer_of(draft), spec) if draft else None,
        skipped=own.status == "skipped",
    )


def own_assignment(connection: Connection, who: Row[Any], item: int, occurrence: int) -> Row[Any]:
    """The rater's assignment, held until the transaction ends.

    Raises:
        DataError: the item was not handed to this rater.
    """
    query = select(ASSIGNMENTS).where(
        ASSIGNMENTS.c.session_id == who.session_id,
        ASSIGNMENTS.c.rater == who.rater,
        ASSIGNMENTS.c.item == item,
        ASSIGNMENTS.c.occurrence == occurrence,
    )
    fits = all(isinstance(part, int) and abs(part) <= MOST for part in (item, occurrence))
    row = connection.execute(query.with_for_update()).first() if fits else None
    if row is None:
        raise DataError(
            f"item {item} (occurrence {occurrence}) was not handed to this rater.",
            remedy="Reload the page.",
        )
    return row


def current_answer(connection: Connection, own: Row[Any]) -> Answer | None:
    """The answer in force: the newest version."""
    if not own.version:
        return None
    query = select(SUBMISSIONS).where(
        *same_place(SUBMISSIONS, own), SUBMISSIONS.c.version == own.version
    )
    return answer_of(connection.execute(query).one())


def answer_of(row: Row[Any]) -> Answer:
    """The answer in a submission's or a draft's row."""
    return Answer(row.rating, row.preference, tuple(row.classes), row.comment)


def same_place(table: Any, own: Row[Any]) -> list[Any]:
    """The conditions under which a row of ``table`` belongs to an assignment."""
    names = ("session_id", "rater", "item", "occurrence")
    return [table.c[name] == getattr(own, name) for name in names]


def _known_classes(draft: Answer, spec: SessionSpec) -> Answer:
    """A draft without classes that were edited away since."""
    kept = tuple(key for key in draft.classes if key in spec.class_keys())
    return Answer(draft.rating, draft.preference, kept, draft.comment)
