"""The graph of the left-over concepts, and where its nodes stand on the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

from vlmexplain.metrics.noncommon_similarity import ConceptPair, SimilarityEvidence
from vlmexplain.ui.shared.theme import ROLE_MARK
from vlmexplain.ui.shared.words import Role, fraction, name_parts, short_name

Side = str  # "left" is the ground truth, "right" the retrieved image


def bipartite_graph(evidence: SimilarityEvidence) -> nx.Graph[tuple[Side, str]]:
    """The complete bipartite graph: nodes (side, synset), edges with ``ps`` and ``matched``."""
    graph = nx.Graph()
    graph.add_nodes_from((("left", name) for name in evidence.ground_truth), bipartite=0)
    graph.add_nodes_from((("right", name) for name in evidence.retrieved), bipartite=1)
    matched = {(pair.ground_truth, pair.retrieved) for pair in evidence.pairs}
    for left, row in zip(evidence.ground_truth, evidence.ps, strict=True):
        for right, ps in zip(evidence.retrieved, row, strict=True):
            graph.add_edge(
                ("left", left), ("right", right), ps=ps, matched=(left, right) in matched
            )
    return graph


def pairs_in_order(evidence: SimilarityEvidence) -> tuple[ConceptPair, ...]:
    """The matched pairs, most similar first: the order in which the page shows them."""
    return tuple(sorted(evidence.pairs, key=lambda pair: (-pair.ps, pair.ground_truth)))


def graph_data(evidence: SimilarityEvidence, chosen: int | None) -> dict[str, Any]:
    """What the graph component draws: matched pairs face each other, the others below."""
    graph = bipartite_graph(evidence)
    pairs = pairs_in_order(evidence)
    left = [pair.ground_truth for pair in pairs] + list(evidence.unmatched_ground_truth)
    right = [pair.retrieved for pair in pairs] + list(evidence.unmatched_retrieved)
    n_rows = max(len(left), len(right))
    place = {("left", name): i for i, name in enumerate(left)}
    place |= {("right", name): i for i, name in enumerate(right)}
    return {
        "rows": [
            {
                "left": _node(left, i, "missed", len(pairs)),
                "right": _node(right, i, "extra", len(pairs)),
            }
            for i in range(n_rows)
        ],
        "edges": [_edge(one, other, facts, place) for one, other, facts in graph.edges(data=True)],
        "pairs": [_pair(pair, i) for i, pair in enumerate(pairs)],
        "chosen": chosen,
        "titles": {"left": "only in the ground truth", "right": "only in the retrieved image"},
        "label": (
            f"Bipartite graph of {evidence.n_nodes} concepts and {evidence.n_edges} edges, "
            f"{len(pairs)} of them matched"
        ),
        "left_over": _left_over(evidence),
    }


def _node(names: Sequence[str], i: int, role: Role, n_matched: int) -> dict[str, Any] | None:
    if i >= len(names):
        return None
    word, sense = name_parts(names[i])
    return {
        "synset": names[i],
        "label": word,
        "sense": sense,
        "title": names[i],
        "role": role,
        "mark": ROLE_MARK[role],
        "index": i,
        "matched": i < n_matched,
    }


def _edge(
    one: tuple[Side, str],
    other: tuple[Side, str],
    facts: dict[str, Any],
    place: dict[tuple[Side, str], int],
) -> dict[str, Any]:
    left, right = (one, other) if one[0] == "left" else (other, one)
    row, column = place[left], place[right]
    return {
        "l": row,
        "r": column,
        "li": row,
        "ri": column,
        "ps": facts["ps"],
        "matched": facts["matched"],
        "pair": row if facts["matched"] else None,
    }


def _pair(pair: ConceptPair, row: int) -> dict[str, Any]:
    return {
        "left": short_name(pair.ground_truth),
        "right": short_name(pair.retrieved),
        "ps": f"{pair.ps:.3f}",
        "fraction": fraction(pair.ps),
        "steps": round(1 / pair.ps) - 1,
        "row": row,
    }


def _left_over(evidence: SimilarityEvidence) -> list[str]:
    lines = [f"Graph: {evidence.n_nodes} nodes, {evidence.n_edges} edges."]
    for names, where in (
        (evidence.unmatched_ground_truth, "ground truth"),
        (evidence.unmatched_retrieved, "retrieved image"),
    ):
        if names:
            listed = ", ".join(short_name(name) for name in names)
            noun = "concept" if len(names) == 1 else "concepts"
            lines.append(f"{len(names)} {noun} of the {where} left over: {listed}.")
    if evidence.without_path:
        n = len(evidence.without_path)
        lines.append(f"{n} of the pairs have no WordNet path: weight 0, never matched.")
    return lines
