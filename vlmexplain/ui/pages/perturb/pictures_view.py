"""The two pictures a caption is compared with."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ui.pages.perturb.strips import said_of
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.html import Html, safe_link, tag
from vlmexplain.ui.shared.media import media_address

TITLES = ("Ground truth", "Retrieved")


def pictures_view(gallery: Gallery, images: Sequence[int], notes: Sequence[str]) -> Html:
    """The pictures side by side, each with its title, a note, and its file and licence."""
    return tag(
        "div",
        tag(
            "div",
            [
                _figure(gallery, image, title, note)
                for image, title, note in zip(images, TITLES, notes, strict=False)
            ],
            class_="pair",
        ),
        class_="vx",
    )


def picture_address(gallery: Gallery, image: int) -> str:
    """Where the browser finds a picture.

    Raises:
        PictureError, GalleryError: the picture cannot be read.
    """
    about = gallery.image(image)
    content, mime = caches.picture(gallery, str(gallery.images_folder), about.content_sha256, image)
    return media_address(content, mime, f"picture-{image}")


def _figure(gallery: Gallery, image: int, title: str, note: str) -> Html:
    about = gallery.image(image)
    credit: list[object] = [about.file_name]
    if about.licence or about.licence_url:
        href = safe_link(about.licence_url)
        name = about.licence or "licence"
        credit += [" · ", tag("a", name, href=href, target="_blank", rel="noopener noreferrer")
                   if href else name]  # fmt: skip
    source = safe_link(about.source_url or about.coco_url)
    if source:
        credit += [
            " · ",
            tag("a", "source", href=source, target="_blank", rel="noopener noreferrer"),
        ]
    return tag(
        "figure",
        tag("div", tag("b", title), tag("span", note, class_="quiet small"), class_="title"),
        tag(
            "img",
            src=picture_address(gallery, image),
            alt=f"{title}: {said_of(gallery, image)}",
            width=about.width_px,
            height=about.height_px,
        ),
        tag("figcaption", credit, class_="quiet small"),
        style=f"--ratio:{about.width_px / about.height_px:.4f}",
    )
