"""Confusions as a network, laid out to be read: names apart, arrows long enough for a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from vlmexplain.overview.concept_errors import Confusion
from vlmexplain.wording.words import short_name

WIDTH = 1000.0
ARROW_X, ARROW_Y = 165.0, 105.0
"""How long an arrow is as a rule, across and upwards."""

CHARACTER, ROW, GAP = 8.0, 40.0, 22.0
"""How much room a name takes (a character's width, a row's height), and between the parts."""

STEPS = 300

Places = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NetworkNode:
    """A concept: ``x`` 0..width, ``y`` 0..height downwards; ``total`` failures at its arrows."""

    concept: str
    x: float
    y: float
    total: int


@dataclass(frozen=True, slots=True)
class ConfusionNetwork:
    """Concepts and the confusions between them.

    Attributes:
        nodes: those that hang together one after another.
        edges: as given.
        width, height: of the drawing.
    """

    nodes: tuple[NetworkNode, ...]
    edges: tuple[Confusion, ...]
    width: float
    height: float

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """From which concept to which there is an arrow."""
        return frozenset((edge.ground_truth, edge.retrieved) for edge in self.edges)


def confusion_network(edges: Sequence[Confusion]) -> ConfusionNetwork:
    """Lay the confusions out: each part that hangs together by itself, then the parts in rows.

    The same confusions give the same drawing.
    """
    graph, total = nx.Graph(), dict[str, int]()
    for edge in sorted(edges, key=lambda each: (each.ground_truth, each.retrieved)):
        graph.add_edge(edge.ground_truth, edge.retrieved)
        for name in {edge.ground_truth, edge.retrieved}:
            total[name] = total.get(name, 0) + edge.count
    parts = sorted((sorted(part) for part in nx.connected_components(graph)),
                   key=lambda part: (-len(part), part))  # fmt: skip
    laid = [_part(graph.subgraph(part), part) for part in parts]
    corners, height = _packed([size for _, size in laid])
    nodes = tuple(
        NetworkNode(name, float(x), float(y), total[name])
        for part, (places, _), corner in zip(parts, laid, corners, strict=True)
        for name, (x, y) in zip(part, (places + corner).tolist(), strict=True)
    )
    return ConfusionNetwork(nodes, tuple(edges), WIDTH, height)


def _part(graph: nx.Graph, names: Sequence[str]) -> tuple[Places, Places]:
    """The places of one part from its upper left corner, and its size; float64 [n, 2], [2]."""
    half = np.array([[CHARACTER * len(short_name(n)) / 2 + 14, ROW / 2] for n in names])
    if len(names) == 1:
        return half, 2 * half[0]
    found = nx.kamada_kawai_layout(graph)
    places = _lying(np.array([found[name] for name in names], dtype=np.float64))
    at = {name: n for n, name in enumerate(names)}
    ends = np.array([(at[a], at[b]) for a, b in graph.edges() if a != b])
    length = float(np.median(np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)))
    places = places / length * np.array([ARROW_X, ARROW_Y])
    places -= (places - half).min(axis=0)
    room = np.maximum((places + half).max(axis=0), 2 * half.max(axis=0))
    room[0] = min(room[0], WIDTH)
    places[:, 0] *= min(1.0, WIDTH / max(float((places + half)[:, 0].max()), 1.0))
    places = _apart(places, half, room + np.array([0.0, ROW]))
    places -= (places - half).min(axis=0)
    return places, (places + half).max(axis=0)


def _lying(places: Places) -> Places:
    """Turned so that the long side lies across."""
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred)
    axes *= np.where(axes.sum(axis=1, keepdims=True) < 0, -1, 1)
    turned: Places = centred @ axes.T
    return turned


def _apart(places: Places, half: Places, room: Places) -> Places:
    """Push names that overlap apart, a little at a time, inside the room."""
    low, high = half, np.maximum(room - half, half)
    places = np.clip(places, low, high)
    number = np.arange(len(places))
    for _ in range(STEPS):
        gap = places[:, None] - places[None, :]
        over = half[:, None] + half[None, :] - np.abs(gap)
        touching = (over > 0).all(axis=2) & (number[:, None] != number)
        if not touching.any():
            break
        upright = over[..., 1] <= over[..., 0]
        side = np.where(gap == 0, np.sign(number[:, None] - number)[..., None], np.sign(gap))
        push = 0.5 * over * side
        along = np.stack([touching & ~upright, touching & upright], axis=2)
        places = np.clip(places + 0.6 * np.where(along, push, 0).sum(axis=1), low, high)
    return places


def _packed(sizes: Sequence[Places]) -> tuple[list[Places], float]:
    """The upper left corner of each part, in rows from the left; and the height of all."""
    corners: list[Places] = []
    left = top = row = 0.0
    for width, height in (size.tolist() for size in sizes):
        if left and left + width > WIDTH:
            left, top, row = 0.0, top + row + GAP, 0.0
        corners.append(np.array([left, top]))
        left, row = left + width + GAP, max(row, height)
    return corners, max(top + row, 1.0)
