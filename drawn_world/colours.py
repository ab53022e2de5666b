"""The eleven colours of the LGIP flips, and the inks that a sprite is drawn with."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np

from drawn_world.svg import vertical

__all__ = ["COLOURS", "Ink", "hex_of", "make_ink", "shade"]

#: Name -> (hue in turns, saturation, value), each in [0, 1]: the middle of the colour.
COLOURS: dict[str, tuple[float, float, float]] = {
    "red": (0.985, 0.80, 0.86),
    "blue": (0.600, 0.76, 0.86),
    "green": (0.350, 0.66, 0.66),
    "yellow": (0.140, 0.78, 0.98),
    "black": (0.640, 0.16, 0.19),
    "white": (0.140, 0.03, 0.98),
    "brown": (0.068, 0.64, 0.50),
    "gray": (0.590, 0.06, 0.60),
    "orange": (0.077, 0.84, 0.98),
    "pink": (0.925, 0.38, 0.98),
    "purple": (0.765, 0.60, 0.68),
}


@dataclass(frozen=True, slots=True)
class Ink:
    """What one object is drawn with: CSS colours and four numbers in [0, 1) that vary its looks."""

    body: str
    base: str
    light: str
    dark: str
    outline: str
    vary: tuple[float, float, float, float]
    colour: str | None


def hex_of(hue: float, saturation: float, value: float) -> str:
    """`#rrggbb` of a colour in HSV, every part in [0, 1]; values outside are clipped, hue wraps."""
    rgb = colorsys.hsv_to_rgb(hue % 1.0, min(max(saturation, 0.0), 1.0), min(max(value, 0.0), 1.0))
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in rgb)


def shade(hsv: tuple[float, float, float], amount: float) -> str:
    """`#rrggbb` of a colour made lighter (amount in (0, 1]) or darker (amount in [-1, 0))."""
    hue, saturation, value = hsv
    if amount >= 0:
        return hex_of(hue, saturation * (1 - 0.6 * amount), value + (1 - value) * amount)
    return hex_of(
        hue,
        saturation + (1 - saturation) * 0.25 * -amount * (saturation > 0.1),
        value * (1 + amount),
    )


def make_ink(colour: str | None, gradient: str, rng: np.random.Generator) -> tuple[Ink, str]:
    """An ink of the colour with a little jitter, and the SVG gradient (named `gradient`) it refers
    to.

    `colour` None gives a neutral grey ink, for categories that bring their own colours.
    """
    hue, saturation, value = COLOURS[colour or "gray"]
    jitter = rng.uniform(-1.0, 1.0, 3)
    spread = 0.04 if colour in ("white", "gray", "black") else 0.07
    hsv = (
        hue + 0.012 * jitter[0],
        saturation * (1 + 0.10 * jitter[1]),
        value * (1 + spread * jitter[2]),
    )
    light, base, dark = shade(hsv, 0.22), shade(hsv, 0.0), shade(hsv, -0.16)
    if colour == "black":
        light, outline = shade(hsv, 0.20), shade(hsv, -0.55)
    elif colour == "white":
        dark, outline = shade(hsv, -0.13), shade(hsv, -0.45)
    else:
        outline = shade(hsv, -0.48)
    vary = rng.uniform(0.0, 1.0, 4)
    definition = vertical(gradient, (0, light), (0.55, base), (1, dark))
    four = (float(vary[0]), float(vary[1]), float(vary[2]), float(vary[3]))
    return Ink(
        f"url(#{gradient})", base, light, shade(hsv, -0.30), outline, four, colour
    ), definition
