"""Two runs by their corrected figures, over the queries that are judged for both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.positives.accepted import GalleryPositives
from vlmexplain.positives.figures import KEYS, CorrectedFigures, corrected_figures
from vlmexplain.scoring.run_store import Run

UNEQUAL_FROM = 0.05
"""Judged shares of first images that differ by this much or more are warned of."""


@dataclass(frozen=True, slots=True)
class CorrectedComparison:
    """Two runs on the same judged queries.

    Attributes:
        a, b: their figures, over the very same queries.
        differences: key -> float64 [m], B - A of each query; a figure that either lacks is left
            out.
        judged_first_a, judged_first_b: share of failures whose first image was judged, 0 to 1;
            None without a failure.
        warning: a sentence when one is judged more often than the other; "" otherwise.
    """

    a: CorrectedFigures
    b: CorrectedFigures
    differences: dict[str, NDArray[np.float64]]
    judged_first_a: float | None
    judged_first_b: float | None
    warning: str


def compare_corrected(
    gallery: Gallery,
    a: Run,
    b: Run,
    positives: GalleryPositives,
    chosen: NDArray[np.bool_] | None = None,
) -> CorrectedComparison:
    """Compare over the judged queries that both runs ranked.

    Raises:
        DataError: the runs are not of this gallery.
        StoreError: a run or its embeddings are damaged.
    """
    if {a.gallery_id, b.gallery_id} != {gallery.id}:
        raise DataError("the two runs are not of one gallery.", remedy="Choose runs of one.")
    ranked = _ranked(a) & _ranked(b)
    both = ranked if chosen is None else ranked & chosen
    left, right = (corrected_figures(gallery, run, positives, both) for run in (a, b))
    differences = {
        key: right.values[key] - left.values[key]
        for key in KEYS
        if key in left.values and key in right.values
    }
    of_a, of_b = (judged_first_share(run, positives, both) for run in (a, b))
    return CorrectedComparison(left, right, differences, of_a, of_b, unequal_judging(of_a, of_b))


def judged_first_share(
    run: Run, positives: GalleryPositives, chosen: NDArray[np.bool_]
) -> float | None:
    """Of the failures, how many first images someone accepted or rejected; None without any."""
    failed = run.rows_table.column("failure").to_numpy(zero_copy_only=False) == 1
    rows = np.flatnonzero(failed & chosen)
    if not len(rows):
        return None
    first = np.asarray(run.top_k_images[:, 0])
    judged = sum(positives.judged(int(q), int(first[q])).standing != "unjudged" for q in rows)
    return judged / len(rows)


def unequal_judging(a: float | None, b: float | None) -> str:
    """The warning that one run's failures are judged more often than the other's; "" for none.

    >>> unequal_judging(0.5, 0.52)
    ''
    """
    if a is None or b is None or abs(a - b) < UNEQUAL_FROM:
        return ""
    more, less = ("A", "B") if a > b else ("B", "A")
    high, low = max(a, b), min(a, b)
    return (
        f"The first images of {more}'s failures are judged more often ({100 * high:.0f} %) than "
        f"{less}'s ({100 * low:.0f} %), so the comparison favours {more}: what is not judged "
        "counts as wrong. Judge the first image of both for the same queries."
    )


def _ranked(run: Run) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (
        run.rows_table.column("rank_1based").fill_null(0).to_numpy(zero_copy_only=False) > 0
    )
    return found
