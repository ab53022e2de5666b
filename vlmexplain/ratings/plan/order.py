"""Which item a rater gets next: seeded, the same on every machine and for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from vlmexplain.ratings.plan.spec import SessionSpec

Occurrence = tuple[int, int]
"""(item, 0) the first time a rater sees it, (item, 1) the second."""

LONGEST_PERIOD = 10
"""At least one repeated item after this many new answers, while repeats are left."""


@dataclass(frozen=True, slots=True)
class Held:
    """An item that a rater has or had.

    Attributes:
        position: the rater's own counting, from 1.
        answered: it has an answer.
    """

    position: int
    answered: bool


@lru_cache(maxsize=256)
def preference_order(seed: int, rater: int, n_items: int) -> tuple[int, ...]:
    """All items in the order this rater would get them: random per rater, seeded.

    >>> sorted(preference_order(7, 1, 5)), preference_order(7, 1, 5) != preference_order(7, 2, 5)
    ([0, 1, 2, 3, 4], True)
    """
    return tuple(sorted(range(n_items), key=lambda item: _draw(seed, rater, "order", item)))


def is_flipped(seed: int, rater: int, item: int, occurrence: int) -> bool:
    """Whether the other run's image is on the left, in a ``choice``: a seeded coin."""
    return bool(_draw(seed, rater, f"side {occurrence}", item)[0] & 1)


def next_occurrence(
    spec: SessionSpec,
    n_items: int,
    rater: int,
    held: Mapping[Occurrence, Held],
    full: Collection[int],
) -> Occurrence | None:
    """What comes next for a rater; None when nothing is left.

    A repeated item comes after every ``n_items // repeats`` new answers (`LONGEST_PERIOD` at
    most, ``repeat_gap`` at least), drawn from those answered at least ``repeat_gap`` ago; what is
    left of the repeats comes when no new item is left.

    Args:
        held: what the rater has or had, without what was given back.
        full: items that have the wanted number of other raters.
    """
    repeats_left = min(spec.repeats, n_items) - sum(occurrence for _, occurrence in held)
    n_new = sum(one.answered for (_, occurrence), one in held.items() if occurrence == 0)
    if repeats_left > 0:
        period = max(spec.repeat_gap, min(n_items // spec.repeats, LONGEST_PERIOD))
        done = min(spec.repeats, n_items) - repeats_left
        if n_new >= (done + 1) * period:
            repeated = _repeat(spec, rater, held)
            if repeated is not None:
                return repeated
    for item in preference_order(spec.seed, rater, n_items):
        if (item, 0) not in held and item not in full:
            return (item, 0)
    return _repeat(spec, rater, held) if repeats_left > 0 else None


def _repeat(spec: SessionSpec, rater: int, held: Mapping[Occurrence, Held]) -> Occurrence | None:
    last = max((one.position for one in held.values()), default=0)
    possible = [
        item
        for (item, occurrence), one in held.items()
        if occurrence == 0
        and one.answered
        and (item, 1) not in held
        and last - one.position >= spec.repeat_gap
    ]
    if not possible:
        return None
    return (min(possible, key=lambda item: _draw(spec.seed, rater, "repeat", item)), 1)


def _draw(seed: int, rater: int, what: str, item: int) -> bytes:
    return hashlib.blake2b(f"{seed}|{rater}|{what}|{item}".encode(), digest_size=8).digest()
