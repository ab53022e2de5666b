"""The colours, once: for the stylesheet, Streamlit's configuration and the contrast test."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from vlmexplain.wording.palette import ON_PHOTO, PALETTE, ROLE_MARK, ROLE_NAME

__all__ = [
    "CHART_SERIES",
    "ON_PHOTO",
    "PALETTE",
    "ROLE_MARK",
    "ROLE_NAME",
    "TEXT_PAIRS",
    "chart_steps",
    "contrast",
    "stylesheet",
]

TEXT_PAIRS = [
    *[
        (ink, ground)
        for ink in ("ink", "quiet", "accent", "common", "missed", "extra", "good", "bad")
        for ground in ("bg", "panel")
    ],
    *[(role, f"{role}-soft") for role in ("common", "missed", "extra", "accent", "bad")],
    *[("ink", f"{role}-soft") for role in ("common", "missed", "extra", "accent", "bad")],
    ("quiet", "accent-soft"),
    ("ink", "mark"),
]
"""Which colour stands as text on which: each pair must reach 4.5 to 1."""


CHART_SERIES = ("accent", "missed", "extra", "good", "control")
"""The palette's names for the series of a chart, in order; told apart by colour-blind people too:
blue, orange, and three that differ in lightness."""

DEEPEST = ("#1c2f7d", "#e3e9ff")
"""The strongest of a chart's steps, in the light and in the dark theme."""


def chart_steps(theme: int) -> list[str]:
    """Ten colours from few to many, by way of the accent; ``theme`` 0 is light, 1 dark.

    >>> chart_steps(0)[0] == PALETTE["accent-soft"][0], chart_steps(1)[6] == PALETTE["accent"][1]
    (True, True)
    """
    low, middle, high = PALETTE["accent-soft"][theme], PALETTE["accent"][theme], DEEPEST[theme]
    return [_between(low, middle, step / 6) for step in range(6)] + [
        _between(middle, high, step / 3) for step in range(4)
    ]


@cache
def stylesheet() -> str:
    """The page's stylesheet with the palette as custom properties (they reach shadow roots too)."""
    lines = [f"--vx-{name}: light-dark({a}, {b});" for name, (a, b) in PALETTE.items()]
    lines += [f"--vx-photo-{name}: {colour};" for name, colour in ON_PHOTO.items()]
    files = (Path(__file__).parent / name for name in ("components/wide.css", "page.css"))
    rules = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return f".stApp {{ {' '.join(lines)} }}\n{rules}"


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio of two ``#rrggbb`` colours, 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _between(first: str, second: str, share: float) -> str:
    ends = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return "#" + bytes(round(a + share * (b - a)) for a, b in ends).hex()


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
