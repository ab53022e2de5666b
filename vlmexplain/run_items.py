"""The queries of a run as items of a rating session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.errors import DataError, GalleryError, UnknownName
from vlmexplain.ratings.plan.items import RatingItem, read_items
from vlmexplain.ratings.plan.sampling import sample_items, sample_places
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.plan.spec_toml import ItemRequest, SessionPlan
from vlmexplain.scoring.queries import QueryRow, QueryTable
from vlmexplain.scoring.query_columns import METRIC_COLUMNS
from vlmexplain.scoring.run import open_run
from vlmexplain.scoring.run_store import Run

OF_RETRIEVAL = ("rank_1based", "score_retrieved", "score_ground_truth", "margin")
METRICS_OF_ITEMS = (
    *(prefix + name for prefix in ("", "q_") for name in METRIC_COLUMNS),
    *OF_RETRIEVAL,
)
"""What an item of a run knows beforehand, and so by what a sample can be spread."""


def items_of_queries(
    rows: Iterable[QueryRow], other: Mapping[int, int] | None = None
) -> tuple[RatingItem, ...]:
    """Items of queries, in order, with what the software computed for each.

    Args:
        rows: such as the rows of a `scoring.queries.QueryPage`; those for which nothing was
            retrieved are left out.
        other: for a ``choice``: the image that the other run retrieved, by caption index;
            queries without one, or with the same one, are left out.
    """
    found = []
    for row in rows:
        image = None if other is None else other.get(row.caption_index)
        if row.retrieved_image_index is None:
            continue
        if other is not None and image in (None, row.retrieved_image_index):
            continue
        found.append(
            RatingItem(
                row.caption_index,
                row.text,
                row.image_index,
                row.retrieved_image_index,
                image,
                row.metrics | {name: getattr(row, name) for name in OF_RETRIEVAL},
            )
        )
    return tuple(found)


def planned_session(plan: SessionPlan, folder: Path) -> tuple[SessionSpec, tuple[RatingItem, ...]]:
    """The questions with full keys, and the items, of a session's TOML file.

    Args:
        folder: where the TOML file is; a file of items is found from there.

    Raises:
        DataError, UnknownName, GalleryError, StoreError: what is named is not there, or is not
            fit to be asked about.
    """
    if plan.items.file is None:
        return session_of_run(plan)
    return session_of_items(plan, read_items(folder / plan.items.file))


def session_of_items(
    plan: SessionPlan, items: Sequence[RatingItem]
) -> tuple[SessionSpec, tuple[RatingItem, ...]]:
    """The questions, and the sample that is asked for of given items.

    Raises:
        DataError, UnknownName, GalleryError: an image or caption that the gallery does not have.
    """
    questions, request = plan.questions, plan.items
    if questions.gallery is not None:
        gallery = open_gallery(questions.gallery)
        check_gallery(items, gallery)
        questions = replace(questions, gallery=gallery.id)
    if request.sample is not None:
        items = sample_items(
            items, request.sample, request.seed, request.stratify_by, request.strata
        )
    return questions, tuple(items)


def session_of_run(plan: SessionPlan) -> tuple[SessionSpec, tuple[RatingItem, ...]]:
    """The questions with full keys, and items from the queries of the plan's run.

    Raises:
        DataError, UnknownName, GalleryError, StoreError: as `planned_session`.
    """
    questions, request = plan.questions, plan.items
    assert questions.run is not None
    run = open_run(questions.run)
    other = open_run(questions.other_run) if questions.other_run else None
    if (questions.kind == "choice") != (other is not None):
        raise DataError("other_run is given in a choice, and only there.")
    if other is not None and other.gallery_id != run.gallery_id:
        raise DataError("both runs must be of the same gallery.", where=f"run {other.key}")
    table = QueryTable(run, open_gallery(run.gallery_id))
    rows = [table.row(caption) for caption in asked_captions(run, other, request).tolist()]
    taken = (
        None
        if other is None
        else {row.caption_index: int(_first(other)[row.caption_index]) for row in rows}
    )
    questions = replace(
        questions, run=run.key, other_run=other.key if other else None, gallery=run.gallery_id
    )
    return questions, items_of_queries(rows, taken)


def fitting_captions(
    run: Run,
    other: Run | None = None,
    failures_only: bool = True,
    captions: Sequence[int] = (),
) -> NDArray[np.int64]:
    """The queries that can be asked about, int64 [n]: in order, or as given.

    Args:
        other: the other run of a ``choice``: queries for which both retrieve the same are left out.
        captions: only these, failures or not; empty: all.

    Raises:
        GalleryError: there is no such caption.
    """
    first = _first(run)
    fits = first >= 0
    if other is not None:
        fits &= (_first(other) >= 0) & (_first(other) != first)
    if captions:
        for caption in captions:
            if not 0 <= caption < len(first):
                message = f"no caption {caption}, there are {len(first):,}."
                raise GalleryError(message, where="captions")
        chosen = np.asarray(captions, dtype=np.int64)
        return chosen[fits[chosen]]
    if failures_only:
        fits &= _column(run, "failure") == 1
    return np.flatnonzero(fits)


def asked_captions(run: Run, other: Run | None, request: ItemRequest) -> NDArray[np.int64]:
    """The queries that a request takes from a run, int64 [n]; the sample drawn.

    Raises:
        DataError, GalleryError, UnknownName: as `fitting_captions` and `sampling.sample_places`.
    """
    found = fitting_captions(run, other, request.failures_only, request.captions)
    if request.sample is None:
        return found
    values = None if request.stratify_by is None else _column(run, request.stratify_by)[found]
    return found[sample_places(len(found), request.sample, request.seed, values, request.strata)]


def check_gallery(items: Sequence[RatingItem], gallery: Gallery) -> None:
    """Refuse items whose images or captions the gallery does not have.

    Raises:
        DataError: names the first such item.
    """
    for n, item in enumerate(items):
        caption, *images = (part for part in item.key() if part is not None)
        if caption >= gallery.n_captions or max(images) >= gallery.n_images:
            raise DataError(
                f"names caption {caption} and images {', '.join(map(str, images))}; {gallery.name} "
                f"has {gallery.n_captions:,} captions and {gallery.n_images:,} images.",
                where=f"item {n}",
                remedy="Choose the gallery that the items were made for.",
            )


def _first(run: Run) -> NDArray[np.int64]:
    """The image retrieved first for each caption, int64 [n_captions], -1 for none."""
    return np.asarray(run.top_k_images[:, 0], dtype=np.int64)


def _column(run: Run, name: str) -> NDArray[np.float64]:
    """A column of the run, float64 [n_captions], NaN where undefined.

    Raises:
        UnknownName: it is none that an item has.
    """
    if name not in (*METRICS_OF_ITEMS, "failure"):
        raise UnknownName("metric of the items", name, METRICS_OF_ITEMS)
    values = run.rows_table.column(name).cast("float64").to_numpy()
    return np.asarray(values, dtype=np.float64)
