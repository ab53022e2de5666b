"""A drawing made from boxes alone, for the worked example, which has no photos."""

from __future__ import annotations

from vlmexplain.records import BoxXYWH, ImageAnnotations
from vlmexplain.ui.shared.html import Html, join, tag

GROUNDS = {
    "sky": "#cfe3f3",
    "hill": "#a9bd8f",
    "grassland": "#dccf9a",
    "field": "#c5cf86",
    "grass": "#a3bb66",
}
ROUND = {"tree": "#5d8a4c", "leaf": "#3f6e36"}
PLAIN = {"trunk": "#7a5a3c", "branch": "#8a6845"}
ON_ZEBRA = {"mane", "head", "leg"}  # parts that the zebra's own drawing shows


def draw_schematic(annotations: ImageAnnotations) -> bytes:
    """An SVG drawing of the annotated things, each within its box, large ones first."""
    width, height = annotations.width_px, annotations.height_px
    things = [
        (instance.name, instance.box_xywh_px)
        for instance in annotations.instances
        if instance.box_xywh_px is not None
    ]
    # ground first, then what stands on it from back (higher foot) to front
    things.sort(key=lambda t: (t[0] not in GROUNDS, t[1][1] if t[0] in GROUNDS else _foot(t)))
    drawing = tag(
        "svg",
        tag("defs", _stripes()),
        tag("rect", width=width, height=height, fill="#e6ebe0"),
        [_thing(name, box) for name, box in things],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
    )
    return drawing.encode()


def _foot(thing: tuple[str, BoxXYWH]) -> tuple[bool, float]:
    name, (_, y, _, h) = thing
    return (name == "leaf", y + h) if name != "trunk" else (False, 0.0)


def _stripes() -> Html:
    return tag(
        "pattern",
        tag("rect", width=13, height=13, fill="#fbfaf6"),
        tag("path", d="M0 0 Q4 6 1 13 L6 13 Q9 6 5 0 Z", fill="#23252b"),
        id="stripes",
        width=13,
        height=13,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(14)",
    )


def _thing(name: str, box: BoxXYWH) -> Html | None:
    x, y, w, h = box
    if name in ON_ZEBRA:
        return None
    if name == "zebra":
        return _zebra(x, y, w, h)
    if name == "hill":
        d = f"M{x} {y + h} Q{x + 0.3 * w} {y - 0.55 * h} {x + 0.62 * w} {y + 0.45 * h} "
        d += f"Q{x + 0.8 * w} {y + 0.05 * h} {x + w} {y + h} Z"
        return tag("path", d=d, fill=GROUNDS["hill"])
    if name in ROUND:
        return tag(
            "ellipse", cx=x + w / 2, cy=y + 0.38 * h, rx=w / 2, ry=0.38 * h, fill=ROUND[name]
        )
    return tag(
        "rect", x=x, y=y, width=w, height=h, fill=GROUNDS.get(name) or PLAIN.get(name, "#bbb")
    )


def _zebra(x: float, y: float, w: float, h: float) -> Html:
    """A zebra facing left that fills its box."""

    def point(u: float, v: float) -> str:
        return f"{x + u * w:.1f} {y + v * h:.1f}"

    body = (
        f"M{point(0.02, 0.2)} L{point(0.16, 0.03)} L{point(0.2, 0)} L{point(0.25, 0.06)} "
        f"Q{point(0.36, 0.2)} {point(0.46, 0.3)} Q{point(0.72, 0.24)} {point(0.88, 0.3)} "
        f"Q{point(0.97, 0.36)} {point(0.97, 0.62)} L{point(0.97, 1)} L{point(0.9, 1)} "
        f"L{point(0.88, 0.7)} L{point(0.82, 0.68)} L{point(0.8, 1)} L{point(0.73, 1)} "
        f"L{point(0.72, 0.68)} L{point(0.46, 0.68)} L{point(0.45, 1)} L{point(0.38, 1)} "
        f"L{point(0.36, 0.66)} L{point(0.31, 0.62)} L{point(0.29, 1)} L{point(0.22, 1)} "
        f"L{point(0.23, 0.5)} Q{point(0.2, 0.36)} {point(0.17, 0.28)} L{point(0.06, 0.3)} "
        f"Q{point(0, 0.28)} {point(0.02, 0.2)} Z"
    )
    mane = (
        f"M{point(0.2, 0)} Q{point(0.36, 0.12)} {point(0.46, 0.3)} "
        f"L{point(0.38, 0.3)} Q{point(0.3, 0.16)} {point(0.2, 0)} Z"
    )
    return join(
        tag("path", d=body, fill="url(#stripes)", stroke="#23252b", stroke_width=2),
        tag("path", d=mane, fill="#23252b"),
        tag("circle", cx=x + 0.14 * w, cy=y + 0.13 * h, r=max(1.5, 0.013 * w), fill="#23252b"),
    )
