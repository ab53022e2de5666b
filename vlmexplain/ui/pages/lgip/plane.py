"""Invariance error against sensitivity gap, a point a result, as the LGIP paper plots it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vlmexplain.lgip.result import LgipManifest
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.lgip_names import source_name
from vlmexplain.ui.shared.numbers import similarity_text

HEIGHT_PX = 380
LABEL_PX = 17
NEAR = 15.0
"""Points nearer than this in height, in per cent, keep their labels clear of each other."""
SIGNS = {"paper": "●", "careful": "◆"}


@dataclass(frozen=True, slots=True)
class Axis:
    """A round scale from ``low`` to ``high`` with the values that are written at it."""

    low: float
    high: float
    ticks: tuple[float, ...]
    decimals: int

    def at(self, value: float) -> float:
        """Per cent of the way from low to high."""
        return 100 * (value - self.low) / (self.high - self.low)


def axis_over(values: Sequence[float]) -> Axis:
    """A round scale that holds nothing at all and every value.

    >>> axis = axis_over([0.012, 0.034])
    >>> axis.low, axis.high, axis.ticks
    (0.0, 0.04, (0.0, 0.01, 0.02, 0.03, 0.04))
    """
    low, high = min([0.0, *values]), max([0.0, *values])
    span = (high - low) or 0.01
    power: float = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= span / 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = tuple(round(n * step, 10) for n in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, decimals)


def plane_view(results: Sequence[LgipManifest], chosen: str) -> Html:
    """The plane with every result that has both figures; up and to the left is better."""
    known = [
        (each, each.figures.invariance_error, each.figures.sensitivity.gap_mean)
        for each in results
        if each.figures.invariance_error is not None
        and each.figures.sensitivity.gap_mean is not None
    ]
    if not known:
        return tag("p", "No result has both figures yet.", class_="quiet")
    across = axis_over([error for _, error, _ in known if error is not None])
    up = axis_over([gap for _, _, gap in known if gap is not None])
    heights = [up.at(gap) for _, _, gap in known if gap is not None]
    places = [across.at(error) for _, error, _ in known if error is not None]
    tops = _label_tops(heights)
    edges = [
        min(place for place, other in zip(places, heights, strict=True) if abs(other - own) < NEAR)
        for own in heights
    ]
    points = [
        _point(each, place, height, (edge, top), each.key == chosen)
        for (each, _, _), place, height, edge, top in zip(
            known, places, heights, edges, tops, strict=True
        )
    ]
    return tag(
        "figure",
        tag("div", "sensitivity gap (high is good)", class_="up-title"),
        tag(
            "div",
            [
                tag("span", f"{tick:.{up.decimals}f}", style=f"bottom:{up.at(tick):.2f}%")
                for tick in up.ticks
            ],
            class_="up-axis",
        ),
        tag(
            "div",
            [tag("i", class_="v", style=f"left:{across.at(t):.2f}%") for t in across.ticks],
            [tag("i", class_="h", style=f"bottom:{up.at(t):.2f}%") for t in up.ticks],
            tag("i", class_="zero", style=f"bottom:{up.at(0):.2f}%"),
            tag("span", "↖ better", class_="better"),
            points,
            class_="field",
            style=f"height:{HEIGHT_PX}px",
        ),
        tag(
            "div",
            [
                tag("span", f"{tick:.{across.decimals}f}", style=f"left:{across.at(tick):.2f}%")
                for tick in across.ticks
            ],
            class_="across-axis",
        ),
        tag("div", "invariance error (low is good)", class_="across-title"),
        class_="plane",
        role="img",
        aria_label="; ".join(_said(each) for each, _, _ in known),
    )


def _label_tops(heights: Sequence[float]) -> list[float]:
    """Where the labels stand, in per cent from the bottom, moved apart where they would touch."""
    least = 100 * LABEL_PX / HEIGHT_PX
    tops = list(heights)
    order = sorted(range(len(tops)), key=lambda place: tops[place])
    for before, place in pairwise(order):
        tops[place] = max(tops[place], tops[before] + least)
    return tops


def _point(
    result: LgipManifest, across: float, up: float, label: tuple[float, float], chosen: bool
) -> list[Html]:
    mode = result.perturbations.get("mode", "file")
    edge, label_up = label
    side = f"right:{100 - edge + 2.2:.2f}%" if across > 60 else f"left:{across + 2.2:.2f}%"
    return [
        tag(
            "i",
            class_=f"point {mode if mode in ('paper', 'careful') else 'file'}"
            + (" chosen" if chosen else ""),
            style=f"left:{across:.2f}%;bottom:{up:.2f}%",
            title=_said(result),
        ),
        tag(
            "span",
            tag("em", SIGNS.get(mode, "□"), class_=mode, aria_hidden="true"),
            " ",
            tag("b", result.model.name),
            f" {source_name(result)}",
            class_="label",
            style=f"{side};bottom:{label_up:.2f}%",
        ),
    ]


def _said(result: LgipManifest) -> str:
    figures = result.figures
    error, gap = figures.invariance_error, figures.sensitivity.gap_mean
    return (
        f"{result.model.name} ({source_name(result)}): invariance error "
        f"{'undefined' if error is None else similarity_text(error)}, sensitivity gap "
        f"{'undefined' if gap is None else similarity_text(gap)}"
    )
