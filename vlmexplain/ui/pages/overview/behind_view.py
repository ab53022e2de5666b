"""The failures behind a number of the whole-model pages, as a list; the address names the number.

``behind=figure:ca``, ``missed:CONCEPT``, ``miscounted:CONCEPT``, ``mis-sized:CONCEPT``,
``confused:GROUND TRUTH|RETRIEVED``: over the queries that the page is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, UnknownName
from vlmexplain.overview.behind import figure_queries
from vlmexplain.overview.columns import column_of
from vlmexplain.overview.concept_errors import (
    MOST_KEPT,
    failures_that_miscount,
    failures_that_miss,
)
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.overview.address import OVERVIEW
from vlmexplain.ui.pages.overview.failure_list import draw_queries
from vlmexplain.ui.pages.overview.pair_errors import count_rest, errors_of
from vlmexplain.ui.shared import kept
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.positives_of import positives_of
from vlmexplain.ui.shared.scope import facts_of, rows_of
from vlmexplain.ui.shared.words import short_name

_FROM_MATCHINGS = ("mis-sized", "confused")


@dataclass(frozen=True, slots=True)
class _Found:
    title: str
    queries: NDArray[np.intp]
    said: str


def behind_link(run_key: str, what: str) -> str:
    """The list behind a number, over the queries that this page is about."""
    return OVERVIEW.here(run=short(run_key), behind=what, at=0)


def draw_behind(gallery: Gallery, run: Run, what: str) -> None:
    """Draw the list.

    Raises:
        UnknownName, DataError: the address names no such number, concept or pair.
    """
    kind, _, name = what.partition(":")
    if kind not in _FIND:
        raise UnknownName("list", kind, _FIND)
    found = _FIND[kind](gallery, run, name)
    back = OVERVIEW.here(behind="", at=0)
    st.html(
        tag(
            "div",
            tag("p", tag("a", "◂ Back", href=back)),
            tag("h2", found.title),
            tag("p", f"{run.model.name} · {len(found.queries):,} {found.said}", class_="quiet"),
            class_="vx",
        )
    )
    draw_queries(gallery, run, found.queries.tolist())
    if kind in _FROM_MATCHINGS:
        count_rest(gallery, run, errors_of(gallery, run))


def _figure(gallery: Gallery, run: Run, name: str) -> _Found:
    column = column_of(name)
    columns = kept.run_columns(run.key)
    rows = rows_of(gallery, columns)
    if column.group == "corrected":
        rows &= positives_of(gallery).listed
    queries = figure_queries(name, columns, rows)
    said = "queries" if column.group in ("retrieval", "corrected") else "failures"
    return _Found(column.title, queries, f"{said} behind it, the worst first")


def _missed(gallery: Gallery, run: Run, name: str) -> _Found:
    return _concept(gallery, run, name, failures_that_miss,
                    "failures whose ground truth has it and whose retrieved image lacks it",
                    "Missed")  # fmt: skip


def _miscounted(gallery: Gallery, run: Run, name: str) -> _Found:
    return _concept(gallery, run, name, failures_that_miscount,
                    "failures where both images have it, in different numbers",
                    "Miscounted")  # fmt: skip


def _concept(
    gallery: Gallery, run: Run, name: str, find: Callable[..., NDArray[np.intp]], said: str,
    title: str,
) -> _Found:  # fmt: skip
    columns = kept.run_columns(run.key)
    queries = find(name, columns, facts_of(gallery, gallery.id), rows_of(gallery, columns))
    return _Found(f"{title}: {short_name(name)}", queries, said)


def _mis_sized(gallery: Gallery, run: Run, name: str) -> _Found:
    errors = errors_of(gallery, run)
    for each in errors.mis_sized:
        if each.concept == name:
            said = "failures where a matched pair of its boxes differs by the threshold or more"
            return _Found(f"Mis-sized: {short_name(name)}", _array(each.queries),
                          said + errors.of_which(len(each.queries) >= MOST_KEPT))  # fmt: skip
    raise DataError(f"{name!r} was not matched by size in any failure that was looked at.")


def _confused(gallery: Gallery, run: Run, name: str) -> _Found:
    one, _, other = name.partition("|")
    errors = errors_of(gallery, run)
    for each in errors.confusions:
        if (each.ground_truth, each.retrieved) == (one, other):
            said = "failures in which the two were matched with each other"
            title = f"Confused: {short_name(one)} → {short_name(other)}"
            return _Found(title, _array(each.queries),
                          said + errors.of_which(len(each.queries) >= MOST_KEPT))  # fmt: skip
    raise DataError(f"{one!r} and {other!r} were not matched in any failure that was looked at.")


def _array(queries: Sequence[int]) -> NDArray[np.intp]:
    return np.array(queries, dtype=np.intp)


_FIND: Mapping[str, Callable[[Gallery, Run, str], _Found]] = {
    "figure": _figure,
    "missed": _missed,
    "miscounted": _miscounted,
    "mis-sized": _mis_sized,
    "confused": _confused,
}
