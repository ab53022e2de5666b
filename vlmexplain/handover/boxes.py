"""A picture with its boxes drawn over it, as SVG in the page."""

from __future__ import annotations

from vlmexplain.handover.failures import HandedImage
from vlmexplain.records import BoxXYWH, ImageAnnotations, Instance
from vlmexplain.wording.markup import Html, safe_link, tag
from vlmexplain.wording.palette import ON_PHOTO, ROLE_MARK
from vlmexplain.wording.words import Role, short_name

DASH = {"common": None, "missed": "9 5", "extra": "2 4"}
LABEL_SHARE = 0.03
"""Height of a label as a share of the picture's longer side."""

Spot = tuple[float, float, float, float]


def picture(image: HandedImage, annotations: ImageAnnotations, roles: dict[str, Role],
            title: str, note: str) -> Html:  # fmt: skip
    """The picture, its boxes and labels, and where it comes from."""
    width, height = annotations.width_px, annotations.height_px
    shown = (
        tag("img", src=image.src, alt=f"{title}: {image.caption or image.file_name}")
        if image.src
        else tag("p", f"The picture cannot be shown: {image.problem}", class_="gone")
    )
    return tag(
        "figure",
        tag("h3", title, " ", tag("span", note, class_="quiet")),
        tag(
            "div",
            shown,
            _overlay(annotations, roles),
            class_="stage",
            style=f"aspect-ratio:{width}/{height}",
        ),
        tag("figcaption", _credit(image)),
        style=f"--ratio:{width / height:.4f}",
    )


def _overlay(annotations: ImageAnnotations, roles: dict[str, Role]) -> Html:
    width, height = annotations.width_px, annotations.height_px
    size = LABEL_SHARE * max(width, height)
    boxed = [
        (instance, instance.box_xywh_px)
        for instance in annotations.instances
        if instance.synset in roles and instance.box_xywh_px and min(instance.box_xywh_px[2:]) > 0
    ]
    boxed.sort(key=lambda each: -each[1][2] * each[1][3])
    taken: list[Spot] = []
    return tag(
        "svg",
        [_box(box, roles[i.synset]) for i, box in boxed if i.synset],
        [_label(i, box, roles[i.synset], size, taken, (width, height)) for i, box in boxed
         if i.synset],
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=f"{len(boxed)} boxes",
    )  # fmt: skip


def _box(box: BoxXYWH, role: Role) -> Html:
    x, y, w, h = (round(number, 1) for number in box)
    place = {"x": x, "y": y, "width": w, "height": h, "fill": "none",
             "vector-effect": "non-scaling-stroke"}  # fmt: skip
    return tag(
        "g",
        tag("rect", **place, stroke="#000", stroke_opacity="0.6", stroke_width=4),
        tag("rect", **place, stroke=ON_PHOTO[role], stroke_width=2, stroke_dasharray=DASH[role]),
    )


def _label(
    instance: Instance, box: BoxXYWH, role: Role, size: float, taken: list[Spot],
    frame: tuple[int, int],
) -> Html | None:  # fmt: skip
    """The name at the first free corner; none when every corner is taken."""
    name = instance.name or short_name(instance.synset or "")
    text = f"{ROLE_MARK[role]} {name}{' (crowd)' if instance.crowd else ''}"[:40]
    w, h = size * (0.55 * len(text) + 0.5), size * 1.25
    x, y = box[0], box[1]
    for left, top in ((x, y - h), (x, y), (x + box[2] - w, y), (x, y + box[3] - h)):
        left = min(max(left, 0.0), max(frame[0] - w, 0.0))
        top = min(max(top, 0.0), max(frame[1] - h, 0.0))
        clash = any(
            left < tx + tw and tx < left + w and top < ty + th and ty < top + h
            for tx, ty, tw, th in taken
        )
        if not clash:
            taken.append((left, top, w, h))
            return tag(
                "g",
                tag("rect", x=round(left, 1), y=round(top, 1), width=round(w, 1),
                    height=round(h, 1), rx=round(size / 6, 1), fill=ON_PHOTO[role]),
                tag("text", text, x=round(left + size / 4, 1), y=round(top + size * 0.95, 1),
                    font_size=round(size, 1), fill="#000", textLength=round(w - size / 2, 1),
                    lengthAdjust="spacingAndGlyphs"),
            )  # fmt: skip
    return None


def _credit(image: HandedImage) -> list[object]:
    parts: list[object] = [f"{image.file_name} (image {image.image_id})"]
    licence = image.licence or ("licence" if image.licence_url else "licence not known")
    for text, link in ((licence, image.licence_url), ("source", image.source_url)):
        href = safe_link(link)
        if href:
            parts.append(tag("a", text, " ", tag("span", href, class_="address"), href=href,
                             rel="noopener noreferrer"))  # fmt: skip
        elif text != "source":
            parts.append(text)
    return [piece for n, part in enumerate(parts) for piece in ((" · ", part) if n else (part,))]
