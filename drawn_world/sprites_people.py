"""People. Each stands on y = 0 and is centred on x = 0."""

from __future__ import annotations

from drawn_world.colours import Ink
from drawn_world.svg import circle, line, part, path, rect

__all__ = ["person"]

_EYE = "#1d1a22"


def person(ink: Ink) -> str:
    """A standing person; the ink is the colour of the clothes."""
    skin = ("#f3c9a5", "#d99b6c", "#8d5a3a", "#f0bd94")[int(ink.vary[0] * 4)]
    hair = ("#2b1d18", "#5a3520", "#c98d3a", "#161419")[int(ink.vary[1] * 4)]
    trousers = ("#3f4d70", "#4b4239", "#37393f")[int(ink.vary[2] * 3)]
    long_hair = ink.vary[3] > 0.5
    swing = 6 * ink.vary[2]
    legs = rect(-15, -52, 14, 48, trousers, "#23242c", 1.5, r=4) + rect(
        1, -52, 14, 48, trousers, "#23242c", 1.5, r=4
    )
    if long_hair:
        legs = (
            rect(-12, -36, 9, 32, skin)
            + rect(3, -36, 9, 32, skin)
            + path("M-16 -60 L16 -60 L25 -28 L-25 -28Z", ink.body, ink.outline)
        )
    shoes = path("M-16 0 C-17 -7 -5 -8 -2 -5 L-2 0Z M2 0 L2 -5 C5 -8 17 -7 16 0Z", "#2c2623")
    back = (
        path("M-19 -124 C-25 -140 25 -140 19 -124 L22 -96 C10 -90 -10 -90 -22 -96Z", hair)
        if long_hair
        else ""
    )
    return (
        legs
        + shoes
        + line(f"M-19 -92 L{-30 - swing:.3g} -64", ink.outline, 13)
        + line(f"M19 -92 L{30 + swing:.3g} -64", ink.outline, 13)
        + line(f"M-19 -92 L{-30 - swing:.3g} -66", ink.base, 10)
        + line(f"M19 -92 L{30 + swing:.3g} -66", ink.base, 10)
        + circle(-31 - swing, -59, 5.4, skin, "#7c4f36", 1)
        + circle(31 + swing, -59, 5.4, skin, "#7c4f36", 1)
        + path("M-21 -96 C-14 -103 14 -103 21 -96 L18 -50 L-18 -50Z", ink.body, ink.outline)
        + line("M0 -98 L0 -52", ink.dark, 1.6)
        + rect(-5, -106, 10, 10, skin)
        + back
        + part(
            "face",
            circle(0, -120, 17, skin, "#7c4f36", 1.2)
            + circle(-6, -120, 2, _EYE)
            + circle(6, -120, 2, _EYE)
            + line("M-6 -112 C-3 -108 3 -108 6 -112", "#8c3f35", 1.8),
        )
        + path(
            "M-18 -122 C-20 -144 20 -144 18 -122 C12 -130 -4 -134 -8 -130 C-12 -128 -16 -126 -18 -122Z",
            hair,
        )
    )
