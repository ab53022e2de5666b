"""Raters who answer a whole session."""

from __future__ import annotations

import random

from rating_worlds import ticket

from vlmexplain.ratings.organiser.sessions import Session
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.rater.answers import new_submission_id, submit
from vlmexplain.ratings.rater.assignment import current, skip
from vlmexplain.ratings.store.store import RatingStore

COMMENT = "<img src=x onerror=\"document.title='broken'\"> =1+1"


def rate_all(store: RatingStore, session: Session, name: str) -> None:
    """Answer everything as this rater, the same each time; one item is skipped."""
    rng = random.Random(name)
    who = ticket(store, session, name)
    n = 0
    while (shown := current(store, who).item) is not None:
        n += 1
        if n == 3:
            skip(store, who, shown.item, shown.occurrence)
            continue
        keys = session.spec.class_keys()
        classes = tuple(key for key in keys if rng.random() < 0.25)
        rating = session.spec.kind == "rating"
        answer = Answer(
            rating=rng.randint(1, 10) if rating else None,
            preference=None if rating else rng.choice(["retrieved", "other", "equal"]),
            classes=classes,
            comment=COMMENT if n == 1 else "",
        )
        submit(store, who, shown.item, shown.occurrence, answer, new_submission_id(), seconds=n)
