"""The layout of the confusion network: inside the frame, names apart, the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from vlmexplain.overview.concept_errors import Confusion
from vlmexplain.overview.confusion_network import CHARACTER, ROW, confusion_network
from vlmexplain.wording.words import short_name

WORDS = ("dog", "traffic_light", "cat", "mountain", "sea", "sand", "bus", "cup", "sun")
NAMES = [f"{word}.n.0{n}" for n in (1, 2) for word in WORDS]


def random_confusions(n: int, seed: int) -> list[Confusion]:
    rng = np.random.default_rng(seed)
    pairs = {tuple(rng.choice(len(NAMES), 2, replace=False).tolist()) for _ in range(n)}
    return [Confusion(NAMES[a], NAMES[b], int(rng.integers(1, 90)), 0.2) for a, b in sorted(pairs)]


@pytest.mark.parametrize("n", [1, 2, 6, 15, 30])
@pytest.mark.parametrize("seed", range(4))
def test_every_name_is_inside_and_none_hides_another(n: int, seed: int) -> None:
    edges = random_confusions(n, seed)
    found = confusion_network(edges)
    assert {node.concept for node in found.nodes} == {
        name for edge in edges for name in (edge.ground_truth, edge.retrieved)
    }
    for node in found.nodes:
        assert 0 <= node.x <= found.width and 0 <= node.y <= found.height
        expected = sum(e.count for e in edges if node.concept in (e.ground_truth, e.retrieved))
        assert node.total == expected
    for one in found.nodes:
        for other in found.nodes:
            if one.concept < other.concept:
                room = CHARACTER * sum(len(short_name(x.concept)) for x in (one, other)) / 2
                apart = abs(one.x - other.x) >= 0.9 * room or abs(one.y - other.y) >= 0.6 * ROW
                assert apart, (one, other)


def test_the_same_confusions_give_the_same_drawing() -> None:
    edges = random_confusions(12, 9)
    assert confusion_network(edges).nodes == confusion_network(list(reversed(edges))).nodes


def test_nothing_to_draw() -> None:
    found = confusion_network([])
    assert found.nodes == found.edges == ()
    assert found.height > 0
