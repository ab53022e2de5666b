"""The failure classes a rater marks: a stable key, a label to read, a key to press."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vlmexplain.errors import DataError

KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
LONGEST_LABEL = 80


@dataclass(frozen=True, slots=True)
class FailureClass:
    """One class of failures.

    Attributes:
        key: what is stored and exported; never changes its meaning. ``[a-z][a-z0-9_]*``.
        label: what is shown; may be reworded or translated.
        shortcut: one letter to press, or empty; never stored with an answer.
        meaning: one sentence for the rater, may be empty.
    """

    key: str
    label: str
    shortcut: str = ""
    meaning: str = ""


SUCCESSFUL_ALTERNATIVE = "successful_alternative"

DEFAULT_CLASSES = (
    FailureClass("details", "Details", "d", "A detail of the query is missing or different."),
    FailureClass("object_colour", "Object colour", "c", "An object has another colour."),
    FailureClass("object_enumeration", "Object enumeration", "n", "Another number of objects."),
    FailureClass("action", "Action", "a", "Something else is being done."),
    FailureClass(
        SUCCESSFUL_ALTERNATIVE,
        "Successful alternative",
        "s",
        "The retrieved image does answer the query.",
    ),
    FailureClass("object_category", "Object category", "o", "Another kind of object."),
    FailureClass("object_size", "Object size", "z", "An object has another size or distance."),
    FailureClass("scene", "Scene", "e", "Another place or surrounding."),
    FailureClass(
        "wrong_caption",
        "The ground-truth caption is wrong",
        "w",
        "The query does not describe its own image.",
    ),
)
"""The paper's five (details ... successful alternative) and our four."""


def check_classes(classes: Sequence[FailureClass]) -> None:
    """Refuse classes that could not be told apart.

    Raises:
        DataError: a malformed or repeated key, an empty, long or repeated label, or a shortcut
            that is repeated or no single letter (digits are the ratings).
    """
    for one in classes:
        if not KEY.fullmatch(one.key):
            raise DataError(
                f"the class key {one.key!r} is not usable.",
                where="classes",
                remedy="A key is a small letter, then small letters, digits and underscores.",
            )
        if not one.label.strip() or len(one.label) > LONGEST_LABEL:
            raise DataError(
                f"the class {one.key!r} has the label {one.label!r}.",
                where="classes",
                remedy=f"A label has 1 to {LONGEST_LABEL} characters.",
            )
        if one.shortcut and not (len(one.shortcut) == 1 and one.shortcut.isalpha()):
            raise DataError(
                f"the class {one.key!r} has the shortcut {one.shortcut!r}.",
                where="classes",
                remedy="A shortcut is one letter; digits are taken by the ratings.",
            )
    _refuse_repeats("key", [one.key for one in classes])
    _refuse_repeats("label", [one.label.strip().casefold() for one in classes])
    _refuse_repeats("shortcut", [one.shortcut.casefold() for one in classes if one.shortcut])


def _refuse_repeats(what: str, values: Sequence[str]) -> None:
    repeated = sorted({value for value in values if values.count(value) > 1})
    if repeated:
        raise DataError(
            f"two failure classes have the same {what}: {', '.join(map(repr, repeated))}.",
            where="classes",
            remedy=f"Give each class a {what} of its own.",
        )
