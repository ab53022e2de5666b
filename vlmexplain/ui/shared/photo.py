"""A picture with its boxes in plain HTML, for pages that show several failures at once."""

from __future__ import annotations

from collections import Counter

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.records import ImageAnnotations, Instance
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.html import Html, safe_link, tag
from vlmexplain.ui.shared.media import media_address
from vlmexplain.ui.shared.theme import ROLE_MARK
from vlmexplain.ui.shared.words import Role, short_name

LABELLED = 8
"""So many boxes carry their name."""


def photo(
    gallery: Gallery, image_index: int, annotations: ImageAnnotations, roles: dict[str, Role],
    title: str, note: str, spot: str,
) -> Html:  # fmt: skip
    """The picture, its boxes by role, and where it comes from.

    Args:
        spot: where on the page it stands; a later picture there replaces it.
    """
    image = gallery.image(image_index)
    try:
        content, mime = caches.picture(
            gallery, str(gallery.images_folder), image.content_sha256, image_index
        )
        captions = gallery.captions_of(image_index)
        said = captions[0].text if captions else f"image {image.image_id}"
        shown = tag("img", src=media_address(content, mime, spot), alt=f"{title}: {said}")
    except VlmexplainError as error:
        shown = tag("p", error.message, class_="gone")
    source = safe_link(image.source_url or image.coco_url)
    credit = [
        image.file_name,
        [" · ", image.licence] if image.licence else None,
        [" · ", tag("a", "source", href=source, target="_blank", rel="noopener noreferrer")]
        if source
        else None,
    ]
    return tag(
        "div",
        tag("figure",
            tag("h3", title, " ", tag("span", note)),
            tag("div", shown, _boxes(annotations, roles), class_="stage",
                style=f"aspect-ratio:{annotations.width_px}/{annotations.height_px}"),
            tag("figcaption", credit),
            style=f"--ratio:{annotations.width_px / annotations.height_px:.4f}"),
        class_="vx handed",
    )  # fmt: skip


def _boxes(annotations: ImageAnnotations, roles: dict[str, Role]) -> list[Html]:
    boxed = [
        (instance, instance.box_xywh_px)
        for instance in annotations.instances
        if instance.synset in roles and instance.box_xywh_px and min(instance.box_xywh_px[2:]) > 0
    ]
    boxed.sort(key=lambda each: -each[1][2] * each[1][3])
    named = _named([instance.synset or "" for instance, _ in boxed], roles)
    found, taken = [], list[tuple[float, float]]()
    for n, (instance, (x, y, w, h)) in enumerate(boxed):
        role = roles[instance.synset or ""]
        across, down = 100 / annotations.width_px, 100 / annotations.height_px
        spot = x * across, y * down
        place = f"left:{spot[0]:.2f}%;top:{spot[1]:.2f}%;"
        place += f"width:{w * across:.2f}%;height:{h * down:.2f}%"
        low = n in named and any(abs(spot[0] - a) < 16 and abs(spot[1] - b) < 4 for a, b in taken)
        if n in named and not low:
            taken.append(spot)
        found.append(tag("div", _label(instance, role) if n in named else None,
                         class_=f"bx {role}{' low' if low else ''}", style=place))  # fmt: skip
    return found


def _named(synsets: list[str], roles: dict[str, Role]) -> set[int]:
    """Which boxes, of the largest first, carry their name.

    Each concept once before any twice; what one image lacks before what both show.

    >>> sorted(_named(["sky"] * 9 + ["bag"], {"sky": "common", "bag": "missed"}))
    [0, 1, 2, 3, 4, 5, 6, 9]
    """
    seen: Counter[str] = Counter()
    order = []
    for n, synset in enumerate(synsets):
        order.append((seen[synset], roles[synset] == "common", n))
        seen[synset] += 1
    return {n for _, _, n in sorted(order)[:LABELLED]}


def _label(instance: Instance, role: Role) -> Html:
    name = instance.name or short_name(instance.synset or "")
    return tag("span", f"{ROLE_MARK[role]} {name}{' (crowd)' if instance.crowd else ''}")
