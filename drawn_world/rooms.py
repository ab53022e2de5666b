"""Indoor backdrops: a living room and a kitchen. Canvas units, 320 by 320."""

from __future__ import annotations

import numpy as np

from drawn_world.backdrop import gradient
from drawn_world.colours import hex_of
from drawn_world.settings import CANVAS, Setting
from drawn_world.svg import circle, ellipse, line, part, path, rect

__all__ = ["indoor_backdrop"]


def _window(x: float, y: float, w: float, h: float) -> str:
    glass = rect(x, y, w, h, "url(#pane)", "#f7f2e8", 6, r=2)
    bars = line(f"M{x + w / 2:.4g} {y:.4g}v{h:.4g}M{x:.4g} {y + h / 2:.4g}h{w:.4g}", "#f7f2e8", 3.4)
    sill = rect(x - 8, y + h + 2, w + 16, 6, "#e9e0d0", "#b8ab95", 1, r=1.5)
    return part("window", glass + bars + sill)


def _picture(x: float, y: float, hue: float) -> str:
    inner = rect(x, y, 44, 34, "#f8f4ea", "#80603f", 4, r=1.5)
    art = path(f"M{x + 4} {y + 30} l12 -16 l9 10 l6 -6 l9 12Z", hex_of(hue, 0.30, 0.66)) + circle(
        x + 32, y + 11, 4, "#f3c969"
    )
    return part("picture", inner + art)


def _living_room(setting: Setting, rng: np.random.Generator) -> tuple[str, str]:
    h = setting.horizon
    hue = float(rng.choice([0.12, 0.30, 0.48, 0.58, 0.95])) + float(rng.uniform(-0.02, 0.02))
    wall = rect(0, 0, CANVAS, h, "url(#wall)") + "".join(
        line(f"M{k * 20 + 10} 0V{h}", hex_of(hue, 0.08, 0.92), 1.2, 0.6) for k in range(16)
    )
    text = part("wall", wall)
    left = rng.uniform() < 0.5
    text += _window(26 if left else 222, 30, 72, 84)
    if rng.uniform() < 0.6:
        text += _picture(232 if left else 34, 34, hue + 0.3)
    planks = "".join(
        line(f"M0 {h + 14 + 22 * k}H320", hex_of(0.07, 0.48, 0.50), 1.2, 0.55) for k in range(6)
    )
    text += part("floor", rect(0, h, CANVAS, CANVAS - h, "url(#ground)") + planks) + rect(
        0, h - 7, CANVAS, 9, "#f6f1e6", "#cfc4b0", 1
    )
    rug = hex_of(float(rng.uniform()), 0.26, 0.78)
    text += (
        part(
            "rug",
            ellipse(
                160 + float(rng.uniform(-30, 30)), 268, 118, 34, rug, hex_of(0.08, 0.3, 0.62), 2
            ),
        )
        if rng.uniform() < 0.7
        else ""
    )
    defs = (
        gradient("wall", (hue, 0.13, 0.94), (hue, 0.17, 0.86))
        + gradient("ground", (0.075, 0.42, 0.70), (0.07, 0.48, 0.58))
        + gradient("pane", (0.56, 0.36, 0.95), (0.50, 0.10, 0.99))
    )
    return text, defs


def _kitchen(setting: Setting, rng: np.random.Generator) -> tuple[str, str]:
    h = setting.horizon
    hue = float(rng.choice([0.10, 0.40, 0.52, 0.60, 0.75])) + float(rng.uniform(-0.02, 0.02))
    grid = "".join(f"M{26 * k} 0V{h}" for k in range(13)) + "".join(
        f"M0 {h - 22 * k}H320" for k in range(8)
    )
    text = part(
        "wall", rect(0, 0, CANVAS, h, "url(#wall)") + line(grid, hex_of(hue, 0.05, 0.98), 1.6)
    )
    left = rng.uniform() < 0.5
    text += _window(30 if left else 214, 22, 76, 70)
    x = 150.0 if left else 24.0
    jars = "".join(
        rect(x + 12 + 26 * k, 22, 17, 22, hex_of(0.09 + 0.11 * k, 0.22, 0.86), "#8b8274", 1.2, r=3)
        + rect(x + 12 + 26 * k, 18, 17, 5, "#a88962", r=1)
        for k in range(4)
    )
    text += (
        part("shelf", jars + rect(x, 44, 128, 7, "#a5794b", "#6b4b2b", 1.2, r=1.5))
        if rng.uniform() < 0.6
        else ""
    )
    wood = float(rng.uniform(0.065, 0.095))
    grain = "".join(
        line(
            f"M{rng.uniform(-20, 220):.4g} {h + 18 + 17 * k}q40 {rng.uniform(-5, 5):.3g} 110 0",
            hex_of(wood, 0.56, 0.56),
            1.3,
            0.6,
        )
        for k in range(9)
    )
    text += part(
        "table",
        rect(0, h, CANVAS, CANVAS - h, "url(#ground)")
        + grain
        + rect(0, h, CANVAS, 8, hex_of(wood, 0.36, 0.86))
        + line(f"M0 {h + 8}H320", hex_of(wood, 0.56, 0.48), 1.4),
    )
    defs = (
        gradient("wall", (hue, 0.10, 0.93), (hue, 0.15, 0.86))
        + gradient("ground", (wood, 0.48, 0.78), (wood, 0.54, 0.62))
        + gradient("pane", (0.56, 0.36, 0.95), (0.50, 0.10, 0.99))
    )
    return text, defs


def indoor_backdrop(setting: Setting, rng: np.random.Generator) -> tuple[str, str]:
    """(SVG text, gradient definitions) of an indoor setting."""
    return _kitchen(setting, rng) if setting.name == "kitchen" else _living_room(setting, rng)
