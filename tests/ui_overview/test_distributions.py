"""What a bar, a box or a lasso of the charts selects, against plain Python."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "overview"))

from run_world import random_columns

from vlmexplain.ui.overview.distribution_view import VALUES, histogram, scatter, selected

NOTHING = SimpleNamespace(selection=SimpleNamespace(box=[], points=[]))


def chosen(box: Any = None, points: Any = None) -> Any:
    found = {"box": [box] if box else [], "points": points or []}
    return SimpleNamespace(selection=SimpleNamespace(**found))


@pytest.mark.parametrize("x", sorted(VALUES))
def test_the_bars_hold_every_failure_once(x: str) -> None:
    columns = random_columns(300, seed=2)
    rows = np.flatnonzero(columns.failure)
    values = columns.column(x)[rows].astype(np.float64)
    known = values[~np.isnan(values)]
    bars = histogram(known, VALUES[x]).data[0]
    assert sum(bars.y) == len(known)
    found: list[int] = []
    for place, count in enumerate(bars.y):
        point = {"customdata": list(bars.customdata[place])}
        picked = selected(columns, rows, x, "ncs", chosen(points=[point]), NOTHING)
        assert picked is not None and len(picked) == count, place
        found += picked.tolist()
    assert sorted(found) == rows[~np.isnan(values)].tolist()


def test_a_box_takes_also_what_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    from vlmexplain.ui.overview import distribution_view

    columns = random_columns(300, seed=5)
    rows = np.flatnonzero(columns.failure)
    monkeypatch.setattr(distribution_view, "MOST_POINTS", 10)
    dots = scatter(columns, rows, "ca", "ncs").data[0]
    assert len(dots.x) == 10
    box = {"x": [0.8, 0.2], "y": [0.1, 0.9]}
    expected = [i for i in rows.tolist()
                if 0.2 <= columns.ca[i] <= 0.8 and 0.1 <= columns.ncs[i] <= 0.9]  # fmt: skip
    found = selected(columns, rows, "ca", "ncs", NOTHING, chosen(box=box))
    assert found is not None and found.tolist() == expected and len(expected) > 10
    lasso = [{"customdata": [int(dots.customdata[n])]} for n in (1, 4)]
    picked = selected(columns, rows, "ca", "ncs", NOTHING, chosen(points=lasso))
    assert picked is not None
    assert picked.tolist() == sorted(int(dots.customdata[n]) for n in (1, 4))
    assert selected(columns, rows, "ca", "ncs", NOTHING, NOTHING) is None
