"""Outdoor backdrops: sky, far land, ground. Canvas units, 320 by 320."""

from __future__ import annotations

import numpy as np

from drawn_world.colours import hex_of
from drawn_world.settings import CANVAS, Setting
from drawn_world.svg import circle, line, part, path, rect, vertical

__all__ = ["gradient", "outdoor_backdrop"]

_SKIES = {
    "day": ((0.560, 0.52, 0.93), (0.535, 0.14, 0.99)),
    "sunset": ((0.730, 0.38, 0.62), (0.060, 0.50, 1.00)),
    "night": ((0.640, 0.72, 0.20), (0.630, 0.52, 0.44)),
}
_DIM = {"day": 1.0, "sunset": 0.90, "night": 0.62}

HSV = tuple[float, float, float]


def gradient(name: str, top: HSV, bottom: HSV, dim: float = 1.0) -> str:
    """A vertical gradient definition between two colours in HSV."""
    first, last = (
        hex_of(top[0], top[1], top[2] * dim),
        hex_of(bottom[0], bottom[1], bottom[2] * dim),
    )
    return vertical(name, (0, first), (1, last))


def _cloud(x: float, y: float, size: float, time: str) -> str:
    fill = {"day": "#ffffff", "sunset": "#ffd9c4", "night": "#6a7598"}[time]
    lobes = ((-22, 0, 13), (-7, -8, 17), (12, -5, 15), (26, 1, 11))
    puffs = "".join(circle(x + a * size, y + b * size, r * size, fill) for a, b, r in lobes)
    return part("cloud", puffs + rect(x - 34 * size, y, 70 * size, 12 * size, fill, r=6 * size))


def _sky(horizon: float, time: str, rng: np.random.Generator) -> tuple[str, str]:
    top, bottom = _SKIES[time]
    hue = float(rng.uniform(-0.015, 0.015))
    text = part("sky", rect(0, 0, CANVAS, horizon + 30, "url(#sky)"))
    x, y = float(rng.uniform(30, 290)), float(rng.uniform(22, 46))
    if time == "night":
        stars = "".join(
            circle(
                float(rng.uniform(0, CANVAS)),
                float(rng.uniform(0, horizon - 20)),
                float(rng.uniform(0.5, 1.3)),
                "#fdf6d8",
            )
            for _ in range(36)
        )
        moon = (
            circle(x, y, 15, "#f6efcf")
            + circle(x + 5, y - 3, 3, "#ddd3a8")
            + circle(x - 5, y + 5, 2.2, "#ddd3a8")
        )
        text += stars + circle(x, y, 25, "#f6efcf", alpha=0.14) + part("moon", moon)
    elif time == "sunset" or rng.uniform() < 0.4:
        y = horizon - 10 if time == "sunset" else y
        fill = "#ffcf6b" if time == "sunset" else "#ffe27a"
        text += (
            circle(x, y, 32, fill, alpha=0.22)
            + circle(x, y, 24, fill, alpha=0.3)
            + part("sun", circle(x, y, 16, fill))
        )
    for _ in range(int(rng.integers(0, 4))):
        text += _cloud(
            float(rng.uniform(20, 300)),
            float(rng.uniform(24, horizon - 50)),
            float(rng.uniform(0.6, 1.15)),
            time,
        )
    return text, gradient("sky", (top[0] + hue, top[1], top[2]), bottom)


def _ridge(base: float, height: float, fill: str, rng: np.random.Generator, sharp: bool) -> str:
    d, x = f"M-10 {base + 30:.4g} L-10 {base:.4g}", -10.0
    while x < CANVAS + 10:
        step = float(rng.uniform(50, 95))
        peak = base - height * float(rng.uniform(0.5, 1.0))
        d += (
            f" L{x + step / 2:.4g} {peak:.4g} L{x + step:.4g} {base:.4g}"
            if sharp
            else f" Q{x + step / 2:.4g} {2 * peak - base:.4g} {x + step:.4g} {base:.4g}"
        )
        x += step
    return part("mountain", path(d + f" L{x:.4g} {base + 30:.4g}Z", fill))


def _tufts(top: float, count: int, stroke: str, rng: np.random.Generator) -> str:
    d = ""
    for _ in range(count):
        x, y = float(rng.uniform(4, 316)), float(rng.uniform(top + 10, 316))
        d += f"M{x:.4g} {y:.4g}l-3 -6M{x:.4g} {y:.4g}l0 -8M{x:.4g} {y:.4g}l3 -6"
    return line(d, stroke, 1.4)


