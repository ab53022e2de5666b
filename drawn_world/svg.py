"""SVG fragments: the few shapes that every sprite and backdrop is made of.

Coordinates are in the fragment's own units, x to the right and y downwards. A fragment is plain SVG
text; `part` marks a piece that is annotated on its own (a wheel, the sky).
"""

from __future__ import annotations

__all__ = ["circle", "ellipse", "group", "line", "part", "path", "polygon", "rect", "vertical"]


def _paint(fill: str, stroke: str | None, width: float, alpha: float) -> str:
    text = f' fill="{fill}"'
    if stroke is not None:
        text += f' stroke="{stroke}" stroke-width="{width:g}"'
    if alpha < 1.0:
        text += f' opacity="{alpha:.3g}"'
    return text


def path(
    d: str, fill: str = "none", stroke: str | None = None, width: float = 1.6, alpha: float = 1.0
) -> str:
    """A path from SVG path data, with round joins and caps (set on the root)."""
    return f'<path d="{d}"{_paint(fill, stroke, width, alpha)}/>'


def polygon(
    points: str, fill: str, stroke: str | None = None, width: float = 1.6, alpha: float = 1.0
) -> str:
    """A closed polygon from `"x,y x,y ..."`."""
    return f'<polygon points="{points}"{_paint(fill, stroke, width, alpha)}/>'


def ellipse(
    cx: float,
    cy: float,
    rx: float,
    ry: float,
    fill: str,
    stroke: str | None = None,
    width: float = 1.6,
    alpha: float = 1.0,
) -> str:
    """An ellipse with centre (cx, cy) and radii rx, ry."""
    return f'<ellipse cx="{cx:.4g}" cy="{cy:.4g}" rx="{rx:.4g}" ry="{ry:.4g}"{_paint(fill, stroke, width, alpha)}/>'


def circle(
    cx: float,
    cy: float,
    r: float,
    fill: str,
    stroke: str | None = None,
    width: float = 1.6,
    alpha: float = 1.0,
) -> str:
    """A circle with centre (cx, cy) and radius r."""
    return ellipse(cx, cy, r, r, fill, stroke, width, alpha)


def rect(
    x: float,
    y: float,
    w: float,
    h: float,
    fill: str,
    stroke: str | None = None,
    width: float = 1.6,
    r: float = 0.0,
    alpha: float = 1.0,
) -> str:
    """A rectangle with corner (x, y), size w by h and corner radius r."""
    corner = f' rx="{r:g}"' if r else ""
    return f'<rect x="{x:.4g}" y="{y:.4g}" width="{w:.4g}" height="{h:.4g}"{corner}{_paint(fill, stroke, width, alpha)}/>'


def line(d: str, stroke: str, width: float = 1.6, alpha: float = 1.0) -> str:
    """An open stroke along SVG path data."""
    return path(d, "none", stroke, width, alpha)


def group(inner: str, transform: str) -> str:
    """`inner` under an SVG transform."""
    return f'<g transform="{transform}">{inner}</g>'


def vertical(name: str, *stops: tuple[float, str]) -> str:
    """The definition of a vertical gradient from (offset in [0, 1], colour) stops."""
    text = "".join(f'<stop offset="{at:g}" stop-color="{colour}"/>' for at, colour in stops)
    return f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">{text}</linearGradient>'


def part(name: str, inner: str) -> str:
    """Mark `inner` as the named, separately annotated part (see `parts.PARTS`)."""
    return f"<!--part {name}-->{inner}<!--/part-->"
