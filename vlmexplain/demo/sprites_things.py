"""Plants, furniture and small things. Each stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from vlmexplain.demo.colours import Ink
from vlmexplain.demo.svg import circle, ellipse, line, part, path, polygon, rect

__all__ = [
    "ball",
    "balloon",
    "bench",
    "book",
    "bottle",
    "chair",
    "clock",
    "couch",
    "cup",
    "flower",
    "house",
    "kite",
    "lamp",
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
