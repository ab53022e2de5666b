"""Plants and small things. Each stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from drawn_world.colours import Ink
from drawn_world.svg import circle, ellipse, line, path, polygon, rect

__all__ = [
    "ball",
    "balloon",
    "book",
    "bottle",
    "cup",
    "flower",
    "kite",
    "suitcase",
    "tree",
    "umbrella",
    "vase",
]

_WOOD = "#9a6a3f"
_WOOD_LINE = "#5d3b1f"


def tree(ink: Ink) -> str:
    """A round leafy tree; the crown takes the colour."""
    lobes = (
        (-30, -74, 24),
        (30, -76, 24),
        (-18, -104, 26),
        (20, -106, 25),
        (0, -84, 32),
        (0, -122, 20),
    )
    return (
        path("M-9 0 C-6 -20 -6 -36 -8 -56 L8 -56 C6 -36 6 -20 10 0Z", _WOOD, _WOOD_LINE, 1.8)
        + line("M0 -40 L-14 -62 M1 -46 L16 -66", _WOOD, 5)
        + "".join(circle(x, y, r + 1.8, ink.outline) for x, y, r in lobes)
        + "".join(circle(x, y, r, ink.base) for x, y, r in lobes)
        + "".join(
            circle(x, y, r, ink.light, alpha=0.8)
            for x, y, r in ((-20, -108, 13), (16, -114, 12), (-32, -80, 11), (28, -82, 9))
        )
        + line(
            "M-8 -70 c6 6 14 6 20 0 M-34 -62 c6 6 14 6 20 0 M14 -62 c6 6 14 6 20 0", ink.dark, 2.6
        )
    )


def flower(ink: Ink) -> str:
    """One big flower on a stem with two leaves."""
    petals = "".join(
        f'<g transform="rotate({60 * k + 30 * ink.vary[0]:.3g} 0 -70)">'
        + ellipse(0, -90, 11, 15, ink.body, ink.outline, 1.6)
        + "</g>"
        for k in range(6)
    )
    return (
        line("M0 0 C-4 -24 4 -46 0 -70", "#3f8a3a", 5)
        + path("M0 -18 C-12 -40 -30 -38 -34 -34 C-28 -20 -14 -14 0 -16Z", "#54a548", "#2f6a2d", 1.4)
        + path("M0 -26 C10 -46 28 -46 32 -42 C28 -28 14 -20 0 -24Z", "#54a548", "#2f6a2d", 1.4)
        + petals
        + circle(0, -70, 10.5, "#f7c83c" if ink.colour != "yellow" else "#8a5a2b", "#8a5f16", 1.6)
    )


def umbrella(ink: Ink) -> str:
    """An open umbrella with a hooked handle."""
    return (
        line("M0 -96 L0 -10 C0 2 16 2 16 -9", "#4b3a2e", 4.4)
        + line("M0 -106 L0 -98", "#4b3a2e", 4)
        + path(
            "M-58 -50 C-56 -84 -30 -102 0 -102 C30 -102 56 -84 58 -50 C50 -58 34 -58 28 -50 C20 -58 8 -58 0 -50 C-8 -58 -20 -58 -28 -50 C-34 -58 -50 -58 -58 -50Z",
            ink.body,
            ink.outline,
            2,
        )
        + path(
            "M0 -102 C-16 -92 -26 -72 -28 -50 C-20 -58 -8 -58 0 -50Z", ink.dark, ink.outline, 1.3
        )
        + path(
            "M0 -102 C16 -92 26 -72 28 -50 C34 -58 50 -58 58 -50 C56 -84 30 -102 0 -102Z",
            ink.light,
            ink.outline,
            1.3,
        )
    )


def kite(ink: Ink) -> str:
    """A diamond kite with a tail of bows."""
    return (
        line("M0 -40 C-10 -26 14 -18 2 -2", "#6d5a48", 1.8)
        + polygon("0,-112 36,-78 0,-38 -36,-78", ink.body, ink.outline, 2)
        + polygon("0,-112 36,-78 0,-78", ink.light)
        + polygon("0,-38 -36,-78 0,-78", ink.dark)
        + polygon("0,-112 36,-78 0,-38 -36,-78", "none", ink.outline, 2)
        + line("M0 -112 L0 -38 M-36 -78 L36 -78", ink.outline, 1.4)
        + path(
            "M-7 -30 L0 -26 L-8 -21Z M7 -31 L0 -26 L8 -21Z M0 -12 L7 -8 L0 -3Z M14 -13 L7 -8 L15 -3Z",
            ink.base,
            ink.outline,
            1,
        )
    )


def balloon(ink: Ink) -> str:
    """A round balloon on a string."""
    return (
        line("M0 -40 C-8 -28 8 -18 0 0", "#6d6a70", 1.6)
        + path(
            "M0 -118 C24 -118 32 -98 30 -82 C27 -62 10 -48 0 -46 C-10 -48 -27 -62 -30 -82 C-32 -98 -24 -118 0 -118Z",
            ink.body,
            ink.outline,
            2,
        )
        + path("M-6 -40 L0 -47 L6 -40Z", ink.dark, ink.outline, 1.4)
        + path(
            "M-18 -96 C-16 -108 -8 -112 -2 -112 C-10 -106 -12 -98 -12 -90 C-14 -88 -18 -90 -18 -96Z",
            "#ffffff",
            alpha=0.65,
        )
    )


def ball(ink: Ink) -> str:
    """A ball with white panels."""
    return (
        circle(0, -34, 33, ink.body, ink.outline, 2)
        + path(
            "M-31 -44 C-14 -34 14 -34 31 -44 C32 -38 32 -32 31 -26 C14 -18 -14 -18 -31 -26 C-33 -32 -33 -38 -31 -44Z",
            "#fdf8ec" if ink.colour != "white" else "#c9ccd4",
            ink.outline,
            1.4,
        )
        + ellipse(-12, -54, 8, 5, "#ffffff", alpha=0.6)
    )


def vase(ink: Ink) -> str:
    """A bellied vase with a band and sprigs."""
    return (
        line(
            "M-4 -74 C-8 -92 -20 -98 -22 -110 M0 -74 C0 -96 2 -104 0 -118 M4 -74 C10 -90 20 -98 24 -108",
            "#4e8f45",
            3,
        )
        + circle(-22, -112, 7, "#f6efe2", "#b7a98c", 1.2)
        + circle(0, -120, 7, "#f6efe2", "#b7a98c", 1.2)
        + circle(24, -110, 7, "#f6efe2", "#b7a98c", 1.2)
        + path(
            "M-14 -76 L14 -76 C10 -64 30 -52 30 -32 C30 -14 20 0 14 0 L-14 0 C-20 0 -30 -14 -30 -32 C-30 -52 -10 -64 -14 -76Z",
            ink.body,
            ink.outline,
            2,
        )
        + ellipse(0, -76, 15, 4, ink.dark, ink.outline, 1.4)
        + path(
            "M-29.500 -38 C-14 -32 14 -32 29.500 -38 L30 -29 C14 -23 -14 -23 -30 -29Z",
            ink.light,
            ink.outline,
            1.2,
        )
        + path("M-22 -44 C-20 -54 -14 -58 -10 -64 C-8 -56 -16 -48 -16 -36Z", "#ffffff", alpha=0.45)
    )


def book(ink: Ink) -> str:
    """A closed book lying a little tilted, pages showing."""
    return (
        path("M-34 0 C-40 -2 -40 -12 -34 -14 L40 -14 L40 0Z", "#fbf6e7", "#a89b7c", 1.4)
        + line("M-30 -9 L39 -9 M-30 -5 L39 -5", "#d5c9aa", 1.2)
        + path(
            "M-36 -14 L-24 -92 C-23 -96 -21 -97 -18 -97 L44 -97 C48 -97 49 -95 48 -91 L41 -14Z",
            ink.body,
            ink.outline,
            2,
        )
        + path(
            "M-36 -14 L-24 -92 C-23 -96 -21 -97 -18 -97 L-13 -97 L-26 -14Z",
            ink.dark,
            ink.outline,
            1.4,
        )
        + path(
            "M-6 -82 L36 -82 L34 -64 L-9 -64Z",
            "#fbf3dc" if ink.colour != "white" else "#aab0bc",
            ink.outline,
            1.2,
        )
        + line(
            "M-10 -48 L30 -48 M-12 -36 L20 -36",
            ink.light if ink.colour != "white" else "#aab0bc",
            4,
        )
        + line("M-34 0 L40 0", ink.outline, 3.4)
    )


def cup(ink: Ink) -> str:
    """A mug with a handle and a little steam."""
    return (
        line("M-10 -72 c-6 -8 6 -12 0 -20 M8 -72 c-6 -8 6 -12 0 -20", "#ffffff", 2.6, 0.55)
        + line("M26 -48 C48 -50 48 -16 24 -18", ink.outline, 11)
        + line("M26 -48 C48 -50 48 -16 24 -18", ink.base, 7.4)
        + path(
            "M-31 -60 L31 -60 L27 -8 C26 -2 20 0 14 0 L-14 0 C-20 0 -26 -2 -27 -8Z",
            ink.body,
            ink.outline,
            2,
        )
        + ellipse(0, -60, 31, 8, ink.light, ink.outline, 1.8)
        + ellipse(0, -59, 25, 5.4, "#6b4226")
        + path("M-22 -48 L-14 -46 L-14 -14 L-19 -14Z", "#ffffff", alpha=0.35)
    )


def bottle(ink: Ink) -> str:
    """A bottle with a label and a cork."""
    return (
        rect(-6, -118, 12, 14, "#c79a63", "#7a5830", 1.4, r=2)
        + path(
            "M-9 -106 L9 -106 L9 -84 C9 -74 22 -70 22 -56 L22 -6 C22 -2 20 0 16 0 L-16 0 C-20 0 -22 -2 -22 -6 L-22 -56 C-22 -70 -9 -74 -9 -84Z",
            ink.body,
            ink.outline,
            2,
        )
        + rect(-10, -104, 20, 5, ink.dark, ink.outline, 1.2)
        + rect(
            -22, -48, 44, 28, "#fbf3dc" if ink.colour != "white" else "#b8c6d4", ink.outline, 1.3
        )
        + line("M-12 -38 L12 -38 M-12 -30 L6 -30", "#a08f6a", 2.4)
        + path(
            "M-16 -60 C-14 -68 -8 -72 -6 -80 L-3 -80 C-5 -70 -12 -66 -12 -54Z", "#ffffff", alpha=0.5
        )
    )


def suitcase(ink: Ink) -> str:
    """A suitcase with straps and a handle."""
    return (
        line("M-14 -66 L-14 -78 L14 -78 L14 -66", "#3a332e", 5)
        + rect(-46, -68, 92, 64, ink.body, ink.outline, 2, r=9)
        + rect(-30, -68, 9, 64, ink.dark, ink.outline, 1.3)
        + rect(21, -68, 9, 64, ink.dark, ink.outline, 1.3)
        + rect(-31.5, -44, 12, 8, "#f2cf63", "#8a6b20", 1.2, r=1.5)
        + rect(19.5, -44, 12, 8, "#f2cf63", "#8a6b20", 1.2, r=1.5)
        + rect(-38, -4, 12, 4, "#2b2624")
        + rect(26, -4, 12, 4, "#2b2624")
    )
