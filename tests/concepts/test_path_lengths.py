"""Path lengths against a plain double loop, on random ancestors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmexplain.concepts import path_lengths
from vlmexplain.concepts.path_lengths import Ancestors, shortest_path_lengths

Rows = list[dict[int, int]]
ROWS = st.lists(st.dictionaries(st.integers(0, 12), st.integers(0, 20), max_size=8), max_size=7)


def ancestors(rows: Rows) -> Ancestors:
    return Ancestors(
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array([a for row in rows for a in row], np.int32),
        np.array([d for row in rows for d in row.values()], np.uint8),
    )


def naive(left: Rows, right: Rows) -> list[list[int]]:
    return [
        [min((a[k] + b[k] for k in a.keys() & b.keys()), default=-1) for b in right] for a in left
    ]


@pytest.mark.parametrize(("cells", "block"), [(4_000_000, 1024), (0, 1024), (0, 2)])
@given(left=ROWS, right=ROWS)
@settings(max_examples=150, deadline=None)
def test_equal_to_the_double_loop(cells, block, left, right):
    kept = path_lengths._DENSE_CELLS, path_lengths._ROWS
    path_lengths._DENSE_CELLS, path_lengths._ROWS = cells, block
    try:
        found = shortest_path_lengths(ancestors(left), ancestors(right))
    finally:
        path_lengths._DENSE_CELLS, path_lengths._ROWS = kept
    assert found.dtype == np.int16 and found.shape == (len(left), len(right))
    assert found.tolist() == naive(left, right)
