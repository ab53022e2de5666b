"""Food. Each stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from drawn_world.colours import Ink
from drawn_world.svg import circle, ellipse, line, path, rect

__all__ = ["apple", "banana", "cake", "pear"]


def apple(ink: Ink) -> str:
    """An apple with a stalk and a leaf."""
    return (
        path(
            "M0 -58 C-14 -68 -36 -62 -37 -36 C-37 -12 -18 4 0 -2 C18 4 37 -12 37 -36 C36 -62 14 -68 0 -58Z",
            ink.body,
            ink.outline,
            2,
        )
        + line("M0 -58 C0 -66 2 -72 7 -76", "#6b4423", 4)
        + path("M5 -68 C12 -80 26 -78 32 -74 C26 -64 14 -62 5 -68Z", "#5dad4a", "#2f6a2d", 1.4)
        + path(
            "M-26 -44 C-24 -54 -16 -56 -12 -54 C-18 -48 -20 -40 -20 -32 C-24 -32 -27 -36 -26 -44Z",
            "#ffffff",
            alpha=0.6,
        )
    )


def pear(ink: Ink) -> str:
    """A pear with a stalk and a leaf."""
    return (
        path(
            "M0 -88 C-14 -88 -16 -72 -18 -58 C-22 -46 -34 -38 -33 -22 C-32 -4 -16 0 0 0 C16 0 32 -4 33 -22 C34 -38 22 -46 18 -58 C16 -72 14 -88 0 -88Z",
            ink.body,
            ink.outline,
            2,
        )
        + line("M0 -88 C1 -96 3 -100 8 -104", "#6b4423", 4)
        + path("M6 -96 C14 -106 26 -104 31 -99 C25 -91 14 -90 6 -96Z", "#5dad4a", "#2f6a2d", 1.4)
        + path(
            "M-22 -26 C-22 -36 -14 -42 -10 -48 C-10 -38 -16 -28 -15 -18 C-19 -18 -22 -20 -22 -26Z",
            "#ffffff",
            alpha=0.55,
        )
    )


def banana(ink: Ink) -> str:
    """One curved banana."""
    return (
        path(
            "M-52 -52 C-50 -20 -20 0 18 -4 C38 -6 52 -18 56 -32 L50 -38 C40 -28 26 -24 10 -26 C-14 -28 -34 -40 -42 -58Z",
            ink.body,
            ink.outline,
            2,
        )
        + path(
            "M-46 -54 C-38 -28 -12 -14 16 -14 C32 -14 46 -22 53 -34 C44 -26 28 -20 12 -21 C-14 -22 -36 -36 -46 -54Z",
            ink.light,
            alpha=0.8,
        )
        + path("M-53 -52 L-52 -66 L-44 -66 L-41 -57Z", "#6b5a2b", "#43381a", 1.2)
        + path("M56 -32 L60 -37 L55 -41 L50 -38Z", "#5c4a22")
    )


def cake(ink: Ink) -> str:
    """A two-layer cake on a plate; the icing takes the colour."""
    candles = "".join(
        rect(x - 2, -84, 4, 18, "#fdf6e6", "#c96a6a", 0.9)
        + ellipse(x, -89, 2.6, 4.4, "#ffb52e", "#e0731d", 0.9)
        for x in (-18, 0, 18)
    )
    return (
        ellipse(0, -5, 56, 7, "#e8ebf0", "#8f96a3", 1.6)
        + path("M-44 -56 L44 -56 L44 -8 C24 -2 -24 -2 -44 -8Z", "#f1d3a0", "#8c6534", 1.8)
        + path(
            "M-44 -34 C-20 -28 20 -28 44 -34 L44 -26 C20 -20 -20 -20 -44 -26Z",
            ink.base,
            ink.outline,
            1.2,
        )
        + path(
            "M-46 -58 C-46 -72 46 -72 46 -58 L46 -46 C42 -38 36 -38 33 -46 C28 -36 20 -36 16 -45 C10 -34 2 -34 -2 -45 C-8 -36 -16 -36 -19 -46 C-24 -38 -32 -38 -35 -46 C-38 -40 -44 -40 -46 -48Z",
            ink.body,
            ink.outline,
            2,
        )
        + ellipse(0, -60, 42, 7, ink.light)
        + candles
        + circle(-32, -62, 4, "#d8354a")
        + circle(32, -62, 4, "#d8354a")
    )
