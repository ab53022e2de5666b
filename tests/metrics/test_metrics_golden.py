"""The paper's worked example: every number, with the formula it comes from."""

from __future__ import annotations

import io
import json

import pytest

from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.example import EXAMPLE, explain_example_pair
from vlmexplain.metrics.box_size import visible_area
from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.metrics.retrieval import recall_at, reciprocal_rank
from vlmexplain.pairs_io import pair_output, score_stream
from vlmexplain.records import ImageAnnotations, MetricOptions


@pytest.fixture(scope="module")
def explained() -> PairExplanation:
    return explain_example_pair(load_wordnet())


def names(*words: str) -> tuple[str, ...]:
    return tuple(f"{word}.n.01" for word in sorted(words))


def test_concept_agreement(explained: PairExplanation) -> None:
    agreement = explained.ca.evidence
    assert agreement.common == names("zebra", "mane", "field")
    assert agreement.only_ground_truth == names(
        "trunk", "hill", "tree", "sky", "branch", "head", "leg", "leaf"
    )
    assert agreement.only_retrieved == names("grassland", "grass")
    assert explained.ca.value == 3 / (3 + 8)
    assert round(100 * 3 / 11, 2) == 27.27  # the paper prints 27.28


def test_noncommon_similarity(explained: PairExplanation) -> None:
    graph = explained.ncs.evidence
    assert (graph.n_nodes, graph.n_edges) == (8 + 2, 8 * 2)
    assert [(p.ground_truth, p.retrieved, p.ps) for p in graph.pairs] == [
        ("hill.n.01", "grassland.n.01", 1 / 9),
        ("tree.n.01", "grass.n.01", 1 / 6),
    ]
    assert explained.ncs.value == pytest.approx((1 / 9 + 1 / 6) / 2, abs=1e-15)
    assert round((1 / 9 + 1 / 6) / 2, 3) == 0.139
    assert graph.unmatched_ground_truth == names("trunk", "sky", "branch", "head", "leg", "leaf")
    assert graph.unmatched_retrieved == ()


def test_concept_enumeration(explained: PairExplanation) -> None:
    rows = explained.ce.evidence.multiplicities
    assert [(m.concept, m.ground_truth, m.retrieved, m.difference) for m in rows] == [
        ("field.n.01", 1, 1, 0),
        ("mane.n.01", 1, 5, 4),
        ("zebra.n.01", 5, 7, 2),
    ]
    assert explained.ce.value == 2 + 0 + 4


def test_size_disagreement(explained: PairExplanation) -> None:
    field, mane, zebra = explained.sd.evidence.concepts
    graphs = [(c.n_nodes, c.n_edges, len(c.pairs)) for c in (mane, zebra, field)]
    assert graphs == [(6, 5, 1), (11, 28, 4), (2, 1, 1)]
    assert mane.pairs[0].difference == pytest.approx(2.30, abs=1e-12)
    assert field.pairs[0].difference == pytest.approx(1.369, abs=1e-12)
    assert all(pair.difference < 1 and not pair.exceeds for pair in zebra.pairs)
    assert mane.pairs[0].exceeds and field.pairs[0].exceeds
    assert explained.sd.value == (1 + 0 + 1) / (1 + 4 + 1)
    every = [pair.difference for c in (field, mane, zebra) for pair in c.pairs]
    assert explained.sd_raw.value == pytest.approx(sum(every) / 6, abs=1e-12)
    (left_out,) = explained.sd.evidence.no_size
    assert (left_out.concept, left_out.kind) == ("zebra.n.01", "no box")


def test_retrieval_figures() -> None:
    assert EXAMPLE.rank_1based == 294
    assert round(reciprocal_rank(294), 4) == 0.0034
    assert [recall_at(294, k) for k in (1, 5, 10)] == [0, 0, 0]


def test_the_papers_other_example_of_enumeration() -> None:
    from metric_cases import TableSimilarity, image_of

    from vlmexplain.metrics.pair import explain_pair

    ten_dogs, one_dog = [("a", None)] * 10, [("a", None)]
    frisbee, ball = [("b", None)], [("c", None)]
    truth = image_of(*ten_dogs, *frisbee)
    fewer = explain_pair(truth, image_of(*one_dog, *frisbee), TableSimilarity())
    other = explain_pair(truth, image_of(*ten_dogs, *ball), TableSimilarity())
    assert (fewer.ce.value, other.ce.value) == (9, 0)


@pytest.mark.parametrize("image", [EXAMPLE.ground_truth, EXAMPLE.retrieved])
def test_boxes_can_be_drawn(image: ImageAnnotations) -> None:
    for instance in image.instances:
        if instance.box_xywh_px is not None:
            found = visible_area(instance.box_xywh_px, image.width_px, image.height_px)
            assert not isinstance(found, str) and found[1] is False


def test_the_same_numbers_come_from_a_line_of_json(explained: PairExplanation) -> None:
    def picture(image: ImageAnnotations) -> dict[str, object]:
        rows = [{"synset": i.synset, "box_xywh_px": i.box_xywh_px} for i in image.instances]
        return {"width": image.width_px, "height": image.height_px, "instances": rows}

    line = json.dumps(
        {
            "id": "zebras",
            "query": EXAMPLE.query,
            "ground_truth": picture(EXAMPLE.ground_truth),
            "retrieved": picture(EXAMPLE.retrieved),
        }
    )
    out = io.StringIO()
    score_stream([line], out, MetricOptions(), load_wordnet(), pytest.fail)
    assert json.loads(out.getvalue()) == json.loads(json.dumps(pair_output(explained, "zebras")))


def test_a_slip_in_a_synset_is_answered_with_near_ones() -> None:
    image = '{"width": 9, "height": 9, "instances": [{"synset": "zebbra.n.01"}]}'
    told: list[str] = []
    line = f'{{"id": 1, "ground_truth": {image}, "retrieved": {image}}}'
    score_stream(
        [line], io.StringIO(), MetricOptions(), load_wordnet(), lambda _, e: told.append(str(e))
    )
    assert len(told) == 1 and "Did you mean 'zebra.n.01'?" in told[0]
