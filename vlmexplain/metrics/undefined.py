"""Why a metric has no value: each reason once, with the code that columnar scores keep."""

from __future__ import annotations

from enum import Enum


class Undefined(Enum):
    """A reason for a metric to be undefined: ``code`` (uint8, never 0) and ``text``.

    >>> Undefined.NOTHING_COMMON.code, Undefined.NOTHING_COMMON.text
    (7, 'no concept is common to both images')
    """

    NO_GROUND_TRUTH_CONCEPT = (1, "the ground truth has no annotated concept")
    NO_MENTIONED_CONCEPT = (2, "the query mentions no annotated concept of the ground truth")
    GROUND_TRUTH_USED_UP = (3, "every concept of the ground truth is also in the retrieved image")
    RETRIEVED_USED_UP = (4, "every concept of the retrieved image is also in the ground truth")
    NO_RETRIEVED_CONCEPT = (5, "the retrieved image has no annotated concept")
    NO_PATH = (6, "no WordNet path leads from a left-over concept to one of the other image")
    NOTHING_COMMON = (7, "no concept is common to both images")
    NOTHING_COUNTABLE = (
        8,
        "every common concept has a crowd region in one image, so none can be counted",
    )
    NO_SIZE_PAIR = (9, "no common concept has a box with a size in both images")

    @property
    def code(self) -> int:
        """The number that stands for the reason in columnar scores."""
        return self.value[0]

    @property
    def text(self) -> str:
        """The reason in words, as shown to a reader."""
        return self.value[1]


DEFINED = 0
"""The code of a metric that has a value."""

TEXT_OF_CODE = {reason.code: reason.text for reason in Undefined}
"""Reason in words by code; `DEFINED` has none."""
