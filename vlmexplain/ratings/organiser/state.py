"""The states of a session: draft, open, paused, closed."""

from __future__ import annotations

from typing import Literal

from vlmexplain.ratings.plan.refusals import StateRefused

State = Literal["draft", "open", "paused", "closed"]

MOVES: dict[State, tuple[State, ...]] = {
    "draft": ("open",),
    "open": ("paused", "closed"),
    "paused": ("open", "closed"),
    "closed": (),
}
"""Where each state can go. Closed is for good: what was analysed does not change afterwards."""


def check_move(name: str, now: State, wanted: State) -> None:
    """Refuse a move that there is not.

    Raises:
        StateRefused: says the state and where it can go.
    """
    if wanted not in MOVES[now]:
        possible = " or ".join(MOVES[now])
        raise StateRefused(
            f"the rating session {name!r} is {now} and cannot become {wanted}.",
            remedy=f"It can become {possible}." if possible else "A closed session stays closed.",
        )
