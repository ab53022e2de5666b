"""Every metric of every failure of a run, plain and query-informed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import MentionedSets, mentioned_concept_sets
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.metrics.batch import PAIRS_AT_ONCE, score_pairs
from vlmexplain.metrics.concept_sets import MentionedConcepts
from vlmexplain.metrics.inventory_table import InventoryTable, make_inventory_table
from vlmexplain.metrics.pair_scores import PairScores, join_scores
from vlmexplain.records import MetricOptions, Progress, ProgressCallback
from vlmexplain.scoring.query_columns import Outcomes


@dataclass(frozen=True, slots=True)
class ScoringTables:
    """What the scores of a gallery's failures are computed from.

    Attributes:
        concepts: the vocabulary, sorted.
        inventory: what every image holds.
        path_lengths: uint8 [V, V], see `Gallery.path_lengths`.
    """

    concepts: tuple[str, ...]
    inventory: InventoryTable
    path_lengths: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed queries, in caption order; int32 [n] each.

    Attributes:
        text_index: which distinct text the caption is.
        ground_truth, retrieved: the caption's own image, and the first of the ranking.
    """

    text_index: NDArray[np.int32]
    ground_truth: NDArray[np.int32]
    retrieved: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.text_index)

    def part(self, rows: slice) -> Failures:
        """Some of them."""
        return Failures(self.text_index[rows], self.ground_truth[rows], self.retrieved[rows])


def score_failures(
    gallery: Gallery,
    texts: Sequence[str],
    found: Outcomes,
    options: MetricOptions,
    progress: ProgressCallback,
) -> tuple[PairScores, PairScores]:
    """Score the failures: the caption's own image against the first image of the ranking.

    Args:
        texts: the distinct texts that ``found.text_index`` points into.
        progress: called after each chunk; may raise `Cancelled`.

    Returns:
        Plain and query-informed scores, one row a failure, in caption order.
    """
    return score_block(scoring_tables(gallery), texts, failures_of(found), options, progress)


def failures_of(found: Outcomes) -> Failures:
    """The queries that failed."""
    rows = np.flatnonzero(found.failure)
    return Failures(found.text_index[rows], found.image_index[rows], found.retrieved_index[rows])


def scoring_tables(gallery: Gallery) -> ScoringTables:
    """The tables of a gallery."""
    return ScoringTables(gallery.concepts, inventory_of(gallery), gallery.path_lengths)


def score_block(
    tables: ScoringTables,
    texts: Sequence[str],
    failures: Failures,
    options: MetricOptions,
    progress: ProgressCallback,
) -> tuple[PairScores, PairScores]:
    """As `score_failures`, for given failures; a row does not depend on the others."""
    progress(Progress("find mentions", 0, 1))
    numbers, of_failure = np.unique(failures.text_index, return_inverse=True)
    found = mentioned_concept_sets(
        [texts[number] for number in numbers.tolist()], tables.concepts, load_wordnet()
    )
    plain: list[PairScores] = []
    informed: list[PairScores] = []
    for start in range(0, max(len(failures), 1), PAIRS_AT_ONCE):
        rows = slice(start, start + PAIRS_AT_ONCE)
        part = failures.part(rows)
        mentioned = _mentioned(found, of_failure[rows])
        for scores, named in ((plain, None), (informed, mentioned)):
            scores.append(
                score_pairs(
                    tables.inventory,
                    part.ground_truth,
                    part.retrieved,
                    tables.path_lengths,
                    options,
                    named,
                )
            )
        done = min(start + PAIRS_AT_ONCE, len(failures))
        progress(Progress("score failures", done, len(failures), "failures"))
    return join_scores(plain), join_scores(informed)


def inventory_of(gallery: Gallery, of_images: NDArray[np.int32] | None = None) -> InventoryTable:
    """What every image of a gallery holds, for `metrics.batch.score_pairs`.

    Args:
        of_images: only these are counted, the others are left empty: quicker for some; None all.
    """
    instances, images = gallery.instances_table, gallery.images_table
    concept = gallery.concept_index
    if of_images is not None:
        wanted = np.zeros(gallery.n_images, dtype=bool)
        wanted[of_images] = True
        concept = np.where(np.repeat(wanted, np.diff(gallery.instance_offsets)), concept, -1)
    box = np.stack([instances.column(axis).to_numpy() for axis in "xywh"], axis=1)
    return make_inventory_table(
        concept,
        gallery.instance_offsets,
        box.astype(np.float64),
        instances.column("crowd").to_numpy(),
        images.column("width_px").to_numpy(),
        images.column("height_px").to_numpy(),
        len(gallery.concepts),
    )


def _mentioned(found: MentionedSets, texts: NDArray[Any]) -> MentionedConcepts:
    """The mentioned concepts of each pair, from those of each text."""
    return MentionedConcepts(
        *_of_texts(found.offsets, found.places, texts),
        *_of_texts(found.negated_offsets, found.negated_places, texts),
    )


def _of_texts(
    offsets: NDArray[np.int64], concepts: NDArray[np.int32], texts: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = offsets[texts]
    sizes = offsets[texts + 1] - starts
    ends = np.cumsum(sizes)
    places = np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)
    return np.concatenate(([0], ends)).astype(np.int64), concepts[places]