def _ripples(top: float, bottom: float, count: int, stroke: str, rng: np.random.Generator) -> str:
    d = ""
    for _ in range(count):
        y = float(rng.uniform(top + 6, bottom - 4))
        w = 5 + 16 * (y - top) / (bottom - top)
        d += f"M{float(rng.uniform(0, 305)):.4g} {y:.4g}q{w / 2:.3g} -3 {w:.3g} 0"
    return line(d, stroke, 1.5, 0.6)


def _meadow(setting: Setting, time: str, dim: float, rng: np.random.Generator) -> tuple[str, str]:
    h = setting.horizon
    hue = float(rng.uniform(0.25, 0.31))
    text = _ridge(h + 4, 34, hex_of(hue + 0.1, 0.32, 0.70 * dim), rng, sharp=rng.uniform() < 0.4)
    ground = path(
        f"M0 {h + 8:.4g} Q80 {h - 10:.4g} 170 {h + 4:.4g} T320 {h:.4g} L320 320 L0 320Z",
        "url(#ground)",
    )
    ground += _tufts(h, 26, hex_of(hue + 0.03, 0.66, 0.50 * dim), rng)
    text += part("grass", ground)
    blooms = "".join(
        circle(
            float(rng.uniform(5, 315)),
            float(rng.uniform(h + 24, 315)),
            1.7,
            str(rng.choice(["#fff3c4", "#fbe3ee", "#ffffff"])),
        )
        for _ in range(14)
    )
    return text + blooms, gradient("ground", (hue, 0.50, 0.80), (hue + 0.02, 0.62, 0.56), dim)


