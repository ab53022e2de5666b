"""What a bar, a box or a lasso of the charts selects, and the address that holds it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "overview"))

from run_world import random_columns

from vlmexplain.ui.pages.overview import distribution_view
from vlmexplain.ui.pages.overview.distribution_view import VALUES, histogram, scatter
from vlmexplain.ui.pages.overview.selection import (
    MOST_CORNERS,
    Selection,
    chosen_failures,
    of_bars,
    of_dots,
    read_selection,
    selection_text,
    shape_of,
)


def state(box: Any = None, points: Any = None, lasso: Any = None) -> Any:
    """What a chart of Streamlit says is selected."""
    found = {"box": [box] if box else [], "lasso": [lasso] if lasso else []}
    return SimpleNamespace(selection=SimpleNamespace(points=points or [], **found))


def failures(seed: int, x: str = "ca", y: str = "ncs") -> Any:
    """300 random queries: the columns, the failures, and two values of each."""
    columns = random_columns(300, seed=seed)
    rows = np.flatnonzero(columns.failure)
    across, upwards = (columns.column(name)[rows].astype(np.float64) for name in (x, y))
    return columns, rows, across, upwards


def by_link(made: Selection | None) -> Selection:
    assert made is not None
    return read_selection(made.text)


@pytest.mark.parametrize("x", sorted(VALUES))
def test_the_bars_hold_every_failure_once(x: str) -> None:
    _, rows, across, upwards = failures(2, x)
    known = across[~np.isnan(across)]
    bars = histogram(known, VALUES[x]).data[0]
    assert sum(bars.y) == len(known)
    found: list[int] = []
    for place, count in enumerate(bars.y):
        asked = by_link(of_bars(state(points=[{"customdata": list(bars.customdata[place])}])))
        picked = chosen_failures(asked, rows, across, upwards)
        assert len(picked) == count, place
        found += picked.tolist()
    assert sorted(found) == rows[~np.isnan(across)].tolist()


def test_a_box_takes_also_what_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, rows, across, upwards = failures(5)
    monkeypatch.setattr(distribution_view, "MOST_POINTS", 10)
    dots = scatter(columns, rows, "ca", "ncs").data[0]
    assert len(dots.x) == 10
    expected = [i for i in rows.tolist()
                if 0.2 <= columns.ca[i] <= 0.8 and 0.1 <= columns.ncs[i] <= 0.9]  # fmt: skip
    asked = by_link(of_dots(state(box={"x": [0.8, 0.2], "y": [0.1, 0.9]})))
    found = chosen_failures(asked, rows, across, upwards)
    assert found.tolist() == expected and len(expected) > 10
    span = by_link(of_bars(state(box={"x": [0.8, 0.2], "y": [0, 9]})))
    expected = [i for i in rows.tolist() if 0.2 <= columns.ca[i] <= 0.8]
    assert chosen_failures(span, rows, across, upwards).tolist() == expected


def test_single_points_are_named_one_by_one() -> None:
    columns, rows, across, upwards = failures(5)
    dots = scatter(columns, rows, "ca", "ncs").data[0]
    points = [{"customdata": [int(dots.customdata[n])]} for n in (1, 4)]
    asked = by_link(of_dots(state(points=points)))
    found = chosen_failures(asked, rows, across, upwards)
    assert found.tolist() == sorted(int(dots.customdata[n]) for n in (1, 4))
    assert of_dots(state()) is None and of_bars(state()) is None


def test_a_lasso_takes_what_lies_in_it() -> None:
    _, rows, across, upwards = failures(7)
    turn = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = {"x": (0.5 + 0.3 * np.cos(turn)).tolist(), "y": (0.4 + 0.3 * np.sin(turn)).tolist()}
    asked = by_link(of_dots(state(lasso=circle, points=[{"customdata": [0]}])))
    assert len(asked.numbers) <= 2 * MOST_CORNERS
    found = set(chosen_failures(asked, rows, across, upwards).tolist())
    away = np.hypot(across - 0.5, upwards - 0.4)
    surely, surely_not = rows[away < 0.29], rows[away > 0.301]
    assert len(surely) > 5 and found >= set(surely.tolist())
    assert len(surely_not) > 5 and not found & set(surely_not.tolist())


def test_a_lasso_that_bends_inwards_leaves_the_bay_out() -> None:
    bay = Selection("lasso", (0, 0, 4, 0, 4, 4, 2, 1, 0, 4))
    across, upwards = np.array([2.0, 2.0, 0.5, 3.5, np.nan]), np.array([0.5, 3.0, 2.0, 2.0, 1.0])
    found = chosen_failures(bay, np.arange(5), across, upwards)
    assert found.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    "text",
    ["", "box", "box:1,2,3", "box:1,2,3,nan", "lasso:1,2,3,4", "bars:1", "span:a,b", "queries:-1",
     "circle:1,2", "queries:" + "1," * 200 + "1", "lasso:" + "1," * 400 + "1"],
)  # fmt: skip
def test_what_is_no_selection_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_selection(text)


@pytest.mark.parametrize("text", ["box:0,1,0,1", "lasso:0,0,1,0,1,1", "span:0,1", "bars:0,1,3,4"])
def test_a_selection_has_words_and_an_outline(text: str) -> None:
    asked = read_selection(text)
    assert asked.text == text and "CA" in selection_text(asked, "CA", "NCS")
    figure = histogram(np.arange(5.0), "CA").add_shape(shape_of(asked))
    assert len(figure.layout.shapes) == 1
