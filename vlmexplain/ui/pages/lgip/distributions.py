"""How the gaps of a result are distributed: paraphrases, and flips by type."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vlmexplain.lgip.result import Kind, LgipResult
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.lgip_names import TYPE_NAMES

WIDTHS = (0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002)
FEWEST_BINS = 16
Bins = tuple[tuple[float, int], ...]


def distributions_view(result: LgipResult) -> Html:
    """One histogram for paraphrases, and one for each flip type on a scale that they share."""
    flips: list[tuple[str, Kind, str | None]] = [
        (f"{TYPE_NAMES.get(name, name)} flips", "flip", name)
        for name, figures in result.figures.by_type.items()
        if figures.count
    ]
    figures = [*_on_one_scale(result, [("paraphrases", "same", None)])]
    figures += _on_one_scale(result, flips)
    if not figures:
        return tag("p", "There is no triple.", class_="quiet")
    return tag("div", figures, class_="histograms")


def bin_width(result: LgipResult, kind: Kind) -> float:
    """The widest bin that still gives the gaps of a kind some shape."""
    for width in WIDTHS:
        bins = result.histogram(kind, width=width)
        if bins and (bins[-1][0] - bins[0][0]) / width >= FEWEST_BINS:
            return width
    return WIDTHS[-1]


def _on_one_scale(result: LgipResult, asked: Sequence[tuple[str, Kind, str | None]]) -> list[Html]:
    if not asked:
        return []
    width = bin_width(result, asked[0][1])
    found = [
        (title, kind, result.histogram(kind, flip_type, width=width))
        for title, kind, flip_type in asked
    ]
    edges = [edge for _, _, bins in found for edge, _ in bins]
    if not edges:
        return []
    low, high = min([*edges, 0.0]), max([*edges, 0.0]) + width
    return [_histogram(title, kind, bins, low, high, width) for title, kind, bins in found if bins]


def _histogram(title: str, kind: Kind, bins: Bins, low: float, high: float, width: float) -> Html:
    most = max(count for _, count in bins)
    total = sum(count for _, count in bins)
    span = high - low
    bars = [
        tag(
            "i",
            class_="bad" if kind == "flip" and edge < -width / 2 else kind,
            style=f"left:{100 * (edge - low) / span:.3f}%;width:{100 * width / span:.3f}%;"
            f"height:{max(1.5, 100 * count / most):.1f}%",
            title=f"{edge:.4f} to {edge + width:.4f}: {count:,}",
        )
        for edge, count in bins
    ]
    ticks = _ticks(low, high)
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("b", title),
            tag("span", f" {total:,} triples; highest bar {most:,}", class_="quiet small"),
        ),
        tag(
            "div",
            [tag("i", class_="v", style=f"left:{100 * (t - low) / span:.2f}%") for t in ticks],
            bars,
            tag("u", style=f"left:{-100 * low / span:.2f}%"),
            class_="bars",
            role="img",
            aria_label=f"{title}: {total:,} gaps from {bins[0][0]:.4f} to "
            f"{bins[-1][0] + width:.4f}",
        ),
        tag(
            "div",
            [
                tag("span", f"{t:g}".replace("-", "−"), style=f"left:{100 * (t - low) / span:.2f}%")
                for t in ticks
            ],
            class_="across-axis",
        ),
        tag("div", "s(I, caption) − s(I, text)", class_="across-title"),
    )


def _ticks(low: float, high: float) -> Sequence[float]:
    power: float = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= (high - low) / 4)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(n * step, 10) for n in range(first, last + 1)]
