"""What a rating session asks: fixed from the moment it is first opened."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Literal

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.plan.classes import DEFAULT_CLASSES, FailureClass, check_classes
from vlmexplain.ratings.plan.document import to_document

Kind = Literal["rating", "choice"]
GroundTruth = Literal["shown", "hidden", "after"]

KINDS = ("rating", "choice")
GROUND_TRUTH = ("shown", "hidden", "after")
LONGEST_NAME = 200
LONGEST_GUIDELINES = 20_000
WIDEST_SCALE = 100
MOST = 2**31 - 1
"""The largest whole number that each of the databases holds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole numbers from ``lowest`` to ``highest``, with words for both ends."""

    lowest: int = 1
    highest: int = 10
    lowest_label: str = "not relevant at all"
    highest_label: str = "exactly what was asked for"

    def holds(self, rating: int) -> bool:
        """Whether a rating is on the scale.

        >>> Scale().holds(10), Scale().holds(0)
        (True, False)
        """
        return self.lowest <= rating <= self.highest


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The questions of a session, and how they are handed out.

    Attributes:
        name: what the organiser calls it.
        kind: ``rating``: how relevant is the retrieved image; ``choice``: which of two models'
            images fits better.
        run, other_run: keys of the runs the items come from; ``other_run`` in a ``choice``.
        gallery: id of the gallery that holds the pictures.
        ground_truth: whether the rater sees the ground-truth image: always, never, or after
            having answered. Scores and metrics are never shown.
        boxes: whether the annotated boxes are drawn.
        scale: the ratings; not asked in a ``choice``.
        classes: any number of them can be marked; none is allowed.
        equal_allowed: a ``choice`` may say that both fit equally well.
        comment: whether a comment can be written.
        guidelines: Markdown text for the rater.
        raters_per_item: how many raters an item should have; None: every rater sees every item.
        repeats: how many items each rater gets a second time, for self-consistency.
        repeat_gap: how many other answers lie between both times, at least.
        seed: decides each rater's order, the repeated items and the sides.
        reservation_s: for how long an item that was handed out waits for its rater.
    """

    name: str
    kind: Kind = "rating"
    run: str | None = None
    other_run: str | None = None
    gallery: str | None = None
    ground_truth: GroundTruth = "shown"
    boxes: bool = False
    scale: Scale = Scale()
    classes: tuple[FailureClass, ...] = DEFAULT_CLASSES
    equal_allowed: bool = True
    comment: bool = True
    guidelines: str = ""
    raters_per_item: int | None = None
    repeats: int = 0
    repeat_gap: int = 5
    seed: int = 0
    reservation_s: float = 1800.0

    def class_keys(self) -> tuple[str, ...]:
        """The keys of the classes, in the order shown."""
        return tuple(one.key for one in self.classes)


def check_spec(spec: SessionSpec) -> None:
    """Refuse a session that could not be held.

    Raises:
        UnknownName: a kind or way to show the ground truth that there is not.
        DataError: a value outside of what it can be; classes as `classes.check_classes`.
    """
    for what, value, known in (
        ("kind of session", spec.kind, KINDS),
        ("way to show the ground truth", spec.ground_truth, GROUND_TRUTH),
    ):
        if value not in known:
            raise UnknownName(what, value, known)
    control = any(unicodedata.category(sign) in ("Cc", "Cs") for sign in spec.name)
    if not spec.name.strip() or len(spec.name) > LONGEST_NAME or control:
        _refuse("name", spec.name, f"1 to {LONGEST_NAME} characters in one line")
    if len(spec.guidelines) > LONGEST_GUIDELINES:
        _refuse("guidelines", f"{len(spec.guidelines)} characters", f"<= {LONGEST_GUIDELINES}")
    scale = spec.scale
    on_scale = 0 <= scale.lowest < scale.highest <= MOST
    if not on_scale or scale.highest - scale.lowest >= WIDEST_SCALE:
        expected = f"0 <= lowest < highest <= {MOST}, <= 100 steps"
        _refuse("scale", f"{scale.lowest} to {scale.highest}", expected)
    if spec.raters_per_item is not None and not 1 <= spec.raters_per_item <= MOST:
        expected = f"1 to {MOST}, or left out for every rater"
        _refuse("raters_per_item", spec.raters_per_item, expected)
    if not 0 <= spec.repeats <= MOST:
        _refuse("repeats", spec.repeats, f"0 to {MOST}")
    if not 1 <= spec.repeat_gap <= MOST:
        _refuse("repeat_gap", spec.repeat_gap, f"1 to {MOST}")
    if not -(2**63) <= spec.seed < 2**63:
        _refuse("seed", spec.seed, "a whole number of 64 bits")
    if not 10 <= spec.reservation_s <= 7 * 86400:
        _refuse("reservation_s", spec.reservation_s, "10 seconds to 7 days")
    try:
        json.dumps(to_document(spec), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:  # half of a sign, which no export could hold
        bad = error.object[error.start : error.end]
        _refuse("a text", bad, "whole characters")
    check_classes(spec.classes)


def _refuse(field: str, value: object, expected: str) -> None:
    raise DataError(f"{field} is {value!r}, expected {expected}.", where="rating session")
