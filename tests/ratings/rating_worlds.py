"""Sessions and raters for the tests."""

from __future__ import annotations

from typing import Any

from vlmexplain.ratings.organiser.sessions import Session, change_state, create_session
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.rater.answers import Receipt, new_submission_id, submit
from vlmexplain.ratings.rater.assignment import current
from vlmexplain.ratings.rater.joining import join
from vlmexplain.ratings.rater.shown import ShownItem
from vlmexplain.ratings.store.store import RatingStore


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def forward(self, seconds: float) -> None:
        self.seconds += seconds


def items(n: int, choice: bool = False) -> list[RatingItem]:
    return [
        RatingItem(
            caption_index=100 + i,
            query=f"query {i}",
            ground_truth_image=i,
            retrieved_image=1000 + i,
            other_image=2000 + i if choice else None,
            metrics={"ca": i / n, "ncs": None if i % 3 == 0 else 1 - i / n},
        )
        for i in range(n)
    ]


def open_session(store: RatingStore, n: int = 5, **questions: Any) -> Session:
    spec = SessionSpec(name="test", **questions)
    session = create_session(store, spec, items(n, spec.kind == "choice"))
    return change_state(store, session.id, "open")


def ticket(store: RatingStore, session: Session, name: str) -> str:
    return join(store, session.code, name, source=f"address of {name}").ticket


def next_item(store: RatingStore, who: str) -> ShownItem:
    item = current(store, who).item
    assert item is not None
    return item


def answer_next(store: RatingStore, who: str, rating: int = 5, **parts: Any) -> Receipt:
    shown = next_item(store, who)
    answer = Answer(rating=rating, **parts)
    return submit(store, who, shown.item, shown.occurrence, answer, new_submission_id())
