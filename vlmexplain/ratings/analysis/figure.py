"""A number with what it rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A value and how many cases it rests on.

    Attributes:
        value: None when it is undefined. Undefined is never 0.
        n: how many cases.
        undefined_because: why, when value is None; else None.
    """

    value: float | None
    n: int
    undefined_because: str | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with a 95 % interval.

    Attributes:
        value, low, high: None when undefined.
        n: how many cases it rests on.
        undefined_because: why there is no value.
        interval_undefined_because: why there is a value and no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined_because: str | None = None
    interval_undefined_because: str | None = None


def mean_of(values: Sequence[float], none: str) -> Figure:
    """The mean, or ``none`` as the reason why there is none.

    >>> mean_of([1, 2, 6], "no answers").value, mean_of([], "no answers").undefined_because
    (3.0, 'no answers')
    """
    if not values:
        return Figure(None, 0, none)
    return Figure(math.fsum(values) / len(values), len(values))


def share_of(part: int, whole: int, none: str) -> Figure:
    """part / whole, or ``none`` as the reason when there is no whole.

    >>> share_of(1, 4, "no answers").value
    0.25
    """
    return Figure(part / whole, whole) if whole else Figure(None, 0, none)
