"""Why a rating session refuses something, so that a page can react to each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlmexplain.errors import RatingError

if TYPE_CHECKING:
    from vlmexplain.ratings.plan.answer import Answer


class SessionNotOpen(RatingError):
    """The session takes no answers now; ``state`` says what it is instead of open."""

    def __init__(self, name: str, state: str):
        self.state = state
        remedy = {
            "draft": "It has not been opened yet; the organiser opens it.",
            "paused": "Answers given so far are kept; go on when the organiser opens it again.",
            "closed": "Answers given so far are kept; no more are taken.",
        }[state]
        super().__init__(f"the rating session {name!r} is {state}.", remedy=remedy)


class StateRefused(RatingError):
    """A session cannot go from its state to the one asked for, or be changed in it."""


class WrongCode(RatingError):
    """No session has this code, or no rater this ticket."""


class TooManyAttempts(RatingError):
    """Too many wrong codes from one source; try again after ``retry_after_s`` seconds."""

    def __init__(self, retry_after_s: float):
        self.retry_after_s = retry_after_s
        super().__init__(
            "too many wrong codes were tried from here.",
            remedy=f"Try again in {max(1, round(retry_after_s))} s.",
        )


class EditConflict(RatingError):
    """Another tab or device changed the answer meanwhile.

    Attributes:
        current: the answer that is in force.
        version: its version; submit again with it as the expected one to replace it.
    """

    def __init__(self, current: Answer, version: int):
        self.current, self.version = current, version
        super().__init__(
            "this item was answered meanwhile in another tab or on another device.",
            remedy="Look at that answer; submit again to replace it.",
        )


class NotRevealed(RatingError):
    """Results are not shown to raters until the organiser reveals them."""

    def __init__(self, name: str):
        super().__init__(
            f"the results of {name!r} are not shown to raters yet.",
            remedy="The organiser reveals them.",
        )


class NotOrganiser(RatingError):
    """Only the organiser may do this."""

    def __init__(self) -> None:
        super().__init__(
            "only the organiser may do this.", remedy="Open the page anew and prove who you are."
        )
