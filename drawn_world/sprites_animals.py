"""Animals. Each faces right, stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from drawn_world.colours import Ink
from drawn_world.svg import circle, ellipse, line, path, rect

__all__ = ["bird", "cat", "cow", "dog", "duck", "elephant", "horse", "rabbit", "sheep"]

_EYE = "#1d1a22"


def _eye(x: float, y: float, r: float = 2.4) -> str:
    return (
        circle(x, y, r, "#fff")
        + circle(x + r * 0.25, y, r * 0.72, _EYE)
        + circle(x + r * 0.5, y - r * 0.3, r * 0.25, "#fff")
    )


def _legs(xs: tuple[float, ...], top: float, width: float, ink: Ink, back: bool = False) -> str:
    fill = ink.dark if back else ink.body
    return "".join(
        rect(x - width / 2, top, width, -top, fill, ink.outline, 1.6, r=width * 0.38) for x in xs
    )


def dog(ink: Ink) -> str:
    """A dog with hanging ears, a raised tail and a collar."""
    lift = 10 * ink.vary[0]
    collar = "#3b6fd4" if ink.colour in ("red", "orange", "pink", "brown") else "#d8433f"
    return (
        line(f"M-38 -46 C-52 -52 -56 {-66 - lift:.3g} -50 {-74 - lift:.3g}", ink.outline, 9.5)
        + line(f"M-38 -46 C-52 -52 -56 {-66 - lift:.3g} -50 {-74 - lift:.3g}", ink.base, 6.5)
        + _legs((-24, 22), -30, 11, ink, back=True)
        + path(
            "M-42 -44 C-42 -56 -30 -58 -14 -56 C2 -54 14 -58 26 -62 L40 -52 C38 -36 32 -26 22 -24 C8 -22 -20 -22 -34 -26 C-42 -28 -42 -38 -42 -44Z",
            ink.body,
            ink.outline,
        )
        + _legs((-33, 30), -30, 12, ink)
        + line("M22 -60 C28 -52 34 -48 42 -48", collar, 5)
        + path(
            "M24 -82 C30 -92 46 -92 52 -82 L68 -76 C73 -74 72 -64 66 -62 L48 -58 C36 -56 24 -62 24 -82Z",
            ink.body,
            ink.outline,
        )
        + path(
            "M28 -88 C18 -86 14 -70 18 -58 C22 -52 30 -56 32 -64 C34 -74 36 -82 28 -88Z",
            ink.dark,
            ink.outline,
        )
        + ellipse(69, -74, 4.2, 3.6, _EYE)
        + line("M66 -65 C60 -61 55 -62 52 -64", ink.outline, 1.6)
        + _eye(48, -79, 3)
    )


def cat(ink: Ink) -> str:
    """A cat with pointed ears, whiskers and a curled tail."""
    tail = f"M-34 -30 C-58 -30 -60 -58 {-50 + 8 * ink.vary[0]:.3g} -72"
    stripes = "".join(
        line(f"M{x} -47 C{x + 2} -42 {x + 2} -38 {x} -34", ink.dark, 3) for x in (-20, -9, 2)
    )
    return (
        line(tail, ink.outline, 9)
        + line(tail, ink.base, 6)
        + _legs((-20, 14), -22, 9, ink, back=True)
        + path(
            "M-36 -30 C-36 -46 -22 -48 -6 -48 C10 -48 26 -44 28 -28 C28 -18 16 -16 -4 -16 C-24 -16 -36 -18 -36 -30Z",
            ink.body,
            ink.outline,
        )
        + stripes
        + _legs((-28, 22), -22, 9.5, ink)
        + path(
            "M16 -64 L15 -86 L30 -74 Q36 -76 42 -74 L57 -86 L56 -62 C58 -46 46 -40 36 -40 C24 -40 14 -48 16 -64Z",
            ink.body,
            ink.outline,
        )
        + path("M19 -70 L18.500 -79 L25 -73Z", "#f2a7a7")
        + path("M53 -70 L53.500 -79 L47 -73Z", "#f2a7a7")
        + ellipse(29, -61, 3.6, 4.4, "#d7e36a", ink.outline, 1)
        + ellipse(45, -61, 3.6, 4.4, "#d7e36a", ink.outline, 1)
        + ellipse(29.5, -61, 1.4, 3.6, _EYE)
        + ellipse(45.5, -61, 1.4, 3.6, _EYE)
        + path("M34.500 -54 L40 -54 L37 -50.500Z", "#e2797b")
        + line("M37 -50 C35 -46 32 -46 30 -48 M37 -50 C39 -46 42 -46 44 -48", ink.outline, 1.2)
        + line(
            "M24 -52 L10 -54 M24 -49 L11 -47 M50 -52 L64 -54 M50 -49 L63 -47",
            "#efeae2" if ink.colour == "black" else ink.outline,
            0.9,
        )
    )


def horse(ink: Ink) -> str:
    """A horse with mane, long legs and a flowing tail."""
    mane = (
        "#2b2019"
        if ink.colour not in ("black", "brown")
        else ("#14110f" if ink.colour == "brown" else "#565059")
    )
    hooves = "".join(rect(x - 5, -7, 10, 7, "#3a302b", r=1.5) for x in (-36, -26, 22, 32))
    return (
        path("M-42 -74 C-62 -72 -62 -46 -56 -30 C-50 -38 -46 -50 -40 -62Z", mane)
        + _legs((-26, 22), -48, 9, ink, back=True)
        + path(
            "M-46 -64 C-46 -80 -30 -82 -10 -78 C6 -76 16 -80 24 -92 L40 -112 L58 -98 C50 -88 46 -76 40 -62 C36 -48 24 -44 0 -44 C-28 -44 -44 -46 -46 -64Z",
            ink.body,
            ink.outline,
        )
        + _legs((-36, 32), -52, 10.5, ink)
        + hooves
        + path(
            "M36 -114 C40 -122 54 -124 60 -116 L80 -100 C84 -94 80 -86 72 -86 L58 -90 C46 -92 36 -102 36 -114Z",
            ink.body,
            ink.outline,
        )
        + path("M42 -118 L44 -132 L53 -120Z", ink.body, ink.outline)
        + path(
            "M46 -126 C34 -126 26 -112 20 -96 C14 -86 8 -80 4 -77 C20 -76 30 -84 36 -98 C38 -108 44 -116 52 -118Z",
            mane,
        )
        + _eye(58, -109, 2.8)
        + circle(76, -94, 1.7, _EYE)
    )


def cow(ink: Ink) -> str:
    """A cow with horns, patches, a pink muzzle and an udder."""
    patch = "#f7f2ea" if ink.colour in ("black", "brown", "orange") else "#3a3236"
    return (
        line("M-46 -58 C-58 -50 -56 -34 -58 -26", ink.outline, 4)
        + ellipse(-58, -22, 4, 6, ink.dark)
        + _legs((-26, 22), -34, 11, ink, back=True)
        + ellipse(-14, -28, 10, 6, "#f0a9a6", ink.outline, 1.2)
        + path(
            "M-50 -60 C-50 -72 -42 -74 -20 -72 L30 -74 C42 -72 44 -60 42 -44 C40 -32 24 -28 0 -28 C-30 -28 -48 -30 -50 -60Z",
            ink.body,
            ink.outline,
        )
        + path("M-36 -72 C-44 -58 -32 -46 -22 -50 C-12 -54 -8 -62 -14 -72Z", patch)
        + path("M4 -42 C12 -56 26 -54 26 -42 C26 -34 16 -30 8 -32 C2 -34 0 -38 4 -42Z", patch)
        + _legs((-38, 34), -36, 12, ink)
        + rect(-44, -7, 12, 7, "#3b3330", r=1.5)
        + rect(28, -7, 12, 7, "#3b3330", r=1.5)
        + line("M44 -86 C40 -94 40 -98 42 -102 M60 -86 C66 -92 68 -98 67 -102", "#e9dcc2", 4.5)
        + path("M38 -84 C28 -88 24 -82 26 -78 C30 -74 36 -76 40 -78Z", ink.dark, ink.outline, 1.2)
        + path("M64 -84 C74 -90 79 -84 77 -80 C73 -76 68 -76 64 -78Z", ink.dark, ink.outline, 1.2)
        + path(
            "M38 -86 C44 -92 60 -92 66 -86 C68 -72 68 -62 66 -56 L42 -56 C38 -62 36 -72 38 -86Z",
            ink.body,
            ink.outline,
        )
        + ellipse(54, -56, 16, 9.5, "#f4b6ae", ink.outline, 1.4)
        + circle(48, -57, 1.9, "#8d4a48")
        + circle(60, -57, 1.9, "#8d4a48")
        + _eye(46, -75, 2.8)
        + _eye(59, -75, 2.8)
    )


def sheep(ink: Ink) -> str:
    """A sheep: a curly fleece on thin dark legs."""
    face = "#4a423f" if ink.colour != "black" else "#8c827c"
    curls = (
        (-34, -44, 15),
        (-22, -56, 15),
        (-4, -60, 16),
        (14, -57, 15),
        (28, -46, 15),
        (24, -32, 14),
        (6, -28, 15),
        (-14, -28, 15),
        (-30, -32, 14),
    )
    legs = "".join(rect(x - 3.5, -26, 7, 26, face, r=2.5) for x in (-24, -14, 10, 20))
    rim = "".join(circle(x, y, r + 1.4, ink.outline) for x, y, r in curls)
    fleece = "".join(circle(x, y, r, ink.base if y > -40 else ink.light) for x, y, r in curls)
    return (
        legs
        + rim
        + fleece
        + ellipse(-3, -43, 32, 19, ink.base)
        + line(
            "M-22 -48 c4 -6 10 -4 10 1 M-4 -50 c4 -6 10 -4 10 1 M-14 -36 c4 -6 10 -4 10 1 M6 -38 c4 -6 10 -4 10 1",
            ink.dark,
            1.6,
        )
        + path("M30 -62 C36 -70 52 -68 54 -56 C56 -46 52 -36 46 -36 C36 -36 28 -50 30 -62Z", face)
        + ellipse(27, -58, 8, 4, face)
        + circle(36, -67, 7, ink.light, ink.outline, 1)
        + circle(44, -69, 6, ink.light, ink.outline, 1)
        + _eye(45, -56, 2.8)
    )


def elephant(ink: Ink) -> str:
    """An elephant with a big ear, trunk and tusk."""
    return (
        line("M-52 -66 C-62 -56 -60 -46 -62 -38", ink.outline, 4)
        + _legs((-22, 18), -36, 17, ink, back=True)
        + path(
            "M-56 -62 C-58 -92 -28 -96 -4 -94 C20 -92 34 -84 36 -60 C36 -38 24 -30 -6 -30 C-38 -30 -56 -32 -56 -62Z",
            ink.body,
            ink.outline,
        )
        + _legs((-40, 20), -40, 19, ink)
        + "".join(line(f"M{x} -2 l5 0", "#f3ead9", 2.4) for x in (-46, -39, 13, 20))
        + path(
            "M18 -88 C24 -104 54 -106 62 -86 C66 -70 66 -58 70 -44 C72 -34 78 -30 82 -34 C84 -36 88 -34 87 -30 C82 -20 66 -20 60 -32 C56 -42 54 -54 48 -58 C30 -58 16 -70 18 -88Z",
            ink.body,
            ink.outline,
        )
        + path("M50 -60 C56 -52 64 -48 72 -50 C66 -56 60 -60 58 -66Z", "#f8f1e1", ink.outline, 1.2)
        + path(
            "M26 -96 C10 -102 -4 -88 0 -70 C2 -54 16 -46 26 -56 C36 -66 38 -90 26 -96Z",
            ink.dark,
            ink.outline,
        )
        + path(
            "M24 -90 C14 -92 6 -82 8 -70 C10 -60 18 -56 24 -64 C30 -72 31 -86 24 -90Z",
            ink.light,
            alpha=0.45,
        )
        + _eye(48, -84, 3)
    )


def rabbit(ink: Ink) -> str:
    """A sitting rabbit with long ears and a round tail."""
    lean = 6 * ink.vary[0] - 3
    return (
        circle(-28, -18, 9, "#fbf7f0", ink.outline, 1.4)
        + path(
            "M-26 -4 C-34 -30 -16 -44 2 -40 C18 -38 24 -22 22 0 L-18 0 C-24 0 -26 -2 -26 -4Z",
            ink.body,
            ink.outline,
        )
        + path(
            f"M10 -62 C0 {-84 + lean:.3g} 2 -104 10 -102 C18 -100 20 -80 18 -62Z",
            ink.dark,
            ink.outline,
        )
        + path(
            f"M18 -62 C16 -86 {22 + lean:.3g} -106 29 -102 C36 -98 32 -78 26 -62Z",
            ink.body,
            ink.outline,
        )
        + path(f"M20 -66 C20 -84 {24 + lean:.3g} -97 28 -96 C31 -92 28 -78 24 -66Z", "#f0aeb0")
        + path(
            "M2 -52 C4 -68 28 -70 34 -54 C37 -42 28 -34 18 -34 C8 -34 0 -42 2 -52Z",
            ink.body,
            ink.outline,
        )
        + ellipse(-8, -9, 15, 10, ink.body, ink.outline)
        + ellipse(-2, -3, 15, 4.5, ink.light, ink.outline)
        + ellipse(16, -4, 6, 4, ink.light, ink.outline)
        + _eye(22, -54, 3.2)
        + path("M32 -50 L37 -48 L33 -45Z", "#e2797b")
    )


def bird(ink: Ink) -> str:
    """A flying songbird with a raised wing."""
    wing = -66 - 8 * ink.vary[0]
    return (
        path("M-24 -34 L-58 -40 L-52 -30 L-60 -22 L-24 -22Z", ink.dark, ink.outline)
        + path(
            "M-30 -28 C-24 -44 4 -50 22 -44 C36 -40 36 -22 22 -14 C4 -6 -24 -12 -30 -28Z",
            ink.body,
            ink.outline,
        )
        + path("M-6 -16 C4 -8 20 -10 26 -20 C16 -22 4 -22 -6 -16Z", "#fff6e4", alpha=0.75)
        + circle(28, -42, 14, ink.body, ink.outline)
        + path("M40 -45 L56 -39 L39 -35Z", "#f2a32c", "#8f5a12", 1.2)
        + path(
            f"M14 -34 C6 {wing:.3g} -22 {wing - 14:.3g} -36 {wing - 6:.3g} C-34 {wing + 8:.3g} -26 -44 -16 -28 C-6 -24 8 -26 14 -34Z",
            ink.dark,
            ink.outline,
        )
        + line(
            f"M-26 {wing + 4:.3g} C-20 -56 -14 -46 -6 -38 M-16 {wing + 1:.3g} C-10 -58 -4 -46 2 -38",
            ink.outline,
            1.3,
        )
        + line("M-2 -10 l-6 9 M8 -10 l-5 10", "#c47b22", 2.2)
        + _eye(31, -45, 3)
    )


def duck(ink: Ink) -> str:
    """A swimming or sitting duck with a flat bill."""
    return (
        path(
            "M-44 -30 L-56 -44 C-40 -48 -30 -40 -20 -36 C-4 -42 10 -38 18 -44 C10 -54 10 -72 26 -76 C42 -78 50 -64 44 -52 C40 -44 40 -34 38 -24 C34 -8 18 0 -4 0 C-28 0 -40 -8 -44 -30Z",
            ink.body,
            ink.outline,
        )
        + path(
            "M-28 -28 C-14 -38 10 -34 16 -24 C10 -10 -12 -8 -22 -16 L-34 -20Z",
            ink.dark,
            ink.outline,
        )
        + line("M-22 -22 C-10 -16 0 -16 8 -20", ink.outline, 1.3)
        + path("M44 -68 C54 -70 64 -66 66 -62 C62 -58 52 -56 44 -58Z", "#f59a22", "#8f5a12", 1.3)
        + line("M21 -50 C28 -45 36 -46 42 -50", "#fdf8ee", 3)
        + _eye(35, -66, 3.2)
    )
