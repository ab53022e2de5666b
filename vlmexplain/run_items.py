"""The queries of a run as items of a rating session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.errors import DataError
from vlmexplain.ratings.items import RatingItem, read_items
from vlmexplain.ratings.sampling import sample_items
from vlmexplain.ratings.spec import SessionSpec
from vlmexplain.ratings.spec_toml import ItemRequest, SessionPlan
from vlmexplain.scoring.queries import GALLERY_ORDER, QueryFilter, QueryRow, QueryTable
from vlmexplain.scoring.run import open_run
from vlmexplain.scoring.run_store import Run


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
                {
                    **row.metrics,
                    "rank_1based": row.rank_1based,
                    "score_retrieved": row.score_retrieved,
                    "score_ground_truth": row.score_ground_truth,
                    "margin": row.margin,
                },
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
    questions, request = plan.questions, plan.items
    if request.file is not None:
        items = read_items(folder / request.file)
    else:
        assert questions.run is not None
        run = open_run(questions.run)
        other = open_run(questions.other_run) if questions.other_run else None
        if (questions.kind == "choice") != (other is not None):
            raise DataError("other_run is given in a choice, and only there.")
        if other is not None and other.gallery_id != run.gallery_id:
            raise DataError("both runs must be of the same gallery.", where=f"run {other.key}")
        items = _run_items(run, other, request)
        questions = replace(
            questions,
            run=run.key,
            other_run=other.key if other else None,
            gallery=run.gallery_id,
        )
    if request.sample is not None:
        items = sample_items(
            items, request.sample, request.seed, request.stratify_by, request.strata
        )
    return questions, items


def _run_items(run: Run, other: Run | None, request: ItemRequest) -> tuple[RatingItem, ...]:
    table = QueryTable(run, open_gallery(run.gallery_id))
    if request.captions:
        rows: tuple[QueryRow, ...] = tuple(table.row(index) for index in request.captions)
    else:
        chosen = QueryFilter(failures_only=request.failures_only)
        rows = table.page(chosen, limit=len(table.order(chosen, GALLERY_ORDER))).rows
    if other is None:
        return items_of_queries(rows)
    first = other.top_k_images[:, 0]
    retrieved = {row.caption_index: int(first[row.caption_index]) for row in rows}
    return items_of_queries(rows, {c: image for c, image in retrieved.items() if image >= 0})
