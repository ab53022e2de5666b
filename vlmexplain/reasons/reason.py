"""A reason with its tests and verdict, and all reasons of one failure; to and from JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from vlmexplain.reasons.kinds import TestKey, Verdict

Side = Literal["retrieved", "ground truth"]
Fill = Literal["mean", "inpaint"]


@dataclass(frozen=True, slots=True)
class Test:
    """One edit and what it did.

    Attributes:
        test: P, C, W or R.
        fill: of a picture edit; else None.
        effect: P, W: s(original) - s(edited) of the edited image; C: fall of the margin.
        controls: the same of the controls; how many there are is K.
        rank_after: rank of the best ground truth over the whole gallery after the edit.
        fixes: the best ground truth then scores more than 1e-6 above the retrieved image.
        edited: the edited text of C; "" for a picture.
    """

    __test__ = False  # for pytest, which takes the name for one of its own

    test: TestKey
    fill: Fill | None
    effect: float
    controls: tuple[float, ...]
    rank_after: int
    fixes: bool
    edited: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason.

    Attributes:
        kind: a key of `kinds.KINDS`.
        subject: concept, or words.
        image: which image it is about; None for the caption.
        verdict: see `verdicts`.
        because: what was seen, or why it cannot be tested; one clause for people.
        tests: what was done; empty for a fact.
        instances: places of the objects concerned among the image's annotations.
    """

    kind: str
    subject: str
    image: Side | None
    verdict: Verdict
    because: str
    tests: tuple[Test, ...] = ()
    instances: tuple[int, ...] = ()

    @property
    def fixes(self) -> bool:
        """Whether the last test, inpainting for a picture, puts the right image above."""
        return bool(self.tests) and self.tests[-1].fixes

    @property
    def effect(self) -> float:
        """Of the last test; 0 without one."""
        return self.tests[-1].effect if self.tests else 0.0


@dataclass(frozen=True, slots=True)
class FailureReasons:
    """All reasons of one query.

    Attributes:
        caption_index, caption: the query.
        failure: whether it is one; a query that succeeded has no reasons.
        sentence: the answer in one sentence, made by rules.
        margin: score of the first image minus that of the best ground truth; None without.
        rank: of the best-ranked ground truth; None without a score.
        first_cause: place in ``reasons``; None when none was found.
        reasons: in the order of the candidates.
        n_encoded: how many images and texts were encoded for the tests.
        drawn: whether gallery or model is of the drawn world.
    """

    caption_index: int
    caption: str
    failure: bool
    sentence: str
    margin: float | None
    rank: int | None
    first_cause: int | None
    reasons: tuple[Reason, ...]
    n_encoded: int = 0
    drawn: bool = False


def to_json(found: FailureReasons) -> dict[str, Any]:
    """As the command prints it and the store keeps it."""
    return asdict(found)


def from_json(value: dict[str, Any]) -> FailureReasons:
    """The inverse of `to_json`."""
    reasons = tuple(
        Reason(
            **{
                **one,
                "tests": tuple(
                    Test(**{**test, "controls": tuple(test["controls"])}) for test in one["tests"]
                ),
                "instances": tuple(one["instances"]),
            }
        )
        for one in value["reasons"]
    )
    return FailureReasons(**{**value, "reasons": reasons})
