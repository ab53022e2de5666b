"""Small images of a gallery, by address."""

from __future__ import annotations

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.media import media_address

SMALL_PX = 400


def thumbnail_address(gallery: Gallery, image: int) -> str:
    """Where the browser finds a small picture; "" when it cannot be read.

    A picture that is small already is sent as it is, which is far quicker than shrinking it.
    """
    about = gallery.image(image)
    folder, digest = str(gallery.images_folder), about.content_sha256
    try:
        if max(about.width_px, about.height_px) <= SMALL_PX:
            content, mime = caches.picture(gallery, folder, digest, image)
            return media_address(content, mime, f"thumb-{image}")
        small = caches.thumbnail(gallery, folder, digest, image)
    except VlmexplainError:
        return ""
    return media_address(small, "image/jpeg", f"thumb-{image}")
