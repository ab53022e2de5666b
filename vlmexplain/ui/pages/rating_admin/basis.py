"""What the form of a session begins with: the defaults, a draft, an earlier session, a file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.plan.spec_toml import ItemRequest
from vlmexplain.scoring.run import open_run
from vlmexplain.ui.pages.rating_admin.address import SESSIONS
from vlmexplain.ui.shared.address import short

_KEPT = "session-basis"
DEFAULT_SAMPLE = 50
DEFAULT_QUESTIONS = SessionSpec("")
DEFAULT_ITEMS = ItemRequest(sample=DEFAULT_SAMPLE)


@dataclass(frozen=True, slots=True)
class Basis:
    """What the fields of the form show first.

    Attributes:
        number: of the form; a new one has new fields.
        questions: what is asked.
        items: which items.
        given: the items themselves, where they do not come from a run.
        editing: the draft that is changed; None: a new session is made.
    """

    number: int = 0
    questions: SessionSpec = DEFAULT_QUESTIONS
    items: ItemRequest = DEFAULT_ITEMS
    given: tuple[RatingItem, ...] = ()
    editing: str | None = None

    def key(self, name: str) -> str:
        """The key of a field of this form."""
        return f"session-{self.number}-{name}"


def basis() -> Basis:
    """What this visitor's form begins with."""
    found = st.session_state.setdefault(_KEPT, Basis())
    assert isinstance(found, Basis)
    return found


def begin(
    questions: SessionSpec | None = None,
    items: ItemRequest | None = None,
    given: tuple[RatingItem, ...] = (),
    editing: str | None = None,
) -> None:
    """Begin the form anew, with the defaults where nothing is given."""
    fresh = replace(Basis(), number=basis().number + 1, given=given, editing=editing)
    if questions is not None:
        fresh = replace(fresh, questions=questions)
    if items is not None:
        fresh = replace(fresh, items=items)
    st.session_state[_KEPT] = fresh


def follow_run(questions: SessionSpec) -> None:
    """Choose the data set and the run that the questions name, as the sidebar would.

    Raises:
        UnknownName: there is no such run here.
    """
    gallery, run = questions.gallery, questions.run
    if run is not None:
        found = open_run(run)
        gallery, run = found.gallery_id, found.key
    if gallery is not None:
        SESSIONS.go(gallery=short(gallery), run=short(run or ""))
