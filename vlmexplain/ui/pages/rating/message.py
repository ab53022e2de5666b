"""What the rater's browser sends: read with care, for anybody may send anything."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from vlmexplain.ratings.plan.answer import Answer, Preference

Kind = Literal["resume", "nothing", "submit", "draft", "skip", "back", "on", "look", "leave"]
LONGEST_WORD = 200
LONGEST_TEXT = 100_000
MOST = 2**31


@dataclass(frozen=True, slots=True)
class Message:
    """One act of a rater, whole in itself: a server that has just started can serve it too.

    Attributes:
        id: made by the page; the answer to it carries the same.
        kind: ``resume`` a visit by the ticket kept in the browser (``nothing``: there is none),
            ``submit``, ``draft``, ``skip``, go ``back`` or ``on`` by one of the rater's own
            positions, ``look`` at one (None: at the item to answer now), ``leave``.
        ticket, code: whose act it is; the code only for the address.
        position: the rater's own counting, from 1; what the page showed, or wants to see.
        item, occurrence, answer, submission_id, version, seconds: as `answers.submit` takes them.
    """

    id: str
    kind: Kind
    ticket: str = ""
    code: str = ""
    position: int | None = None
    item: int = -1
    occurrence: int = 0
    answer: Answer = field(default_factory=Answer)
    submission_id: str = ""
    version: int = 0
    seconds: float | None = None


def read_message(raw: object) -> Message | None:
    """The message, or None for what no page of ours sends.

    >>> read_message({"id": "m1", "kind": "look", "position": 3}).position
    3
    >>> read_message({"id": "m1", "kind": "drop table"}), read_message("look")
    (None, None)
    """
    if not isinstance(raw, dict):
        return None
    kind: Any = raw.get("kind")
    identity = _text(raw.get("id"), LONGEST_WORD)
    if kind not in get_args(Kind) or not identity:
        return None
    answer = raw.get("answer")
    return Message(
        id=identity,
        kind=kind,
        ticket=_text(raw.get("ticket"), LONGEST_WORD),
        code=_text(raw.get("code"), LONGEST_WORD),
        position=_whole(raw.get("position")),
        item=_whole(raw.get("item"), -1),
        occurrence=_whole(raw.get("occurrence"), 0),
        answer=_answer(answer if isinstance(answer, dict) else {}),
        submission_id=_text(raw.get("submission_id"), LONGEST_WORD),
        version=_whole(raw.get("version"), 0),
        seconds=_seconds(raw.get("seconds")),
    )


def _answer(raw: dict[str, Any]) -> Answer:
    """What the store then checks against the session's questions."""
    classes, preference = raw.get("classes"), raw.get("preference")
    marked = classes if isinstance(classes, list) else []
    return Answer(
        rating=_whole(raw.get("rating")),
        preference=preference if preference in get_args(Preference) else None,
        classes=tuple(_text(key, LONGEST_WORD) for key in marked[:LONGEST_WORD]),
        comment=_text(raw.get("comment"), LONGEST_TEXT),
    )


def _text(value: object, longest: int) -> str:
    return value[:longest] if isinstance(value, str) else ""


def _whole(value: object, default: Any = None) -> Any:
    """A whole number that any database can hold."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    good = isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST
    return value if good else default


def _seconds(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good and isinstance(value, int | float) else None
