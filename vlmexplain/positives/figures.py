"""Corrected figures of a run: with every accepted image, over the judged queries.

R-Precision and mAP@R as ECCV Caption defines them, with R the accepted images in the gallery.
Source: Chun et al., ECCV Caption, 2022 (arXiv:2204.03359), after Musgrave et al., A Metric Learning
Reality Check, 2020 (arXiv:2003.08505).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.positives.accepted import GalleryPositives
from vlmexplain.positives.ranks import PositiveRanks, positive_ranks
from vlmexplain.scoring.run_store import Run

RECALLS = (1, 5, 10)
KEYS = ("r1_corrected", "r5_corrected", "r10_corrected", "r_precision", "map_at_r")
NO_SOURCE = "no source of positives lists queries"


@dataclass(frozen=True, slots=True)
class CorrectedFigures:
    """What the judged queries of a run come to, query by query.

    Attributes:
        captions: int32 [m], the judged queries that have a rank.
        image_index: int32 [m], their own images, which intervals draw.
        values: key of `KEYS` -> float64 [m], 0 to 1.
        undefined: key -> why a figure has no value.
        official: 1, 5 or 10 -> float64 [m], R@k with the own image only, over the same queries.
        first: int8 [m]: 2 own image first, 1 an accepted one, 0 none of them.
        n_queries: queries of the run that have a rank.
        n_disputed: pairs that one source accepts and another rejects; they count as accepted.
        mean_positives: R on average; None without a judged query.
    """

    captions: NDArray[np.int32]
    image_index: NDArray[np.int32]
    values: dict[str, NDArray[np.float64]]
    undefined: dict[str, str]
    official: dict[int, NDArray[np.float64]]
    first: NDArray[np.int8]
    n_queries: int
    n_disputed: int
    mean_positives: float | None

    @property
    def judged_share(self) -> float | None:
        """Judged queries of all; None without a query."""
        return len(self.captions) / self.n_queries if self.n_queries else None

    @property
    def n_failures(self) -> int:
        """Judged queries that officially fail."""
        return int(np.count_nonzero(self.first < 2))

    @property
    def n_false_failures(self) -> int:
        """Own image missed, an accepted image first: right answers that count as failures."""
        return int(np.count_nonzero(self.first == 1))

    def mean(self, key: str) -> float | None:
        """A corrected figure; None where it is undefined."""
        return float(self.values[key].mean()) if key in self.values else None

    def official_mean(self, k: int) -> float | None:
        """R@k with the own image only, over the same queries; None without one."""
        return float(self.official[k].mean()) if len(self.captions) else None


def corrected_figures(
    gallery: Gallery,
    run: Run,
    positives: GalleryPositives,
    chosen: NDArray[np.bool_] | None = None,
) -> CorrectedFigures:
    """Evaluate a run on the judged queries, or on those of them that are chosen.

    Args:
        chosen: bool [n_captions]; None for all.

    Raises:
        StoreError: the run or its embeddings are damaged.
    """
    own_rank = _column(run, "rank_1based")
    asked = own_rank > 0 if chosen is None else (own_rank > 0) & chosen
    captions = np.flatnonzero(asked & positives.listed).astype(np.int32)
    ranks = positive_ranks(gallery, run, positives, captions)
    values, undefined = figures_of_ranks(ranks)
    own = own_rank[captions]
    hit = np.zeros(len(captions), dtype=bool)
    if len(ranks.rank_1based):
        hit = ranks.rank_1based[ranks.offsets[:-1]] == 1
    return CorrectedFigures(
        captions,
        np.asarray(gallery.image_of_caption)[captions],
        values,
        undefined,
        {k: (own <= k).astype(np.float64) for k in RECALLS},
        np.where(own == 1, 2, np.where(hit, 1, 0)).astype(np.int8),
        int(np.count_nonzero(asked)),
        positives.n_disputed,
        float(ranks.n_positives.mean()) if len(captions) else None,
    )


def figures_of_ranks(
    ranks: PositiveRanks,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, str]]:
    """Each figure of each query, and why a figure has none.

    R@k: 1 if an accepted image is within k. R-Precision: accepted images within R, of R.
    mAP@R: mean over r = 1 .. R of the precision at r where rank r is accepted, else 0.
    """
    if not len(ranks.captions):
        return {}, dict.fromkeys(KEYS, NO_SOURCE)
    first = ranks.rank_1based[ranks.offsets[:-1]]
    values = {f"r{k}_corrected": ((first > 0) & (first <= k)).astype(np.float64) for k in RECALLS}
    of_query = np.repeat(np.arange(len(ranks.captions)), ranks.n_positives)
    within = (ranks.rank_1based > 0) & (ranks.rank_1based <= ranks.n_positives[of_query])
    nth = np.arange(len(of_query)) - ranks.offsets[of_query] + 1  # of the accepted ones, by rank
    found = np.flatnonzero(within)
    total, precision = np.zeros((2, len(ranks.captions)))
    np.add.at(total, of_query[found], 1.0)
    np.add.at(precision, of_query[found], nth[found] / ranks.rank_1based[found])
    values["r_precision"] = total / ranks.n_positives
    values["map_at_r"] = precision / ranks.n_positives
    undefined = {}
    for key, wanted in _depths(ranks).items():
        n_short = int(np.count_nonzero(ranks.depth < wanted))
        if n_short:
            del values[key]
            undefined[key] = (
                f"{n_short:,} of {len(ranks.captions):,} judged queries need more ranks than the "
                f"{int(ranks.depth.min())} that the run keeps, and its embeddings are not there"
            )
    return values, undefined


def _depths(ranks: PositiveRanks) -> dict[str, NDArray[np.int32] | int]:
    recalls: dict[str, NDArray[np.int32] | int] = {f"r{k}_corrected": k for k in RECALLS}
    return recalls | {"r_precision": ranks.n_positives, "map_at_r": ranks.n_positives}


def false_failures(run: Run, positives: GalleryPositives) -> NDArray[np.bool_]:
    """Which queries fail officially though an accepted image comes first, bool [n_captions]."""
    first = np.asarray(run.top_k_images[:, 0], dtype=np.int64)
    n = max(int(positives.image_index.max(initial=0)), int(first.max(initial=0))) + 1
    accepted = positives.accepted > 0
    keys = positives.caption_index[accepted].astype(np.int64) * n + positives.image_index[accepted]
    wanted = np.arange(len(first)) * n + first
    failure = (_column(run, "failure") == 1) & (first >= 0)
    found: NDArray[np.bool_] = failure & np.isin(wanted, keys)
    return found


def _column(run: Run, name: str) -> NDArray[np.int64]:
    column = run.rows_table.column(name).cast("int64").fill_null(0)
    return np.asarray(column.to_numpy(), dtype=np.int64)
