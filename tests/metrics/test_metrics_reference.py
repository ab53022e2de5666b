"""NetworkX and brute force as independent references for the two matchings, and for sizes."""

from __future__ import annotations

import itertools
import math
from typing import get_args

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_cases import TableSimilarity, image_of, images

from vlmexplain.metrics.box_size import sized_box, visible_area
from vlmexplain.metrics.matching import match_similar, match_sizes, size_differences
from vlmexplain.metrics.pair import explain_pair
from vlmexplain.metrics.size_disagreement import exceeds
from vlmexplain.records import ImageAnnotations, Instance, MetricOptions, RelativeTo

SIMILARITY = TableSimilarity()
CONVENTIONS = get_args(RelativeTo)


def complete_graph(weights: list[list[float]]) -> nx.Graph:
    graph = nx.Graph()
    for (i, row), j in itertools.product(enumerate(weights), range(len(weights[0]))):
        graph.add_edge(("g", i), ("r", j), weight=row[j])
    return graph


@settings(max_examples=100, deadline=None)
@given(images, images)
def test_ncs_weighs_as_much_as_networkx_says(
    left: ImageAnnotations, right: ImageAnnotations
) -> None:
    found = explain_pair(left, right, SIMILARITY).ncs
    table = [[ps or 0.0 for ps in row] for row in found.evidence.ps]
    if not table or not table[0]:
        assert found.value is None
        return
    graph = complete_graph(table)
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    weights = [graph.edges[edge]["weight"] for edge in matched]
    assert found.evidence.sum_ps == pytest.approx(math.fsum(weights), abs=1e-12)
    if not found.evidence.without_path:
        assert len(found.evidence.pairs) == min(len(table), len(table[0])) == len(matched)
    for pair in found.evidence.pairs:
        (ps,) = SIMILARITY.matrix([pair.ground_truth], [pair.retrieved])[0]
        assert pair.ps == ps


@settings(max_examples=100, deadline=None)
@given(images, images, st.sampled_from(CONVENTIONS))
def test_raw_sd_is_as_small_as_networkx_says(
    left: ImageAnnotations, right: ImageAnnotations, relative_to: RelativeTo
) -> None:
    found = explain_pair(left, right, SIMILARITY, MetricOptions(relative_to=relative_to)).sd_raw
    differences: list[float] = []
    for concept in found.evidence.concepts:
        sides = [
            [b.area for b in (sized_box(i, image, in_pixels=relative_to == "pixels")
             for i, inst in enumerate(image.instances) if inst.synset == concept.concept)
             if not isinstance(b, str)]
            for image in (left, right)
        ]  # fmt: skip
        assert (concept.n_nodes, concept.n_edges) == (
            sum(map(len, sides)),
            math.prod(map(len, sides)),
        )
        if all(sides):
            differences += reference_differences(*sides, relative_to)
    if differences:
        expected = math.fsum(differences) / len(differences)
        assert found.value == pytest.approx(expected, abs=1e-12, rel=1e-12)
    else:
        assert found.value is None


def reference_differences(
    left: list[float], right: list[float], relative_to: RelativeTo
) -> list[float]:
    """D_A of a minimum-weight full matching by NetworkX."""
    scale = {"smaller": min, "ground-truth": lambda a, _: a}.get(relative_to, lambda *_: 1.0)
    costs = [[abs(a - b) / scale(a, b) for b in right] for a in left]
    matched = nx.min_weight_matching(complete_graph(costs))
    edges = [sorted(edge) for edge in matched]
    return [costs[g[1]][r[1]] for g, r in edges]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.sampled_from(CONVENTIONS),
)
def test_match_sizes_against_brute_force(
    left: list[int], right: list[int], relative_to: RelativeTo
) -> None:
    a, b = np.sort(np.array(left, float)), np.sort(np.array(right, float))
    rows, columns = match_sizes(a, b, relative_to)
    cost = size_differences(a[:, None], b[None, :], relative_to)
    n = min(len(a), len(b))
    assert len(set(rows)) == len(set(columns)) == n
    best = min(
        sum(cost[i, j] for i, j in zip(chosen, order, strict=True))
        for chosen in itertools.combinations(range(len(a)), n)
        for order in itertools.permutations(range(len(b)), n)
    )
    assert cost[rows, columns].sum() == pytest.approx(best, abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.randoms(use_true_random=False))
