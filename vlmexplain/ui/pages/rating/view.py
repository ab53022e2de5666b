"""What the rater's component draws: one item, or why there is none."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vlmexplain.errors import GalleryError, StoreError
from vlmexplain.ratings.plan.answer import LONGEST_COMMENT, Answer
from vlmexplain.ratings.plan.refusals import SessionNotOpen, WrongCode
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.rater.answers import own_history
from vlmexplain.ratings.rater.assignment import at_position, current, upcoming_images
from vlmexplain.ratings.rater.joining import RaterSession, rater_session
from vlmexplain.ratings.rater.progress import progress_of
from vlmexplain.ratings.rater.shown import ShownItem
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.pages.rating.visit import OpenStore, Visit
from vlmexplain.ui.shared.rating_pictures import preload_addresses, rater_picture, session_gallery

View = dict[str, Any]

LOOK_AGAIN_S = 6.0
"""How often a page that waits asks whether there is something to do."""


def view_of(visit: Visit, store: OpenStore) -> View:
    """The component's data: its phase, and what the phase shows.

    Phases: ``opening`` (the browser is asked for its ticket), ``join``, ``item``, ``waiting``
    (others hold the last items), ``done``, ``stopped`` (draft, paused or closed), ``trouble``
    (the database does not answer).
    """
    if not visit.asked:
        return {"phase": "opening"}
    if not visit.ticket:
        return {"phase": "join", "reply": visit.reply}
    frame: View = {"reply": visit.reply, "ticket": visit.ticket}
    try:
        return frame | _inside(visit, store())
    except WrongCode as error:
        reply = {"id": "", "refused": "ticket", "text": error.message, "remedy": error.remedy}
        return {"phase": "join", "reply": reply}
    except StoreError as error:
        return frame | {"phase": "trouble", "text": error.message, "remedy": error.remedy or ""}


def _inside(visit: Visit, store: RatingStore) -> View:
    session = rater_session(store, visit.ticket)
    found, stopped = _item(visit, store)
    frame: View = {
        "session": session.spec.name,
        "state": session.state,
        "rater": session.rater,
        "name": session.name,
        "revealed": session.revealed,
        "look_again_s": LOOK_AGAIN_S,
        "questions": questions_of(session.spec),
        "progress": asdict(progress_of(store, visit.ticket)),
    }
    if isinstance(found, ShownItem):
        return frame | _item_view(visit, store, session, found)
    if stopped is not None:
        return frame | {
            "phase": "stopped",
            "text": stopped.message[:1].upper() + stopped.message[1:],
            "remedy": stopped.remedy,
        }
    return frame | {"phase": "waiting" if found else "done", "n_waiting": found}


def _item(visit: Visit, store: RatingStore) -> tuple[ShownItem | int, SessionNotOpen | None]:
    """The item to show; else how many others hold, or why the session gives none."""
    if visit.position is not None:
        item = at_position(store, visit.ticket, visit.position)
        if item is not None:
            return item, None
    try:
        turn = current(store, visit.ticket)
    except SessionNotOpen as error:
        return 0, error
    return (turn.n_waiting if turn.item is None else turn.item), None


def questions_of(spec: SessionSpec) -> View:
    """What the session asks, as far as a rater may know."""
    return {
        "kind": spec.kind,
        "scale": asdict(spec.scale),
        "classes": [asdict(one) for one in spec.classes],
        "equal": spec.equal_allowed,
        "comment": spec.comment,
        "longest_comment": LONGEST_COMMENT,
    }


def _item_view(visit: Visit, store: RatingStore, session: RaterSession, item: ShownItem) -> View:
    spec = session.spec
    history = own_history(store, visit.ticket, item.item, item.occurrence) if item.version else ()
    shown: View = {
        "key": f"{item.item}.{item.occurrence}",
        "item": item.item,
        "occurrence": item.occurrence,
        "position": item.position_1based,
        "query": item.query,
        "preferences": list(item.preferences),
        "answer": asdict(item.answer) if item.answer else None,
        "version": item.version,
        "draft": asdict(item.draft) if item.draft else None,
        "skipped": item.skipped,
        "history": [
            {
                "version": past.version,
                "text": answer_text(past.answer, item, spec),
                "at": past.submitted_at,
            }
            for past in history
        ],
    }
    view: View = {"phase": "item", "item": shown, "revealing": visit.revealing, "preload": []}
    try:
        gallery = session_gallery(spec.gallery)
    except GalleryError as error:
        return view | {"pictures": [], "truth": None, "problem": f"{error.message} {error.remedy}"}
    titles = ["Image 1", "Image 2"] if spec.kind == "choice" else ["Retrieved image"]
    places = enumerate(zip(item.images, titles, strict=True))
    view["pictures"] = [
        rater_picture(gallery, index, f"rate-{place}", title, spec.boxes)
        for place, (index, title) in places
    ]
    truth = item.ground_truth_image
    view["truth"] = (
        None
        if truth is None
        else rater_picture(gallery, truth, "rate-truth", "Ground truth", spec.boxes)
    )
    if session.state == "open":
        view["preload"] = preload_addresses(gallery, upcoming_images(store, visit.ticket))
    return view


def answer_text(answer: Answer, item: ShownItem, spec: SessionSpec) -> str:
    """An answer in one line, for its own rater: sides, not models; labels, not keys."""
    labels = {one.key: one.label for one in spec.classes}
    parts = []
    if answer.rating is not None:
        parts.append(str(answer.rating))
    if answer.preference == "equal":
        parts.append("both equally")
    elif answer.preference is not None and answer.preference in item.preferences:
        parts.append(f"image {item.preferences.index(answer.preference) + 1}")
    parts += [labels.get(key, key) for key in answer.classes]
    if answer.comment:
        parts.append(f"“{answer.comment}”")
    return " · ".join(parts)
