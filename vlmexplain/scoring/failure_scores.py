"""Every metric of every failure of a run, plain and query-informed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import mentioned_concept_sets
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.metrics.batch import PAIRS_AT_ONCE, score_pairs
from vlmexplain.metrics.concept_sets import MentionedConcepts
from vlmexplain.metrics.inventory_table import InventoryTable, make_inventory_table
from vlmexplain.metrics.pair_scores import PairScores, join_scores
from vlmexplain.records import MetricOptions, Progress, ProgressCallback
from vlmexplain.scoring.query_columns import Outcomes


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
    rows = np.flatnonzero(found.failure)
    progress(Progress("find mentions", 0, 1))
    numbers, of_failure = np.unique(found.text_index[rows], return_inverse=True)
    offsets, concepts = mentioned_concept_sets(
        [texts[number] for number in numbers.tolist()], gallery.concepts, load_wordnet()
    )
    table = inventory_of(gallery)
    left, right = found.image_index[rows], found.retrieved_index[rows]
    plain: list[PairScores] = []
    informed: list[PairScores] = []
    for start in range(0, max(len(rows), 1), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        mentioned = _mentioned(offsets, concepts, of_failure[part])
        for scores, named in ((plain, None), (informed, mentioned)):
            scores.append(
                score_pairs(table, left[part], right[part], gallery.path_lengths, options, named)
            )
        done = min(start + PAIRS_AT_ONCE, len(rows))
        progress(Progress("score failures", done, len(rows), "failures"))
    return join_scores(plain), join_scores(informed)


def inventory_of(gallery: Gallery) -> InventoryTable:
    """What every image of a gallery holds, for `metrics.batch.score_pairs`."""
    instances, images = gallery.instances_table, gallery.images_table
    box = np.stack([instances.column(axis).to_numpy() for axis in "xywh"], axis=1)
    return make_inventory_table(
        gallery.concept_index,
        gallery.instance_offsets,
        box.astype(np.float64),
        instances.column("crowd").to_numpy(),
        images.column("width_px").to_numpy(),
        images.column("height_px").to_numpy(),
        len(gallery.concepts),
    )


def _mentioned(
    offsets: NDArray[np.int64], concepts: NDArray[np.int32], texts: NDArray[Any]
) -> MentionedConcepts:
    """The mentioned concepts of each pair, from those of each text."""
    starts = offsets[texts]
    sizes = offsets[texts + 1] - starts
    ends = np.cumsum(sizes)
    places = np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)
    return MentionedConcepts(np.concatenate(([0], ends)).astype(np.int64), concepts[places])
