"""Houses and furniture. Each stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from drawn_world.colours import Ink
from drawn_world.svg import circle, ellipse, line, part, path, polygon, rect

__all__ = ["bench", "chair", "clock", "couch", "house", "lamp"]

_WOOD = "#9a6a3f"
_WOOD_LINE = "#5d3b1f"


def house(ink: Ink) -> str:
    """A cottage; the walls take the colour."""
    roof = "#8c4a3a" if ink.colour not in ("red", "brown", "orange") else "#4d5a6b"
    return (
        rect(30, -128, 16, 34, "#94705c", "#5b4133", 1.6)
        + rect(-62, -76, 124, 76, ink.body, ink.outline, 2)
        + part(
            "roof",
            polygon("-76,-72 0,-134 76,-72", roof, "#46231b", 2)
            + line("M-50 -84 L50 -84 M-34 -98 L34 -98 M-16 -112 L16 -112", "#46231b", 1.2, 0.5),
        )
        + part(
            "door",
            rect(-14, -46, 28, 46, _WOOD, _WOOD_LINE, 1.8, r=3) + circle(8, -22, 2.2, "#f2cf63"),
        )
        + "".join(
            part(
                "window",
                rect(x, -58, 26, 26, "#cdeaf7", "#ffffff", 3)
                + line(f"M{x + 13} -58 L{x + 13} -32 M{x} -45 L{x + 26} -45", "#ffffff", 2.4),
            )
            for x in (-50, 24)
        )
        + path(
            "M-62 0 C-58 -12 -46 -12 -42 0Z M30 0 C34 -12 50 -12 56 0Z", "#5aa04a", "#356e33", 1.2
        )
    )


def bench(ink: Ink) -> str:
    """A park bench with slats."""
    legs = "".join(
        line(f"M{x} -36 L{x - 3} 0 M{x} -36 L{x + 10} -2", "#33353b", 5) for x in (-48, 42)
    )
    slats = "".join(
        rect(-64, y, 128, 9, ink.body, ink.outline, 1.6, r=2.5) for y in (-74, -61, -48)
    )
    return (
        line("M-46 -76 L-46 -34 M46 -76 L46 -34", "#33353b", 5)
        + legs
        + slats
        + rect(-68, -38, 136, 9, ink.light, ink.outline, 1.6, r=2.5)
        + rect(-66, -29, 132, 5, ink.dark, ink.outline, 1.4, r=2)
    )


def chair(ink: Ink) -> str:
    """A wooden chair seen from the side and a little from the front."""
    return (
        rect(-26, -42, 8, 42, ink.dark, ink.outline, 1.6, r=2)
        + rect(12, -42, 7, 36, ink.dark, ink.outline, 1.6, r=2)
        + path("M-34 -102 L-24 -104 L-20 -42 L-30 -40Z", ink.body, ink.outline, 1.8)
        + path("M2 -104 L10 -102 L12 -46 L4 -46Z", ink.body, ink.outline, 1.8)
        + rect(-30, -98, 38, 12, ink.light, ink.outline, 1.6, r=3)
        + rect(-28, -78, 36, 9, ink.body, ink.outline, 1.6, r=3)
        + path("M-34 -50 L26 -50 L34 -38 L-28 -38Z", ink.body, ink.outline, 1.8)
        + rect(-32, -40, 8, 40, ink.body, ink.outline, 1.6, r=2)
        + rect(25, -40, 8, 40, ink.body, ink.outline, 1.6, r=2)
    )


def couch(ink: Ink) -> str:
    """A two-seat couch with cushions."""
    return (
        rect(-66, -8, 9, 8, _WOOD, _WOOD_LINE, 1.2)
        + rect(57, -8, 9, 8, _WOOD, _WOOD_LINE, 1.2)
        + path(
            "M-64 -30 L-64 -66 C-64 -76 -56 -80 -46 -80 L46 -80 C56 -80 64 -76 64 -66 L64 -30Z",
            ink.body,
            ink.outline,
            2,
        )
        + line("M0 -78 L0 -44", ink.dark, 2)
        + rect(-58, -46, 57, 18, ink.light, ink.outline, 1.8, r=6)
        + rect(1, -46, 57, 18, ink.light, ink.outline, 1.8, r=6)
        + rect(-70, -30, 140, 23, ink.dark, ink.outline, 2, r=6)
        + path("M-82 -8 L-82 -46 C-82 -60 -58 -60 -58 -46 L-58 -8Z", ink.body, ink.outline, 2)
        + path("M82 -8 L82 -46 C82 -60 58 -60 58 -46 L58 -8Z", ink.body, ink.outline, 2)
        + rect(
            -46,
            -68,
            26,
            24,
            "#f4e6c8" if ink.colour not in ("yellow", "white") else "#7aa3b8",
            ink.outline,
            1.4,
            r=5,
        )
    )


def lamp(ink: Ink) -> str:
    """A table lamp; the shade takes the colour."""
    return (
        ellipse(0, -4, 20, 5, "#6b5443", "#3d2f25", 1.4)
        + path(
            "M-4 -6 C-12 -24 12 -34 -3 -58 L3 -58 C18 -34 -6 -24 4 -6Z", "#b98d5a", "#65482b", 1.4
        )
        + path("M-20 -104 L20 -104 L36 -56 L-36 -56Z", ink.body, ink.outline, 2)
        + path("M-14 -100 L-4 -100 L-10 -60 L-26 -60Z", "#ffffff", alpha=0.3)
        + path("M-36 -56 L36 -56 L34 -51 L-34 -51Z", ink.light, ink.outline, 1.2)
    )


def clock(ink: Ink) -> str:
    """A round clock with a coloured rim."""
    ticks = "".join(
        f'<g transform="rotate({30 * k} 0 -42)">' + line("M0 -71 L0 -66", "#44464e", 2.4) + "</g>"
        for k in range(12)
    )
    minute, hour = 360 * ink.vary[0], 360 * ink.vary[1]
    return (
        circle(0, -42, 41, ink.body, ink.outline, 2)
        + circle(0, -42, 31.5, "#fdfaf0", ink.outline, 1.6)
        + ticks
        + f'<g transform="rotate({minute:.4g} 0 -42)">'
        + line("M0 -42 L0 -64", "#26272c", 3)
        + "</g>"
        + f'<g transform="rotate({hour:.4g} 0 -42)">'
        + line("M0 -42 L0 -57", "#26272c", 4)
        + "</g>"
        + circle(0, -42, 3, "#c9463d")
    )
