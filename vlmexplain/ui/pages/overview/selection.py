"""What was selected in a chart of the distributions, as the address holds it.

``within=box:0.1,0.5,0.05,0.25`` is a box of the scatter plot (across, then upwards),
``lasso:X,Y,X,Y,...`` the corners of a lasso, ``span:LOW,HIGH`` a box of the histogram,
``bars:LOW,HIGH,...`` some of its bars, and ``queries:12,40`` single points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Kind = Literal["box", "lasso", "span", "bars", "queries"]

LONGEST = 2000
"""Characters of a selection in the address."""
MOST_CORNERS = 60
"""A lasso of more corners keeps this many, evenly."""
MOST_QUERIES = 100
_IN_BARS = ("span", "bars")


@dataclass(frozen=True, slots=True)
class Selection:
    """Some failures of a chart.

    Attributes:
        kind: what was drawn or chosen.
        numbers: its ends, corners or queries, as in the address.
    """

    kind: Kind
    numbers: tuple[float, ...]

    @property
    def in_bars(self) -> bool:
        """Whether it was made in the histogram."""
        return self.kind in _IN_BARS

    @property
    def text(self) -> str:
        """It as the address holds it.

        >>> Selection("box", (0.1, 0.5, 0.0, 1.0)).text
        'box:0.1,0.5,0,1'
        """
        # a bar ends exactly where the next one begins
        form = "{:.17g}" if self.kind == "bars" else "{:.6g}"
        shown = "{:.0f}" if self.kind == "queries" else form
        return f"{self.kind}:{','.join(shown.format(number) for number in self.numbers)}"


def read_selection(text: str) -> Selection:
    """The selection that a part of the address holds.

    >>> read_selection("span:1,4")
    Selection(kind='span', numbers=(1.0, 4.0))

    Raises:
        ValueError: it holds none.
    """
    kind, _, rest = text.partition(":")
    numbers = tuple(float(part) for part in rest.split(","))
    n = len(numbers)
    fits = {
        "box": n == 4,
        "lasso": n % 2 == 0 and 6 <= n <= 2 * MOST_CORNERS,
        "span": n == 2,
        "bars": n % 2 == 0,
        "queries": n <= MOST_QUERIES and all(number >= 0 for number in numbers),
    }
    if not fits.get(kind) or not all(map(math.isfinite, numbers)):
        raise ValueError(text)
    return Selection(next(one for one in get_args(Kind) if one == kind), numbers)


def of_bars(state: Any) -> Selection | None:
    """What is selected in the histogram; None for nothing."""
    if state.selection.box:
        return Selection("span", _ends(state.selection.box[0]["x"]))
    ends = [end for point in state.selection.points for end in point["customdata"]]
    return Selection("bars", tuple(map(float, ends))) if ends else None


def of_dots(state: Any) -> Selection | None:
    """What is selected in the scatter plot; None for nothing."""
    if state.selection.box:
        box = state.selection.box[0]
        return Selection("box", _ends(box["x"]) + _ends(box["y"]))
    if state.selection.lasso:
        lasso = state.selection.lasso[0]
        corners = list(zip(lasso["x"], lasso["y"], strict=True))
        kept = corners[:: max(1, -(-len(corners) // MOST_CORNERS))]
        return Selection("lasso", tuple(float(end) for corner in kept for end in corner))
    queries = [int(np.ravel(point["customdata"])[0]) for point in state.selection.points]
    return Selection("queries", tuple(map(float, queries[:MOST_QUERIES]))) if queries else None


def chosen_failures(
    selection: Selection,
    rows: NDArray[np.intp],
    across: NDArray[np.float64],
    upwards: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Which failures lie in a selection, also those that were not drawn.

    Args:
        selection: the box, lasso or bars.
        rows: the failures of the charts, int [n].
        across, upwards: their values, float64 [n]; NaN is in no selection.
    """
    numbers = selection.numbers
    if selection.kind == "box":
        inside = _between(across, numbers[:2]) & _between(upwards, numbers[2:])
    elif selection.kind == "lasso":
        inside = _inside(across, upwards, numbers)
    elif selection.kind == "span":
        inside = _between(across, numbers)
    elif selection.kind == "bars":
        inside = _in_bars(across, numbers)
    else:
        inside = np.isin(rows, np.array(numbers, dtype=np.intp))
    return rows[inside]


def selection_text(selection: Selection, x: str, y: str) -> str:
    """A selection in words.

    >>> selection_text(Selection("span", (0.25, 0.5)), "CA", "NCS")
    'CA from 0.25 to 0.5'
    """
    ends = [f"{number:.3g}".replace("-", "−") for number in selection.numbers]
    if selection.kind == "box":
        return f"{x} from {ends[0]} to {ends[1]} and {y} from {ends[2]} to {ends[3]}"
    if selection.in_bars:
        spans = [f"{a} to {b}" for a, b in zip(ends[::2], ends[1::2], strict=True)]
        return f"{x} from {', '.join(spans)}"
    if selection.kind == "lasso":
        return f"{x} and {y} inside a lasso"
    return "chosen one by one"


def shape_of(selection: Selection) -> dict[str, Any] | None:
    """It as a shape of the chart it was made in, for who comes by a link; None for points."""
    numbers = selection.numbers
    line = {"dash": "dot", "width": 2, "color": "#d55e00"}
    if selection.kind == "lasso":
        corners = zip(numbers[::2], numbers[1::2], strict=True)
        path = "M" + " L".join(f"{a:.6g},{b:.6g}" for a, b in corners) + " Z"
        return {"type": "path", "path": path, "line": line}
    if selection.kind == "box":
        low, high, bottom, top = numbers
        return {"type": "rect", "x0": low, "x1": high, "y0": bottom, "y1": top, "line": line}
    if selection.in_bars:
        return {"type": "rect", "x0": min(numbers), "x1": max(numbers), "y0": 0, "y1": 1,
                "yref": "paper", "line": line}  # fmt: skip
    return None


def _ends(pair: Sequence[float]) -> tuple[float, float]:
    return float(min(pair)), float(max(pair))


def _between(values: NDArray[np.float64], ends: Sequence[float]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (values >= min(ends)) & (values <= max(ends))
    return found


def _in_bars(values: NDArray[np.float64], ends: Sequence[float]) -> NDArray[np.bool_]:
    """Which values are in any of the bars: the last bar of all holds its upper end too."""
    found = np.zeros(len(values), dtype=bool)
    last = np.nanmax(values, initial=-np.inf)
    for low, high in zip(ends[::2], ends[1::2], strict=True):
        found |= (values >= low) & ((values < high) | ((values == high) & (high == last)))
    return found


def _inside(
    across: NDArray[np.float64], upwards: NDArray[np.float64], corners: Sequence[float]
) -> NDArray[np.bool_]:
    """Which points a ray to the right leaves the corners' outline from an odd number of times."""
    found = np.zeros(len(across), dtype=bool)
    xs, ys = corners[::2], corners[1::2]
    for n in range(len(xs)):
        x0, y0, x1, y1 = xs[n - 1], ys[n - 1], xs[n], ys[n]
        if y0 != y1:
            crosses = (upwards < y0) != (upwards < y1)
            found ^= crosses & (across < x0 + (x1 - x0) * (upwards - y0) / (y1 - y0))
    return found
