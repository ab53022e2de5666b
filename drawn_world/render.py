"""From a scene to SVG text, pixels, and an id buffer that says which pixel belongs to what."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from drawn_world.backdrop import outdoor_backdrop
from drawn_world.categories import CATEGORIES, CATEGORY_INDEX
from drawn_world.colours import make_ink
from drawn_world.rooms import indoor_backdrop
from drawn_world.scene import Item, Scene
from drawn_world.settings import CANVAS, SETTING_INDEX, SETTINGS
from drawn_world.svg import ellipse, group
from vlmexplain.errors import MissingPackage

__all__ = ["Layer", "id_buffer", "layers", "pixels", "scene_svg"]

_SHADOW = (
    '<radialGradient id="shadow"><stop offset="0" stop-color="#10131c" stop-opacity=".46"/>'
    '<stop offset=".6" stop-color="#10131c" stop-opacity=".26"/>'
    '<stop offset="1" stop-color="#10131c" stop-opacity="0"/></radialGradient>'
)
_PART = re.compile(r"<!--part ([a-z ]+)-->(.*?)<!--/part-->", re.DOTALL)
_PAINT = re.compile(r'(fill|stroke)="(?!none)[^"]*"')
_OPACITY = re.compile(r' opacity="[^"]*"')


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing to paint. `item` is the row in `Scene.items`, or None for the backdrop."""

    item: int | None
    svg: str
    definitions: str
    shadow: str


def _item_layer(row: int, item: Item, scene: Scene) -> Layer:
    chosen = scene.groups[item.group]
    category = CATEGORIES[CATEGORY_INDEX[chosen.category]]
    ink, definition = make_ink(chosen.colour, f"ink{row}", np.random.default_rng(item.seed))
    mirror = -item.scale if item.flipped else item.scale
    svg = group(
        category.draw(ink), f"translate({item.x:g} {item.y:g}) scale({mirror:g} {item.scale:g})"
    )
    shadow = ""
    if item.place not in ("air", "wall"):
        half = (category.left + category.right) / 2 * item.scale
        middle = item.x + (category.right - category.left) / 2 * mirror
        shadow = ellipse(middle, item.y - 0.5, half * 1.12, max(3.0, half * 0.17), "url(#shadow)")
    return Layer(row, svg, definition, shadow)


def layers(scene: Scene) -> list[Layer]:
    """Everything to paint, far to near: the backdrop first."""
    setting = SETTINGS[SETTING_INDEX[scene.setting]]
    rng = np.random.default_rng([scene.seed[0], scene.seed[1], 7])
    text, definitions = (
        indoor_backdrop(setting, rng)
        if setting.indoor
        else outdoor_backdrop(setting, scene.time, rng)
    )
    return [
        Layer(None, text, definitions, ""),
        *(_item_layer(row, item, scene) for row, item in enumerate(scene.items)),
    ]


def _document(definitions: str, body: str, crisp: bool = False) -> str:
    crispness = ' shape-rendering="crispEdges"' if crisp else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CANVAS:g} {CANVAS:g}" '
        f'width="{CANVAS:g}" height="{CANVAS:g}">'
        f"<defs>{definitions}</defs>"
        f'<g stroke-linejoin="round" stroke-linecap="round"{crispness}>{body}</g></svg>'
    )


def scene_svg(scene: Scene) -> str:
    """The scene as a standalone SVG document."""
    stack = layers(scene)
    return _document(
        _SHADOW + "".join(layer.definitions for layer in stack),
        "".join(layer.shadow + layer.svg for layer in stack),
    )


def _rasterise(svg: str, size_px: int) -> NDArray[np.uint8]:
    try:
        import resvg_py
    except ImportError as error:
        raise MissingPackage(
            "drawing scenes needs the package resvg-py; the shipped gallery does not.",
            remedy="Install it: pip install resvg-py",
        ) from error
    png = bytes(
        resvg_py.svg_to_bytes(svg_string=svg, width=size_px, height=size_px, skip_system_fonts=True)
    )
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def pixels(scene: Scene, size_px: int = 320) -> NDArray[np.uint8]:
    """The scene as an image.

    Returns:
        RGB, shape (size_px, size_px, 3), uint8.
    """
    return _rasterise(scene_svg(scene), size_px)


def _flat(svg: str, number: int) -> str:
    return _OPACITY.sub("", _PAINT.sub(rf'\1="#{number:06x}"', svg))


def id_buffer(
    scene: Scene, size_px: int = 320
) -> tuple[NDArray[np.int32], list[tuple[int | None, str | None]]]:
    """Which pixel shows what.

    Returns:
        ids: shape (size_px, size_px), int32, rows into `names`.
        names: (item row or None for the backdrop, part name or None for the thing's own pixels).
    """
    names: list[tuple[int | None, str | None]] = []
    body = ""
    for layer in layers(scene):
        own = len(names)
        names.append((layer.item, None))
        position, text = 0, ""
        for match in _PART.finditer(layer.svg):
            text += _flat(layer.svg[position : match.start()], own)
            text += _flat(match.group(2), len(names))
            names.append((layer.item, match.group(1)))
            position = match.end()
        body += text + _flat(layer.svg[position:], own)
    rgb = _rasterise(_document("", body, crisp=True), size_px).astype(np.int32)
    return (rgb[..., 0] << 16) | (rgb[..., 1] << 8) | rgb[..., 2], names
