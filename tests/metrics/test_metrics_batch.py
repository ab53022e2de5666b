"""The columnar scorer against `explain_pair`, its naive twin, bit by bit."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_cases import LENGTHS, VOCABULARY, TableSimilarity, images, mentions

from vlmexplain.metrics import batch
from vlmexplain.metrics.batch import score_pairs
from vlmexplain.metrics.concept_sets import MentionedConcepts
from vlmexplain.metrics.inventory_table import InventoryTable, make_inventory_table
from vlmexplain.metrics.pair import CONCEPT_KEYS, PairExplanation, explain_pair
from vlmexplain.metrics.pair_scores import PairScores
from vlmexplain.metrics.undefined import TEXT_OF_CODE
from vlmexplain.records import ImageAnnotations, Instance, MetricOptions, RelativeTo

SIMILARITY = TableSimilarity()
NO_BOX = (math.nan,) * 4


def table_of(gallery: list[ImageAnnotations]) -> InventoryTable:
    every = [instance for image in gallery for instance in image.instances]
    place = {name: i for i, name in enumerate(VOCABULARY)}
    boxes = [instance.box_xywh_px or NO_BOX for instance in every]
    return make_inventory_table(
        concept_index=np.array([place.get(i.synset or "", -1) for i in every], np.int32),
        instance_offsets=np.cumsum([0] + [len(image.instances) for image in gallery]),
        box_xywh_px=np.array(boxes, np.float64).reshape(-1, 4),
        crowd=np.array([instance.crowd for instance in every], bool),
        width_px=np.array([image.width_px for image in gallery]),
        height_px=np.array([image.height_px for image in gallery]),
        n_concepts=len(VOCABULARY),
    )


def mentioned_table(
    mentioned: list[frozenset[str]], negated: list[frozenset[str]]
) -> MentionedConcepts:
    return MentionedConcepts(*ragged(mentioned), *ragged(negated))


def ragged(sets: list[frozenset[str]]) -> tuple[np.ndarray, np.ndarray]:
    rows = [[i for i, n in enumerate(VOCABULARY) if n in names] for names in sets]
    return (
        np.cumsum([0] + [len(row) for row in rows]),
        np.array([i for row in rows for i in row], np.int32),
    )


def assert_same_row(scores: PairScores, row: int, explained: PairExplanation) -> None:
    for key in CONCEPT_KEYS:
        result = explained.result(key)
        value = getattr(scores, key)[row]
        reason = getattr(scores, f"{key.removesuffix('_raw')}_reason")[row]
        if result.value is None:
            assert math.isnan(value) and TEXT_OF_CODE[reason] == result.undefined_because
        else:
            assert value == result.value and reason == 0, key
    sets, counts, sizes = explained.ca.evidence, explained.ce.evidence, explained.sd.evidence
    expected = {
        "n_common": len(sets.common),
        "n_only_ground_truth": len(sets.only_ground_truth),
        "n_only_retrieved": len(sets.only_retrieved),
        "n_ncs_pairs": len(explained.ncs.evidence.pairs),
        "sum_ps": explained.ncs.evidence.sum_ps,
        "n_equal_multiplicity": counts.n_equal,
        "n_different_multiplicity": counts.n_different,
        "n_crowd_not_counted": len(counts.crowd_not_counted),
        "n_size_pairs": sizes.n_pairs,
        "n_exceeding": sizes.n_exceeding,
        "sum_difference": sizes.sum_difference,
    }
    assert {name: scores.columns()[name][row] for name in expected} == expected


@settings(max_examples=120, deadline=None)
@given(
    st.lists(images, min_size=1, max_size=5),
    st.sampled_from(get_args(RelativeTo)),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    mentions,
    st.frozensets(st.sampled_from(VOCABULARY), max_size=2),
    st.integers(1, 30),
)
def test_equal_to_explain_pair(
    gallery: list[ImageAnnotations],
    relative_to: RelativeTo,
    threshold: float,
    mentioned: frozenset[str] | None,
    denied: frozenset[str],
    at_once: int,
) -> None:
    options = MetricOptions(threshold, relative_to)
    n = len(gallery)
    left, right = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    # each pair its own query: every other one mentions what was drawn, the rest "a" alone
    drawn = [mentioned if i % 2 == 0 else frozenset({"a.n.01"}) for i in range(n * n)]
    sets = None if mentioned is None else [names or frozenset() for names in drawn]
    # every third query denies something; what it also mentions as there is there
    negated = [frozenset() if sets is None or i % 3 else denied - sets[i] for i in range(n * n)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "PAIRS_AT_ONCE", at_once)
        asked = sets and mentioned_table(sets, negated)
        scores = score_pairs(table_of(gallery), left, right, LENGTHS, options, asked)
    assert len(scores) == n * n
    for row in range(n * n):
        truth, other = gallery[left[row]], gallery[right[row]]
        only = None if sets is None else sets[row]
        explained = explain_pair(truth, other, SIMILARITY, options, only, negated[row])
        assert_same_row(scores, row, explained)


def test_many_boxes_of_one_concept() -> None:
    rng = np.random.default_rng(0)

    def crowd_of(n: int) -> ImageAnnotations:
        boxes = rng.integers(1, 40, (n, 4)).astype(float)
        rows = [Instance(VOCABULARY[i % 3], tuple(box.tolist())) for i, box in enumerate(boxes)]
        return ImageAnnotations(90, 70, tuple(rows))

    gallery = [crowd_of(n) for n in (1, 3, 9, 14, 14, 30, 45)]
    n = len(gallery)
    left, right = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    for relative_to in get_args(RelativeTo):
        options = MetricOptions(1.0, relative_to)
        scores = score_pairs(table_of(gallery), left, right, LENGTHS, options)
        for row in range(n * n):
            pair = gallery[left[row]], gallery[right[row]]
            assert_same_row(scores, row, explain_pair(*pair, SIMILARITY, options))


def test_no_pairs_and_no_instances() -> None:
    none = np.zeros(0, int)
    assert len(score_pairs(table_of([]), none, none, LENGTHS)) == 0
    empty = ImageAnnotations(10, 10)
    scores = score_pairs(table_of([empty]), np.array([0]), np.array([0]), LENGTHS)
    assert_same_row(scores, 0, explain_pair(empty, empty, SIMILARITY))