def _street(setting: Setting, time: str, dim: float, rng: np.random.Generator) -> tuple[str, str]:
    h, x, text = setting.horizon, -6.0, ""
    lit = "#ffdf8a" if time == "night" else "#dcebf2"
    while x < CANVAS:
        w, tall = float(rng.uniform(44, 76)), float(rng.uniform(58, 112))
        wall = hex_of(
            float(rng.uniform(0, 1)),
            float(rng.uniform(0.10, 0.24)),
            float(rng.uniform(0.66, 0.84)) * dim,
        )
        panes = ""
        for row in range(int((tall - 22) // 18)):
            for column in range(int((w - 10) // 15)):
                pane = lit if rng.uniform() < (0.55 if time == "night" else 1.0) else "#394257"
                panes += rect(x + 7 + 15 * column, h - tall + 10 + 18 * row, 9, 11, pane, r=1)
        text += part(
            "building",
            rect(x, h - tall, w, tall + 8, wall)
            + rect(x - 1.5, h - tall, w + 3, 5, hex_of(0.08, 0.14, 0.55 * dim))
            + panes,
        )
        x += w + float(rng.uniform(0, 5))
    text += part(
        "sidewalk",
        rect(0, h, CANVAS, 22, hex_of(0.1, 0.06, 0.78 * dim))
        + line(
            "".join(f"M{20 + 40 * k} {h} l-6 22" for k in range(9)),
            hex_of(0.1, 0.06, 0.62 * dim),
            1.2,
        ),
    )
    road = rect(0, h + 22, CANVAS, 320 - h - 22, "url(#ground)") + rect(
        0, h + 20, CANVAS, 5, hex_of(0.1, 0.04, 0.60 * dim)
    )
    shift = float(rng.uniform(0, 60))
    road += "".join(
        rect(-60 + shift + 76 * k, 246, 44, 5, hex_of(0.13, 0.28, 0.95 * dim), r=1)
        for k in range(6)
    )
    return text + part("road", road), gradient(
        "ground", (0.62, 0.06, 0.46), (0.62, 0.08, 0.34), dim
    )


def _beach(setting: Setting, time: str, dim: float, rng: np.random.Generator) -> tuple[str, str]:
    h = setting.horizon
    shore = 184 + float(rng.uniform(-3, 3))
    sea = rect(0, h, CANVAS, 90, "url(#water)") + _ripples(h, shore, 16, "#e6f6fb", rng)
    edge = f"M0 {shore:.4g} q40 -9 80 0 t80 0 t80 0 t80 0"
    sand = path(edge + " L320 320 L0 320Z", "url(#ground)")
    dots = "".join(
        circle(
            float(rng.uniform(3, 317)),
            float(rng.uniform(shore + 12, 317)),
            float(rng.uniform(0.7, 1.5)),
            hex_of(0.09, 0.42, 0.72 * dim),
        )
        for _ in range(40)
    )
    text = part("sea", sea) + part("sand", sand + dots) + line(edge, "#ffffff", 5, 0.75)
    return text, gradient("water", (0.53, 0.55, 0.82), (0.50, 0.42, 0.88), dim) + gradient(
        "ground", (0.118, 0.28, 0.97), (0.10, 0.38, 0.86), dim
    )


def _lake(setting: Setting, time: str, dim: float, rng: np.random.Generator) -> tuple[str, str]:
    h = setting.horizon
    text = _ridge(h + 3, 46, hex_of(0.44, 0.28, 0.60 * dim), rng, sharp=True) + _ridge(
        h + 4, 22, hex_of(0.36, 0.36, 0.52 * dim), rng, sharp=False
    )
    text += part(
        "water", rect(0, h, CANVAS, 150, "url(#water)") + _ripples(h, 256, 30, "#e3f4fb", rng)
    )
    bank = f"M0 {260 + float(rng.uniform(-4, 4)):.4g} Q90 248 180 262 T320 256 L320 320 L0 320Z"
    text += part(
        "grass", path(bank, "url(#ground)") + _tufts(258, 16, hex_of(0.30, 0.62, 0.44 * dim), rng)
    )
    return text, gradient("water", (0.55, 0.42, 0.86), (0.58, 0.66, 0.66), dim) + gradient(
        "ground", (0.28, 0.48, 0.72), (0.29, 0.58, 0.52), dim
    )


def _snow(setting: Setting, time: str, dim: float, rng: np.random.Generator) -> tuple[str, str]:
    h, dim = setting.horizon, max(dim, 0.72)
    text = _ridge(h + 2, 60, hex_of(0.60, 0.16, 0.80 * dim), rng, sharp=True) + _ridge(
        h + 4, 24, hex_of(0.58, 0.09, 0.90 * dim), rng, sharp=False
    )
    text += part(
        "snow",
        path(
            f"M0 {h + 6:.4g} Q100 {h - 8:.4g} 190 {h + 6:.4g} T320 {h:.4g} L320 320 L0 320Z",
            "url(#ground)",
        )
        + line(
            "".join(
                f"M{rng.uniform(0, 280):.4g} {rng.uniform(h + 20, 312):.4g}q14 -6 30 0"
                for _ in range(9)
            ),
            hex_of(0.60, 0.14, 0.86 * dim),
            1.8,
        ),
    )
    flakes = "".join(
        circle(
            float(rng.uniform(0, 320)),
            float(rng.uniform(0, 320)),
            float(rng.uniform(0.9, 2.1)),
            "#ffffff",
            alpha=0.85,
        )
        for _ in range(34)
    )
    return text + flakes, gradient("ground", (0.58, 0.03, 0.99), (0.60, 0.12, 0.88), dim)


def _desert(setting: Setting, time: str, dim: float, rng: np.random.Generator) -> tuple[str, str]:
    h = setting.horizon
    text = _ridge(h + 6, 30, hex_of(0.06, 0.44, 0.76 * dim), rng, sharp=False)
    sand = path(
        f"M0 {h + 4:.4g} Q70 {h - 14:.4g} 150 {h + 6:.4g} T320 {h:.4g} L320 320 L0 320Z",
        "url(#ground)",
    )
    sand += line(
        "".join(
            f"M{float(rng.uniform(0, 260)):.4g} {float(rng.uniform(h + 22, 314)):.4g}q24 -9 52 0"
            for _ in range(9)
        ),
        hex_of(0.075, 0.52, 0.78 * dim),
        1.6,
        0.7,
    )
    text += part("sand", sand)
    for _ in range(int(rng.integers(1, 4))):
        x, y, s = (
            float(rng.uniform(16, 304)),
            h + float(rng.uniform(8, 24)),
            float(rng.uniform(0.7, 1.1)),
        )
        green, dark = hex_of(0.38, 0.46, 0.50 * dim), hex_of(0.39, 0.52, 0.34 * dim)
        arms = (
            f"M{x:.4g} {y:.4g}v{-44 * s:.3g}"
            f"M{x:.4g} {y - 18 * s:.4g}h{-11 * s:.3g}v{-13 * s:.3g}"
            f"M{x:.4g} {y - 12 * s:.4g}h{11 * s:.3g}v{-16 * s:.3g}"
        )
        text += part("cactus", line(arms, dark, 9.5 * s) + line(arms, green, 7 * s))
    return text, gradient("ground", (0.105, 0.46, 0.96), (0.075, 0.58, 0.82), dim)


_GROUNDS = {
    "meadow": _meadow,
    "street": _street,
    "beach": _beach,
    "lake": _lake,
    "snow": _snow,
    "desert": _desert,
}


def outdoor_backdrop(setting: Setting, time: str, rng: np.random.Generator) -> tuple[str, str]:
    """(SVG text, gradient definitions) of an outdoor setting at a time of day."""
    sky, sky_defs = _sky(setting.horizon, time, rng)
    ground, ground_defs = _GROUNDS[setting.name](
        setting, time, _DIM[time] * float(rng.uniform(0.97, 1.03)), rng
    )
    return sky + ground, sky_defs + ground_defs
