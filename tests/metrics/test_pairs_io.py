"""The `score-pairs` contract: what comes out, and what a bad line is told."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_cases import VOCABULARY, TableSimilarity, images

from vlmexplain.concepts.remembered_paths import RememberedPaths
from vlmexplain.errors import DataError
from vlmexplain.metrics.pair import CONCEPT_KEYS, explain_pair
from vlmexplain.metrics.pair_document import pair_document
from vlmexplain.pairs_io import pair_output, read_pair, score_stream
from vlmexplain.records import ImageAnnotations, Instance, MetricOptions, RelativeTo


class SmallWordNet(TableSimilarity):
    """Eight synsets, one of which has a second name."""

    def has(self, name: str) -> bool:
        return name in self.place or name == "alpha.n.01"

    def canonical(self, name: str) -> str:
        return "a.n.01" if name == "alpha.n.01" else name

    def near_names(self, name: str) -> Sequence[str]:
        return ("b.n.01",) if name.startswith("b") else ()


def thing(synset: str, box: Any = None, **more: Any) -> dict[str, Any]:
    return {"synset": synset, "box_xywh_px": box, "crowd": False, **more}


def picture(*instances: Any, width: Any = 100, height: Any = 100) -> dict[str, Any]:
    return {"width": width, "height": height, "instances": list(instances)}


def line_of(truth: Any, retrieved: Any, **more: Any) -> str:
    document = {"id": 1, "query": "q", "ground_truth": truth, "retrieved": retrieved, **more}
    return json.dumps(document)


def score(*lines: str, options: MetricOptions = MetricOptions()) -> tuple[list[Any], list[Any]]:  # noqa: B008
    out = io.StringIO()
    bad: list[tuple[int, str]] = []
    n = score_stream(
        lines, out, options, SmallWordNet(), lambda number, error: bad.append((number, str(error)))
    )
    rows = [json.loads(row, parse_constant=pytest.fail) for row in out.getvalue().splitlines()]
    assert n == len(rows)
    return rows, bad


GOOD = line_of(picture(thing("a.n.01", [0, 0, 10, 10])), picture(thing("b.n.01")))


def test_output_of_a_pair() -> None:
    truth = picture(
        thing("a.n.01", [0, 0, 30, 10]), thing("a.n.01"), thing("b.n.01"),
        thing("c.n.01", [0, 0, 5, 5], crowd=True),
    )  # fmt: skip
    retrieved = picture(
        thing("a.n.01", [0, 0, 10, 10]), thing("c.n.01", [0, 0, 5, 0]), thing("e.n.01")
    )
    rows, bad = score(line_of(truth, retrieved, id="x", comment="ignored"))
    assert bad == []
    assert rows == [
        {
            "id": "x",
            "ca": 2 / 3,
            "ncs": 1 / 6,
            "ce": 2 - 1,
            "sd": 1 / 1,
            "sd_raw": pytest.approx((0.03 - 0.01) / 0.01),
            "undefined": {},
            "evidence": {
                "common": ["a.n.01", "c.n.01"],
                "only_ground_truth": ["b.n.01"],
                "only_retrieved": ["e.n.01"],
                "ncs_pairs": [["b.n.01", "e.n.01", 1 / 6]],
                "ncs_unmatched": {"ground_truth": [], "retrieved": []},
                "ncs_no_path": [],
                "ncs_graph": {"nodes": 2, "edges": 1},
                "multiplicities": {"a.n.01": [2, 1], "c.n.01": [None, 1]},
                "crowd_not_counted": ["c.n.01"],
                "size_pairs": [["a.n.01", 0.03, 0.01, pytest.approx(2.0), True]],
                "size_pair_instances": [["a.n.01", 0, 0]],
                "size_graphs": {
                    "a.n.01": {"nodes": 2, "edges": 1},
                    "c.n.01": {"nodes": 0, "edges": 0},
                },
                "no_size": [
                    ["a.n.01", "ground truth", "no box", [1]],
                    ["c.n.01", "ground truth", "crowd region", [3]],
                    ["c.n.01", "retrieved", "zero width or height", [1]],
                ],
                "size_threshold": 1.0,
                "size_relative_to": "smaller",
                "area_unit": "share of the image",
            },
        }
    ]


def test_undefined_is_null_with_a_reason() -> None:
    (row,), _ = score(line_of(picture(), picture()))
    assert [row[key] for key in CONCEPT_KEYS] == [None] * 5
    assert set(row["undefined"]) == set(CONCEPT_KEYS)
    assert row["undefined"]["ca"] == "the ground truth has no annotated concept"


def test_options_are_used() -> None:
    line = line_of(
        picture(thing("a.n.01", [0, 0, 15, 10])), picture(thing("a.n.01", [0, 0, 10, 10]))
    )
    assert score(line)[0][0]["sd"] == 0
    assert score(line, options=MetricOptions(0.5))[0][0]["sd"] == 1
    (row,), _ = score(line, options=MetricOptions(50, "pixels"))
    assert row["sd"] == 1 and row["evidence"]["size_pairs"] == [["a.n.01", 150, 100, 50, True]]


def test_blank_lines_byte_order_mark_and_repeated_ids() -> None:
    rows, bad = score("﻿" + GOOD + "\n", "\n", "  \r\n", GOOD)
    assert (len(rows), bad) == (2, [])


def test_another_name_of_a_synset_is_the_same_concept() -> None:
    (row,), _ = score(line_of(picture(thing("alpha.n.01")), picture(thing("a.n.01"))))
    assert row["ca"] == 1 and row["evidence"]["common"] == ["a.n.01"]


def test_box_and_crowd_may_be_missing() -> None:
    bare = picture({"synset": "a.n.01"})
    (row,), _ = score(line_of(bare, bare))
    assert (row["ca"], row["ce"], row["sd"]) == (1, 0, None)


BAD = [
    ("not json", "line 2: is not JSON"),
    ('{"id": NaN}', "NaN is no JSON number"),
    ("[" * 100_000, "line 2: is not JSON"),
    ('{"id": ' + "9" * 5000 + "}", "line 2: is not JSON"),
    ('{"id": "\udc80"}', "line 2: is not UTF-8 text"),
    ("[1]", "line 2: is [1]; expected a JSON object"),
    ("{}", "line 2: id is missing"),
    (line_of(picture(), picture(), id=None), "id is null; expected a string or a number"),
    (line_of(picture(), picture(), query=3), "query is 3; expected a string"),
    ('{"id": 1, "ground_truth": {}}', "ground_truth.width is missing"),
    (line_of(picture(), 7), "retrieved is 7; expected an object"),
    ('{"id": 1}', "ground_truth is missing"),
    (line_of(picture(width=0), picture()), "ground_truth.width is 0; expected a whole number"),
    (line_of(picture(height=-4), picture()), "ground_truth.height is -4"),
    (line_of(picture(width=True), picture()), "ground_truth.width is true"),
    (line_of(picture(width="640"), picture()), 'ground_truth.width is "640"'),
    (line_of(picture(width=1.5), picture()), "ground_truth.width is 1.5"),
    (line_of({"width": 1, "height": 1}, picture()), "ground_truth.instances is missing"),
    (line_of({"width": 1, "height": 1, "instances": {}}, 1), "ground_truth.instances is {}"),
    (line_of(picture(3), picture()), "ground_truth.instances[0] is 3"),
    (line_of(picture({}), picture()), "ground_truth.instances[0].synset is missing"),
    (line_of(picture(thing("")), picture()), 'ground_truth.instances[0].synset is ""'),
    (line_of(picture(thing(" ")), picture()), 'synset is " "; expected a WordNet 3.0 synset'),
    (line_of(picture(thing(None)), picture()), "synset is null; expected a WordNet 3.0 synset"),
    (line_of(picture(), picture(thing("a.n.01"), thing("bb.n.01"))),
     "retrieved.instances[1].synset is \"bb.n.01\", which is no synset of WordNet 3.0. "
     "Did you mean 'b.n.01'?"),
    (line_of(picture(thing("zz")), picture()), "Expected one such as 'zebra.n.01'."),
    (line_of(picture(thing("a.n.01", [1, 2, 3])), picture()),
     "ground_truth.instances[0].box_xywh_px is [1, 2, 3]; expected [left, top, width, height]"),
    (line_of(picture(thing("a.n.01", [1, 2, 3, "4"])), picture()), "box_xywh_px[3] is \"4\""),
    (line_of(picture(thing("a.n.01", [1, 2, 3, None])), picture()), "box_xywh_px[3] is null"),
    (GOOD.replace("[0, 0, 10, 10]", "[0, 0, 10, 1e999]"), "box_xywh_px[3]"),
    (GOOD.replace("[0, 0, 10, 10]", "[0, 0, 10, NaN]"), "NaN is no JSON number"),
    (GOOD.replace("[0, 0, 10, 10]", "[0, 0, 1" + "0" * 400 + ", 1]"), "expected a finite number"),
    (line_of(picture(thing("a.n.01", None, crowd="no")), picture()),
     'ground_truth.instances[0].crowd is "no"; expected true or false'),
    (line_of(picture(thing("a.n.01", None, crowd=2)), picture()), "crowd is 2"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_line_is_named_and_the_others_are_scored(line: str, message: str) -> None:
    rows, bad = score(GOOD, line, GOOD)
    assert len(rows) == 2
    ((number, text),) = bad
    assert number == 2 and text.startswith("line 2: ") and message in text
    assert len(text.splitlines()) == 1 and len(text) < 400


def test_a_negative_size_is_no_size_and_not_a_bad_line() -> None:
    rows, bad = score(
        line_of(picture(thing("a.n.01", [0, 0, -5, 5])), picture(thing("a.n.01", [-5, 0, 10, 10])))
    )
    assert bad == [] and rows[0]["sd"] is None
    (left_out,) = rows[0]["evidence"]["no_size"]
    assert left_out == ["a.n.01", "ground truth", "negative width or height", [0]]


def test_lines_are_read_one_at_a_time() -> None:
    out = io.StringIO()

    def lines() -> Any:
        yield GOOD
        assert out.getvalue().count("\n") == 1
        yield GOOD

    assert score_stream(lines(), out, MetricOptions(), SmallWordNet(), pytest.fail) == 2


def test_bad_options_are_refused_before_anything_is_read() -> None:
    with pytest.raises(DataError, match="size threshold"):
        score(GOOD, options=MetricOptions(-1))


@settings(max_examples=60, deadline=None)
@given(images, images)
def test_output_is_json_and_adds_up(left: ImageAnnotations, right: ImageAnnotations) -> None:
    row = json.loads(
        json.dumps(pair_output(explain_pair(left, right, SmallWordNet()), 1), allow_nan=False)
    )
    evidence = row["evidence"]
    assert {key for key in CONCEPT_KEYS if row[key] is None} == set(row["undefined"])
    if row["ca"] is not None:
        n_truth = len(evidence["common"]) + len(evidence["only_ground_truth"])
        assert row["ca"] == len(evidence["common"]) / n_truth
    if row["ncs"] is not None:
        ps = [pair[2] for pair in evidence["ncs_pairs"]]
        assert row["ncs"] == pytest.approx(sum(ps) / len(ps))
    if row["ce"] is not None:
        counts = [c for c in evidence["multiplicities"].values() if None not in c]
        assert row["ce"] == sum(abs(a - b) for a, b in counts)
    if row["sd"] is not None:
        assert row["sd"] == sum(p[4] for p in evidence["size_pairs"]) / len(evidence["size_pairs"])
    assert set(evidence["multiplicities"]) == set(evidence["common"])


def test_a_line_keeps_its_own_query_and_id() -> None:
    pair = read_pair(line_of(picture(), picture(), id="a b", query="zwei Hunde"), 1)
    assert (pair.id, pair.query) == ("a b", "zwei Hunde")


def plain_line(line: str) -> Any:
    """What a line should give, by the standard library and `explain_pair`, nothing remembered."""
    document, wordnet = json.loads(line), SmallWordNet()

    def image(form: Any) -> ImageAnnotations:
        found = [
            Instance(
                wordnet.canonical(one["synset"]),
                None if one["box_xywh_px"] is None else tuple(map(float, one["box_xywh_px"])),
                bool(one["crowd"]),
            )
            for one in form["instances"]
        ]
        return ImageAnnotations(form["width"], form["height"], tuple(found))

    left, right = image(document["ground_truth"]), image(document["retrieved"])
    explanation = explain_pair(left, right, wordnet)
    return json.loads(json.dumps(pair_output(explanation, document["id"])))


def test_random_lines_give_what_the_plain_way_gives() -> None:
    rng = random.Random(3)

    def drawn() -> Any:
        names = [*VOCABULARY, "alpha.n.01"]
        boxes = [None, [0, 0, 10, 10], [2.5, 0, 20, 10], [-5, 3, 40, 1e-3], [90, 90, 50, 50.25]]
        many = [
            thing(rng.choice(names), rng.choice(boxes), crowd=rng.choice([False, False, True, 0]))
            for _ in range(rng.randint(0, 12))
        ]
        return picture(*many)

    names = ["x", 1, 2.5, 10**30, "caf\u00e9", "\ud800"]
    lines = [line_of(drawn(), drawn(), id=rng.choice(names)) for _ in range(300)]
    rows, bad = score(*lines)
    assert bad == [] and rows == [plain_line(line) for line in lines]


@settings(max_examples=200, deadline=None)
@given(images, images, st.sampled_from(get_args(RelativeTo)), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_the_document_is_the_output_of_the_explanation(
    left: ImageAnnotations, right: ImageAnnotations, relative_to: RelativeTo, threshold: float
) -> None:
    options, wordnet = MetricOptions(threshold, relative_to), SmallWordNet()
    plain = pair_output(explain_pair(left, right, wordnet, options), 1)
    found = {"id": 1, **pair_document(left, right, wordnet, options)}
    # repr also compares what is nan, and the order of the keys.
    assert repr(found) == repr(json.loads(json.dumps(plain)))


@pytest.mark.parametrize("most", [1, 3, 5, 2048])
def test_remembered_paths_are_the_sources(most: int) -> None:
    rng, source = random.Random(1), SmallWordNet()
    remembered = RememberedPaths(source, most)
    for _ in range(100):
        left, right = (rng.sample(VOCABULARY, rng.randint(1, 6)) for _ in range(2))
        np.testing.assert_array_equal(remembered.matrix(left, right), source.matrix(left, right))
    assert remembered.canonical("alpha.n.01") == "a.n.01" and remembered.canonical("zz") is None
