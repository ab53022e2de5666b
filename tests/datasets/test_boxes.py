from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmexplain.datasets.boxes import areas_px, edge_flags, possible_duplicates, read_box
from vlmexplain.datasets.checks import InstanceFlag
from vlmexplain.metrics.box_size import visible_area

F = InstanceFlag


@pytest.mark.parametrize(
    ("value", "flag", "has_box"),
    [
        ([1, 2, 3, 4.5], 0, True),
        (None, F.BOX_MISSING, False),
        ([], F.BOX_MALFORMED, False),
        ([5, 5, 20], F.BOX_MALFORMED, False),
        ([1, 2, 3, 4, 5], F.BOX_MALFORMED, False),
        ("1 2 3 4", F.BOX_MALFORMED, False),
        (["1", "2", "3", "4"], F.BOX_MALFORMED, False),
        ([1, 2, None, 4], F.BOX_MALFORMED, False),
        ([True, 2, 3, 4], F.BOX_MALFORMED, False),
        ({"x": 1}, F.BOX_MALFORMED, False),
        ([math.nan, 2, 3, 4], F.BOX_OUT_OF_RANGE, False),
        ([1, 2, math.inf, 4], F.BOX_OUT_OF_RANGE, False),
        ([1, 2, 10**400, 4], F.BOX_OUT_OF_RANGE, False),
        ([1, 2, 3, 0.0], F.BOX_ZERO, True),
        ([1, 2, -3, 4], F.BOX_NEGATIVE, True),
        ([1, 2, -3, 0], F.BOX_NEGATIVE, True),
    ],
)
def test_boxes_are_read_and_named(value: Any, flag: int, has_box: bool) -> None:
    box, flags = read_box(value)
    assert flags == flag
    assert has_box == (not math.isnan(box[0]))
    if has_box:
        assert box == tuple(map(float, value))


NUMBER = st.sampled_from([-30.0, -0.5, 0.0, 0.3, 7.0, 20.0, 63.9, 64.0, 64.4, 90.0, 1e6])


@given(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER))
def test_areas_are_those_of_the_metrics(box: tuple[float, float, float, float]) -> None:
    area = areas_px(np.array([box]), np.array([64.0]), np.array([40.0]))[0]
    wanted = visible_area(box, 64, 40)
    assert math.isnan(area) if isinstance(wanted, str) else area == wanted[0]


def test_no_box_has_no_area() -> None:
    size = np.array([64.0])
    assert np.isnan(areas_px(np.full((1, 4), np.nan), size, size)[0])
    assert edge_flags(np.full((1, 4), np.nan), size, size)[0] == 0


@pytest.mark.parametrize(
    ("box", "flag"),
    [
        ((0, 0, 64, 40), 0),
        ((0, 0, 64.5, 40), 0),  # half a pixel is a matter of rounding
        ((0, 0, 64.6, 40), F.BOX_PAST_EDGE),
        ((-1, 0, 5, 5), F.BOX_PAST_EDGE),
        ((60, 35, 10, 10), F.BOX_PAST_EDGE),
        ((64, 0, 5, 5), F.BOX_OUTSIDE),
        ((-5, 0, 5, 5), F.BOX_OUTSIDE),
        ((0, 100, 5, 5), F.BOX_OUTSIDE),
        ((70, 0, 0, 5), 0),  # of zero width: named otherwise
    ],
)
def test_edges(box: tuple[float, ...], flag: int) -> None:
    flags = edge_flags(np.array([box], float), np.array([64.0]), np.array([40.0]))
    assert flags[0] == flag


def naive_duplicates(boxes: Any, image: Any, concept: Any) -> list[bool]:
    def iou(a: Any, b: Any) -> float:
        across = max(min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]), 0)
        down = max(min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]), 0)
        return across * down / (a[2] * a[3] + b[2] * b[3] - across * down)

    def sized(i: int) -> bool:
        return concept[i] >= 0 and boxes[i][2] > 0 and boxes[i][3] > 0

    return [
        sized(i) and any(
            j != i and sized(j) and image[i] == image[j] and concept[i] == concept[j]
            and iou(boxes[i], boxes[j]) >= 0.9
            for j in range(len(boxes))
        )
        for i in range(len(boxes))
    ]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4), st.integers(0, 2), st.integers(-1, 40), st.integers(0, 40),
            st.integers(0, 1), st.integers(-1, 1),
        ),
        max_size=25,
    )
)  # fmt: skip
def test_duplicates_are_those_of_the_naive_search(rows: list[tuple[int, ...]]) -> None:
    boxes = np.array([row[:4] for row in rows], float).reshape(-1, 4)
    image = np.array([row[4] for row in rows], np.int32)
    concept = np.array([row[5] for row in rows], np.int32)
    assert possible_duplicates(boxes, image, concept).tolist() == naive_duplicates(
        boxes, image, concept
    )


def test_many_boxes_on_one_spot_end_in_time() -> None:
    boxes = np.tile([1.0, 2.0, 30.0, 40.0], (4_000, 1))
    same = np.zeros(4_000, np.int32)
    assert possible_duplicates(boxes, same, same).all()
