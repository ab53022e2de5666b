"""Which queries to show, and in which order: what a reader chooses, as SQL with parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.scoring.query_columns import METRIC_COLUMNS

METRIC_KEYS = (*METRIC_COLUMNS, *(f"q_{name}" for name in METRIC_COLUMNS))
"""The metrics that can be filtered and sorted by; ``q_``: query-informed."""

NUMBERS = (
    "rank_1based",
    "reciprocal_rank",
    "score_ground_truth",
    "score_retrieved",
    "margin",
    "n_tied",
    "n_words",
    *METRIC_KEYS,
)
"""The columns that can be filtered by a range."""

SORT_KEYS = ("caption_index", "text", *NUMBERS)
"""The columns that can be sorted by; ``caption_index`` is the order of the gallery."""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Only queries whose ``key`` (one of `NUMBERS`) is within ``low`` .. ``high``, both included.

    None is no limit; a query without a value is not in any range.
    """

    key: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """What all of must hold of a query.

    Attributes:
        text: words that must all occur in the caption, as they are written but for capitals.
        failures_only: only queries whose first image is no ground truth.
        unranked_only: only queries that have no rank.
        ranges: see `NumberRange`.
        in_ground_truth, in_retrieved: synsets that the caption's own image, or the retrieved
            image, must have as annotated concepts.
        undefined: metrics (of `METRIC_KEYS`) that were computed and have no value.
    """

    text: str = ""
    failures_only: bool = False
    unranked_only: bool = False
    ranges: tuple[NumberRange, ...] = ()
    in_ground_truth: tuple[str, ...] = ()
    in_retrieved: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuerySort:
    """The order: by one of `SORT_KEYS`; queries without a value come last either way."""

    key: str = "caption_index"
    descending: bool = False


ALL_QUERIES = QueryFilter()
GALLERY_ORDER = QuerySort()


def as_sql(chosen: QueryFilter, sort: QuerySort, concepts: Sequence[str]) -> tuple[str, list[Any]]:
    """The ``WHERE`` and ``ORDER BY`` clauses, and the values of their parameters.

    Names come from closed lists and everything a user typed is a parameter.

    Args:
        concepts: the gallery's synsets, sorted.

    Raises:
        UnknownName: a metric, column or concept that there is not.
        DataError: a range that is upside down.
    """
    tests: list[str] = []
    values: list[Any] = []
    for word in chosen.text.split():
        # `contains` is literal: no character of the word means anything else.
        tests.append("contains(text_lower, ?)")
        values.append(word.lower())
    if chosen.failures_only:
        tests.append("failure")
    if chosen.unranked_only:
        tests.append("rank_1based IS NULL")
    for limits in chosen.ranges:
        _add_range(limits, tests, values)
    for column, synsets in (
        ("image_index", chosen.in_ground_truth),
        ("retrieved_image_index", chosen.in_retrieved),
    ):
        for synset in synsets:
            tests.append(
                f"{column} IN (SELECT image_index FROM image_concepts WHERE concept_index = ?)"  # noqa: S608
            )
            values.append(_place_of(synset, concepts))
    for key in chosen.undefined:
        # A metric was computed where the query failed.
        tests.append(f"(failure AND {_known(key, METRIC_KEYS, 'metric')} IS NULL)")
    where = f"WHERE {' AND '.join(tests)}" if tests else ""
    key = _known(sort.key, SORT_KEYS, "sort key")
    key = "text_place" if key == "text" else key
    direction = "DESC" if sort.descending else "ASC"
    return f"{where} ORDER BY {key} {direction} NULLS LAST, caption_index", values


def _add_range(limits: NumberRange, tests: list[str], values: list[Any]) -> None:
    key = _known(limits.key, NUMBERS, "column")
    low, high = limits.low, limits.high
    if low is not None and high is not None and not low <= high:
        raise DataError(
            f"the range of {key} goes from {low:g} to {high:g}.",
            remedy="The first number must not be above the second.",
        )
    for sign, bound in ((">=", low), ("<=", high)):
        if bound is not None:
            tests.append(f"{key} {sign} ?")
            values.append(float(bound))
    if low is None and high is None:
        tests.append(f"{key} IS NOT NULL")


def _known(name: str, known: Sequence[str], kind: str) -> str:
    if name not in known:
        raise UnknownName(kind, name, known)
    return name


def _place_of(synset: str, concepts: Sequence[str]) -> int:
    if synset not in concepts:
        raise UnknownName("concept", synset, concepts)
    return concepts.index(synset)
