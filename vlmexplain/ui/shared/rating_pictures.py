"""An item's pictures as the rater's component draws them: no captions, no scores, no models."""

from __future__ import annotations

from typing import Any

from vlmexplain.datasets.gallery import Gallery, GalleryImage, list_galleries
from vlmexplain.errors import GalleryError, VlmexplainError
from vlmexplain.records import Instance
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.html import safe_link
from vlmexplain.ui.shared.media import media_address
from vlmexplain.ui.shared.words import short_name


def session_gallery(gallery_id: str | None) -> Gallery:
    """The gallery that holds a session's pictures.

    Raises:
        GalleryError: the session names none, or it is not on this server.
    """
    known = {g.id: g for g in list_galleries()} if gallery_id else {}
    manifest = known.get(gallery_id or "")
    if manifest is None:
        raise GalleryError(
            "the pictures of this session are not on this server.",
            where=f"gallery {gallery_id}" if gallery_id else None,
            remedy="Tell the organiser; what you have answered is kept.",
        )
    opened: Gallery = caches.gallery(manifest.id, manifest.images_folder, manifest.name)
    return opened


def rater_picture(gallery: Gallery, index: int, spot: str, title: str, boxes: bool) -> Any:
    """One picture; one that cannot be shown carries the reason instead of an address."""
    try:
        image = gallery.image(index)
        shown = gallery.annotations(index).instances if boxes else ()
        return {
            "title": title,
            "src": _address(gallery, image, spot),
            "width": image.width_px,
            "height": image.height_px,
            "boxes": [_box(instance) for instance in shown if _drawable(instance)],
            "credit": _credit(image),
        }
    except VlmexplainError as error:
        return {
            "title": title,
            "src": "",
            "width": 4,
            "height": 3,
            "boxes": [],
            "credit": [],
            "problem": f"This picture cannot be shown: {error.message}",
        }


def preload_addresses(gallery: Gallery, indices: tuple[int, ...]) -> list[str]:
    """Where the browser finds the pictures that most likely come next."""
    found = []
    for place, index in enumerate(indices):
        try:
            found.append(_address(gallery, gallery.image(index), f"rate-next-{place}"))
        except VlmexplainError:
            continue  # said when its turn has come
    return found


def _address(gallery: Gallery, image: GalleryImage, spot: str) -> str:
    content, mime = caches.picture(
        gallery, str(gallery.images_folder), image.content_sha256, image.index
    )
    return media_address(content, mime, spot)


def _drawable(instance: Instance) -> bool:
    box = instance.box_xywh_px
    return box is not None and box[2] > 0 and box[3] > 0


def _box(instance: Instance) -> dict[str, Any]:
    assert instance.box_xywh_px is not None
    name = instance.name or (short_name(instance.synset) if instance.synset else "")
    return {
        "xywh": [round(number, 2) for number in instance.box_xywh_px],
        "name": f"{name} (crowd)" if instance.crowd else name,
    }


def _credit(image: GalleryImage) -> list[dict[str, str | None]]:
    parts: list[dict[str, str | None]] = []
    if image.licence or image.licence_url:
        link = safe_link(image.licence_url) if image.licence_url else None
        parts.append({"text": image.licence or "licence", "href": link})
    source = image.source_url or image.coco_url
    if source:
        parts.append({"text": "source", "href": safe_link(source)})
    return parts
