"""The colours, once: for the stylesheet, Streamlit's configuration and the contrast test."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PALETTE: dict[str, tuple[str, str]] = {
    # name: (light, dark)
    "bg": ("#ffffff", "#0f1319"),
    "panel": ("#f5f6f8", "#181e27"),
    "line": ("#d9dde4", "#2e3744"),
    "control": ("#7b8494", "#7d8899"),
    "ink": ("#161c27", "#e8ecf2"),
    "quiet": ("#566071", "#a5afbf"),
    "accent": ("#2f4fd0", "#9db2ff"),
    "accent-soft": ("#e9edfd", "#232c4b"),
    "common": ("#0a68b0", "#62b2f3"),
    "missed": ("#9c4f00", "#ff9f3d"),
    "extra": ("#84125c", "#ffbfe8"),
    "common-soft": ("#e4f1fa", "#14303f"),
    "missed-soft": ("#fdf0e0", "#3a2a12"),
    "extra-soft": ("#fbe9f4", "#3b1c31"),
    "good": ("#17683a", "#7fd3a0"),
    "bad": ("#a8241c", "#ff9d93"),
    "bad-soft": ("#fdecea", "#3d1b19"),
    "mark": ("#fff1b8", "#574708"),
}
"""Each name's colour in the light and in the dark theme."""

ON_PHOTO = {"common": "#3aa0f5", "missed": "#ff8f1f", "extra": "#ffb8ea"}
"""Box colours on a photo: the same in both themes, drawn with a dark halo, with black labels."""

ROLE_MARK = {"common": "=", "missed": "−", "extra": "+"}
"""Each role's sign, so that nothing rests on colour alone."""

ROLE_NAME = {
    "common": "in both images",
    "missed": "only in the ground truth",
    "extra": "only in the retrieved image",
}

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


@cache
def stylesheet() -> str:
    """The page's stylesheet with the palette as custom properties (they reach shadow roots too)."""
    lines = [f"--vx-{name}: light-dark({a}, {b});" for name, (a, b) in PALETTE.items()]
    lines += [f"--vx-photo-{name}: {colour};" for name, colour in ON_PHOTO.items()]
    rules = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return f".stApp {{ {' '.join(lines)} }}\n{rules}"


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio of two ``#rrggbb`` colours, 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
