"""What holds for every metric of the table, whatever the images."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_cases import TableSimilarity, image_of, images, mentions, shuffled

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.metrics.pair import CONCEPT_KEYS, PairExplanation, explain_pair
from vlmexplain.metrics.retrieval import recall_at, reciprocal_rank
from vlmexplain.metrics.size_disagreement import SizeEvidence
from vlmexplain.metrics.table import METRIC, METRICS, metric_of
from vlmexplain.metrics.undefined import TEXT_OF_CODE, Undefined
from vlmexplain.records import ImageAnnotations, Instance, MetricOptions, RelativeTo

SIMILARITY = TableSimilarity()
PAIR_METRICS = [metric for metric in METRICS if metric.of == "pair"]
options = st.builds(
    MetricOptions,
    size_threshold=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    relative_to=st.sampled_from(get_args(RelativeTo)),
)


def test_the_table_covers_every_metric_once() -> None:
    assert tuple(metric.key for metric in PAIR_METRICS) == CONCEPT_KEYS
    assert len(METRIC) == len(METRICS)
    for metric in METRICS:
        assert metric.meaning.endswith(".") and metric.formula and metric.latex
        assert bool(metric.undefined_when) == (metric.of == "pair")


@settings(max_examples=150, deadline=None)
@given(images, images, options, mentions)
def test_bounds_and_undefined(
    left: ImageAnnotations,
    right: ImageAnnotations,
    chosen: MetricOptions,
    mentioned: frozenset[str] | None,
) -> None:
    explained = explain_pair(left, right, SIMILARITY, chosen, mentioned)
    for metric in PAIR_METRICS:
        result = explained.result(metric.key)
        if result.value is None:
            assert result.undefined_because in TEXT_OF_CODE.values()
        else:
            assert result.undefined_because is None
            assert metric.low <= result.value <= metric.high
            assert not (metric.low_open and result.value == metric.low)


@settings(max_examples=150, deadline=None)
@given(images, images, options)
def test_symmetry_where_declared(
    left: ImageAnnotations, right: ImageAnnotations, chosen: MetricOptions
) -> None:
    there = explain_pair(left, right, SIMILARITY, chosen)
    back = explain_pair(right, left, SIMILARITY, chosen)
    for metric in PAIR_METRICS:
        a, b = there.result(metric.key), back.result(metric.key)
        one_sided = isinstance(a.evidence, SizeEvidence) and chosen.relative_to == "ground-truth"
        if metric.symmetric and not one_sided:
            assert a.value == b.value, metric.key
    pairs = {(p.retrieved, p.ground_truth) for p in back.ncs.evidence.pairs}
    assert {(p.ground_truth, p.retrieved) for p in there.ncs.evidence.pairs} == pairs


def test_what_is_not_symmetric_can_differ() -> None:
    left = image_of(("a", (0, 0, 10, 10)), ("b", None))
    right = image_of(("a", (0, 0, 30, 10)))
    relative = MetricOptions(relative_to="ground-truth")
    there = explain_pair(left, right, SIMILARITY, relative)
    back = explain_pair(right, left, SIMILARITY, relative)
    assert (there.ca.value, back.ca.value) == (1 / 2, 1 / 1)
    assert there.sd_raw.value == pytest.approx(2) and back.sd_raw.value == pytest.approx(2 / 3)


@settings(max_examples=150, deadline=None)
@given(images, images, options, st.integers(0, 2**32))
def test_order_of_the_input_does_not_matter(
    left: ImageAnnotations, right: ImageAnnotations, chosen: MetricOptions, seed: int
) -> None:
    first = explain_pair(left, right, SIMILARITY, chosen)
    again = explain_pair(shuffled(left, seed), shuffled(right, seed + 1), SIMILARITY, chosen)
    assert without_indices(first) == without_indices(again)


def without_indices(explained: PairExplanation) -> list[Any]:
    """All the evidence, except at which place of the input an instance stood."""
    sizes = explained.sd.evidence
    boxes = [
        (
            c.concept,
            [
                (p.ground_truth.box_xywh_px, p.retrieved.box_xywh_px, p.difference, p.exceeds)
                for p in c.pairs
            ],
            [box.box_xywh_px for box in c.unmatched_ground_truth],
            [box.box_xywh_px for box in c.unmatched_retrieved],
        )
        for c in sizes.concepts
    ]
    left_out = [(n.concept, n.side, n.kind, len(n.instance_indices)) for n in sizes.no_size]
    values = [explained.result(key).value for key in CONCEPT_KEYS]
    evidence = (explained.ca.evidence, explained.ncs.evidence, explained.ce.evidence)
    return [values, evidence, boxes, left_out]


A, B = ("a", (0.0, 0.0, 10.0, 10.0)), ("b", (0.0, 0.0, 10.0, 10.0))
EMPTY = image_of()
UNDEFINED = [  # metric, ground truth, retrieved, mentioned, reason
    ("ca", EMPTY, image_of(A), None, Undefined.NO_GROUND_TRUTH_CONCEPT),
    ("ncs", EMPTY, image_of(A), None, Undefined.NO_GROUND_TRUTH_CONCEPT),
    ("ncs", image_of(A), EMPTY, None, Undefined.NO_RETRIEVED_CONCEPT),
    ("ncs", image_of(A), image_of(A, B), None, Undefined.GROUND_TRUTH_USED_UP),
    ("ncs", image_of(A, B), image_of(A), None, Undefined.RETRIEVED_USED_UP),
    ("ncs", image_of(A), image_of(("f", None)), None, Undefined.NO_PATH),
    ("ce", image_of(A), image_of(B), None, Undefined.NOTHING_COMMON),
    ("sd", image_of(A), image_of(B), None, Undefined.NOTHING_COMMON),
    ("sd", image_of(A), image_of(("a", None)), None, Undefined.NO_SIZE_PAIR),
    ("sd_raw", image_of(A), image_of(("a", (0, 0, 5, 0))), None, Undefined.NO_SIZE_PAIR),
    *((k, image_of(A), image_of(A), frozenset("x"), Undefined.NO_MENTIONED_CONCEPT)
      for k in CONCEPT_KEYS),
]  # fmt: skip


@pytest.mark.parametrize(("key", "left", "right", "mentioned", "reason"), UNDEFINED)
def test_undefined_is_not_zero(
    key: str,
    left: ImageAnnotations,
    right: ImageAnnotations,
    mentioned: frozenset[str] | None,
    reason: Undefined,
) -> None:
    result = explain_pair(left, right, SIMILARITY, mentioned=mentioned).result(key)
    assert (result.value, result.undefined_because) == (None, reason.text)


def test_zero_is_a_value_where_something_was_compared() -> None:
    explained = explain_pair(image_of(A), image_of(A), SIMILARITY)
    assert (explained.ce.value, explained.sd.value, explained.sd_raw.value) == (0, 0, 0)
    assert explain_pair(image_of(A), image_of(B), SIMILARITY).ca.value == 0


def test_a_crowd_is_present_but_neither_counted_nor_measured() -> None:
    crowd = Instance("a.n.01", (0, 0, 50, 50), crowd=True)
    single = Instance("a.n.01", (0, 0, 10, 10))
    left, right = ImageAnnotations(100, 100, (single, crowd)), image_of(A, B)
    explained = explain_pair(left, right, SIMILARITY)
    assert explained.ca.value == 1
    assert explained.ce.undefined_because == Undefined.NOTHING_COUNTABLE.text
    assert explained.ce.evidence.crowd_not_counted == ("a.n.01",)
    assert explained.ce.evidence.multiplicities[0].ground_truth is None
    assert explained.sd.evidence.concepts[0].n_nodes == 2  # the crowd's box is none of them
    (left_out,) = explained.sd.evidence.no_size
    assert (left_out.kind, left_out.instance_indices) == ("crowd region", (1,))


def test_the_query_restricts_the_ground_truth_alone() -> None:
    left, right = image_of(A, B, B), image_of(B, ("c", None))
    explained = explain_pair(left, right, SIMILARITY, mentioned=frozenset({"a.n.01"}))
    assert explained.ca.value == 0 / 1
    assert explained.ca.evidence.only_retrieved == ("b.n.01", "c.n.01")
    assert [(p.ground_truth, p.retrieved, p.ps) for p in explained.ncs.evidence.pairs] == [
        ("a.n.01", "b.n.01", 1 / 2)
    ]
    assert explained.ce.undefined_because == Undefined.NOTHING_COMMON.text


def test_instances_without_a_synset_are_of_no_concept() -> None:
    nameless = ImageAnnotations(100, 100, (Instance(None, (0, 0, 10, 10)),))
    explained = explain_pair(nameless, nameless, SIMILARITY)
    assert explained.ca.undefined_because == Undefined.NO_GROUND_TRUTH_CONCEPT.text


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -0.1])
def test_a_bad_threshold_is_refused(threshold: float) -> None:
    with pytest.raises(DataError, match="size threshold"):
        explain_pair(EMPTY, EMPTY, SIMILARITY, MetricOptions(size_threshold=threshold))


def test_unknown_names_are_refused_with_near_ones() -> None:
    wrong: Any = "smallest"
    with pytest.raises(UnknownName, match="Did you mean 'smaller'"):
        explain_pair(EMPTY, EMPTY, SIMILARITY, MetricOptions(relative_to=wrong))
    with pytest.raises(UnknownName, match="Did you mean 'ncs'"):
        metric_of("nsc")
    with pytest.raises(UnknownName, match="unknown metric 'rr'"):
        explain_pair(EMPTY, EMPTY, SIMILARITY).result("rr")


@given(st.integers(1, 10**6))
def test_rank_metrics(rank: int) -> None:
    values = {"rr": reciprocal_rank(rank)} | {f"r{k}": recall_at(rank, k) for k in (1, 5, 10)}
    assert set(values) == {metric.key for metric in METRICS if metric.of == "rank"}
    for key, value in values.items():
        assert METRIC[key].low <= value <= METRIC[key].high
    assert values["rr"] > 0 and values["r1"] <= values["r5"] <= values["r10"]
    assert (values["rr"] == 1) == (rank == 1) == (values["r1"] == 1)
