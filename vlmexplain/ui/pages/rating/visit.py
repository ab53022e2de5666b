"""A rater's visit: what each message does, and where the rater stands after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from vlmexplain.errors import StoreError, VlmexplainError
from vlmexplain.ratings.access.codes import plain_code
from vlmexplain.ratings.plan.refusals import EditConflict, SessionNotOpen, WrongCode
from vlmexplain.ratings.rater.answers import save_draft, submit
from vlmexplain.ratings.rater.assignment import at_position, skip
from vlmexplain.ratings.rater.joining import rater_session
from vlmexplain.ratings.rater.progress import progress_of
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.pages.rating.message import Message

OpenStore = Callable[[], RatingStore]


@dataclass(frozen=True, slots=True)
class Visit:
    """Where a rater stands.

    Attributes:
        ticket: "" before joining.
        asked: the browser has been asked whether it keeps a ticket.
        position: the rater's own item that is looked at; None: the one to answer now.
        revealing: it was just answered and its ground truth is shown.
        reply: what became of the browser's latest message; goes back to it.
        code: the session's, as it is compared; only for the address.
        resumed: the rater had been here before this page was opened.
    """

    ticket: str = ""
    asked: bool = False
    position: int | None = None
    revealing: bool = False
    reply: dict[str, Any] | None = None
    code: str = ""
    resumed: bool = False


def take(visit: Visit, message: Message, store: OpenStore) -> Visit:
    """Do what a message says; the same message twice is done once.

    A message carries its own ticket, so that a server that was started anew, and knows nothing of
    the visit, can serve it.
    """
    if visit.reply is not None and visit.reply["id"] == message.id:
        return visit
    if message.kind in ("nothing", "leave"):
        return Visit(asked=True, reply={"id": message.id, "done": message.kind})
    here = Visit(
        message.ticket,
        asked=True,
        position=message.position,
        code=plain_code(message.code),
        resumed=visit.resumed or not visit.ticket,
    )
    try:
        return _ACTS[message.kind](here, message, store())
    except WrongCode as error:
        return Visit(asked=True, reply=_refused(message, "ticket", error))
    except EditConflict as error:
        reply = _refused(message, "conflict", error) | {"version": error.version}
        return replace(here, reply=reply)
    except SessionNotOpen as error:
        return replace(here, reply=_refused(message, "not-open", error))
    except StoreError as error:
        return replace(here, reply=_refused(message, "store", error))
    except VlmexplainError as error:
        return replace(here, reply=_refused(message, "answer", error))


def _resume(here: Visit, message: Message, store: RatingStore) -> Visit:
    rater_session(store, message.ticket)
    return replace(here, reply={"id": message.id, "done": "resume"})


def _submit(here: Visit, message: Message, store: RatingStore) -> Visit:
    receipt = submit(
        store,
        message.ticket,
        message.item,
        message.occurrence,
        message.answer,
        message.submission_id,
        expected_version=message.version,
        seconds=message.seconds,
    )
    reply = {
        "id": message.id,
        "done": "submit",
        "position": message.position,
        "version": receipt.version,
        "submission_id": message.submission_id,
    }
    spec = rater_session(store, message.ticket).spec
    reveals = spec.ground_truth == "after" and receipt.version == 1 and message.position
    position = message.position if reveals else None
    return replace(here, position=position, revealing=bool(reveals), reply=reply)


def _draft(here: Visit, message: Message, store: RatingStore) -> Visit:
    save_draft(store, message.ticket, message.item, message.occurrence, message.answer)
    return replace(here, reply={"id": message.id, "done": "draft"})


def _skip(here: Visit, message: Message, store: RatingStore) -> Visit:
    skip(store, message.ticket, message.item, message.occurrence)
    reply = {"id": message.id, "done": "skip", "position": message.position}
    return replace(here, position=None, reply=reply)


def _look(here: Visit, message: Message, store: RatingStore) -> Visit:
    rater_session(store, message.ticket)
    return replace(here, reply={"id": message.id, "done": "look"})


def _back(here: Visit, message: Message, store: RatingStore) -> Visit:
    return _step(here, message, store, -1)


def _on(here: Visit, message: Message, store: RatingStore) -> Visit:
    return _step(here, message, store, 1)


def _step(here: Visit, message: Message, store: RatingStore, step: int) -> Visit:
    """The rater's next position in a direction; items that were given back leave gaps."""
    last = progress_of(store, message.ticket).last_position_1based
    start = last + 1 if message.position is None else message.position
    reply = {"id": message.id, "done": message.kind}
    place = min(start, last + 1) + step
    while 1 <= place <= last:
        found = at_position(store, message.ticket, place)
        if found is not None and (found.version or found.skipped):
            return replace(here, position=place, reply=reply)
        if found is not None and step > 0:
            break  # it is to be answered: reserved anew by looking at it as such
        place += step
    if step > 0:
        return replace(here, position=None, reply=reply)
    return replace(here, reply=reply | {"nowhere": True})


def _refused(message: Message, why: str, error: VlmexplainError) -> dict[str, Any]:
    return {
        "id": message.id,
        "refused": why,
        "text": error.message[:1].upper() + error.message[1:],
        "remedy": error.remedy or "",
        "submission_id": message.submission_id,
    }


_ACTS: dict[str, Callable[[Visit, Message, RatingStore], Visit]] = {
    "resume": _resume,
    "submit": _submit,
    "draft": _draft,
    "skip": _skip,
    "look": _look,
    "back": _back,
    "on": _on,
}