def test_match_similar_takes_the_most_pairs_of_the_heaviest(n: int, m: int, rng: object) -> None:
    draw = rng.choice  # type: ignore[attr-defined]
    ps = np.array(
        [[draw([1 / 2, 1 / 3, 1 / 4, 1 / 6, np.nan]) for _ in range(m)] for _ in range(n)]
    )
    best = max(
        (round(math.fsum(kept), 12), len(kept))
        for k in range(min(n, m) + 1)
        for chosen in itertools.combinations(range(n), k)
        for order in itertools.permutations(range(m), k)
        if not np.isnan(kept := ps[list(chosen), list(order)]).any()
    )
    for flip in (False, True):
        matched = ps[match_similar(ps, flip)]
        assert (round(math.fsum(matched), 12), len(matched)) == best


def test_sizes_in_order_where_several_matchings_are_as_cheap() -> None:
    # image: 1-3, 2-4 and 1-4, 2-3 both cost 4 units; the binary SD must not hang on rounding
    left = image_of(("a", (0, 0, 10, 1)), ("a", (0, 0, 10, 2)))
    right = image_of(("a", (0, 0, 10, 3)), ("a", (0, 0, 10, 4)))
    found = explain_pair(left, right, SIMILARITY, MetricOptions(0.0025, "image")).sd
    differences = [pair.difference for pair in found.evidence.concepts[0].pairs]
    assert differences == pytest.approx([0.002, 0.002]) and found.value == 0


@pytest.mark.parametrize(
    ("relative_to", "expected"),
    [("smaller", 2.0), ("ground-truth", 2.0 / 3), ("image", 0.02), ("pixels", 200 - 300)],
)
def test_conventions(relative_to: RelativeTo, expected: float) -> None:
    # ground truth: 300 of 10,000 px; retrieved: 200 of 20,000 px, so 3 % against 1 %
    left = ImageAnnotations(100, 100, (Instance("a.n.01", (0, 0, 30, 10)),))
    right = ImageAnnotations(200, 100, (Instance("a.n.01", (0, 0, 20, 10)),))
    found = explain_pair(left, right, SIMILARITY, MetricOptions(relative_to=relative_to)).sd_raw
    assert found.value == pytest.approx(abs(expected))


def test_threshold_is_reached_by_what_equals_it() -> None:
    # 3 : 2 is exactly 50 % more, though (0.3 - 0.2) / 0.2 falls short of 0.5 in binary
    assert (0.3 - 0.2) / 0.2 < 0.5 and exceeds((0.3 - 0.2) / 0.2, 0.5)
    assert exceeds(1.0, 1.0) and not exceeds(0.999999, 1.0) and exceeds(0.0, 0.0)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (None, "no box"),
        ((0, 0, 0, 5), "zero width or height"),
        ((0, 0, 5, -1), "negative width or height"),
        ((0, 0, -5, 0), "negative width or height"),
        ((0, float("nan"), 5, 5), "not a finite number"),
        ((0, 0, float("inf"), 5), "not a finite number"),
        ((64, 0, 5, 5), "outside the image"),
        ((-5, 0, 5, 5), "outside the image"),
        ((-5, 0, 6, 5), (1 * 5, True)),
        ((60, 40, 10, 10), (4 * 8, True)),
        ((0.1, 0.1, 0.2, 0.2), (0.2 * 0.2, False)),
        ((0, 0, 64, 48), (64 * 48, False)),
        ((0, 0, 1e-200, 1e-200), "zero width or height"),
    ],
)
def test_box_sizes(box: tuple[float, float, float, float] | None, expected: object) -> None:
    assert visible_area(box, 64, 48) == expected
