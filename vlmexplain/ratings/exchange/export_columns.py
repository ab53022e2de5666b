"""Long-format rows as flat columns and back: the same in CSV, JSON lines and Parquet."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from vlmexplain.errors import DataError
from vlmexplain.ratings.plan.rows import RatingData, RatingRow

FORMAT = 1
"""Version of the export's columns."""

CLASS_PREFIX = "class."
METRIC_PREFIX = "metric."

PLAIN = tuple(
    field.name
    for field in dataclasses.fields(RatingRow)
    if field.name not in ("classes", "metrics", "submitted_at")
)
INTEGERS = frozenset(
    {
        "item",
        "occurrence",
        "caption_index",
        "ground_truth_image",
        "retrieved_image",
        "other_image",
        "rater",
        "position",
        "version",
        "rating",
        "first_rating",
    }
)
BOOLEANS = frozenset({"is_current", "other_on_left"})
NEEDED = ("item", "occurrence", "caption_index", "query", "ground_truth_image", "retrieved_image")
WORDS = {
    "status": ("answered", "skipped", "unrated"),
    "preference": ("retrieved", "other", "equal"),
    "first_preference": ("retrieved", "other", "equal"),
}


def column_names(data: RatingData, metrics: Sequence[str]) -> tuple[str, ...]:
    """All columns: the row's fields, one 0/1 column a class, one column a metric."""
    classes = (CLASS_PREFIX + key for key in data.spec.class_keys())
    return (*PLAIN, "submitted_at", *classes, *(METRIC_PREFIX + key for key in metrics))


def row_to_columns(
    row: RatingRow, class_keys: Sequence[str], metrics: Sequence[str]
) -> dict[str, Any]:
    """A row's values by column; None where there is none, also classes without an answer."""
    values: dict[str, Any] = {name: getattr(row, name) for name in PLAIN}
    values["submitted_at"] = None if row.submitted_at is None else time_text(row.submitted_at)
    answered = row.status == "answered"
    for key in class_keys:
        values[CLASS_PREFIX + key] = (key in row.classes) if answered else None
    for key in metrics:
        values[METRIC_PREFIX + key] = row.metrics.get(key)
    return values


def row_from_columns(values: Mapping[str, Any], where: str) -> RatingRow:
    """The row that columns hold; texts as CSV has them, or typed values.

    Raises:
        DataError: a missing column, or a value of the wrong kind.
    """
    row: dict[str, Any] = {}
    for name in NEEDED:
        if name not in values:
            raise DataError(f"the column {name!r} is missing.", where=where)
    for name in PLAIN:
        if name in values:
            row[name] = _value(name, values[name], where)
    row["submitted_at"] = _time(values.get("submitted_at"), where)
    row["classes"] = tuple(
        name.removeprefix(CLASS_PREFIX)
        for name, value in values.items()
        if name.startswith(CLASS_PREFIX) and _boolean(value, where)
    )
    row["metrics"] = {
        name.removeprefix(METRIC_PREFIX): _number(value, float, where)
        for name, value in values.items()
        if name.startswith(METRIC_PREFIX)
    }
    return RatingRow(**row)


def time_text(seconds: float) -> str:
    """A moment as ISO 8601 in UTC, exact to the microsecond.

    >>> time_text(1.5)
    '1970-01-01T00:00:01.500000+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def _value(name: str, value: Any, where: str) -> Any:
    where = f"{where}: {name}"
    if name in INTEGERS:
        number = _number(value, int, where)
        if number is None and name in NEEDED:
            raise DataError("has no value.", where=where)
        return (number or 0) if name == "version" else number
    if name in BOOLEANS:
        return _boolean(value, where)
    if name == "seconds":
        return _number(value, float, where)
    if name in WORDS:
        if name != "status" and value in ("", None):
            return None
        if value not in WORDS[name]:
            raise DataError(f"is {value!r}, expected one of {WORDS[name]}.", where=where)
        return value
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"is {value!r}, expected text.", where=where)
    return value


def _number(value: Any, kind: type, where: str) -> Any:
    if value is None or value == "":
        return None
    try:
        number = kind(value)
        if isinstance(value, float) and number != value:
            raise ValueError
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"is {value!r}, expected a number.", where=where) from error
    if kind is int and abs(number) >= 2**31:
        raise DataError(f"is {value!r}, which is too large.", where=where)
    if number != number or abs(number) == float("inf"):
        raise DataError(f"is {value!r}; undefined is left empty.", where=where)
    return number


def _boolean(value: Any, where: str) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False, "": False, "none": False}
    text = str(value).lower()
    if text not in known:
        raise DataError(f"is {value!r}, expected true or false.", where=where)
    return known[text]


def _time(value: Any, where: str) -> float | None:
    if value is None or value == "":
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise DataError(f"{value!r} is no moment in ISO 8601.", where=where) from error
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
