"""The pictures of a gallery as tiles, and one of them with its boxes and captions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.handover.roles import roles_of
from vlmexplain.ui.pages.gallery.address import GALLERY
from vlmexplain.ui.shared.explore_address import query_link
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.photo import photo
from vlmexplain.ui.shared.scope import facts_of
from vlmexplain.ui.shared.thumbnails import thumbnail_address
from vlmexplain.ui.shared.words import short_name

TILES = 12


def draw_pictures(gallery: Gallery) -> None:
    """All pictures, or those that have the concept that the address names."""
    concept = GALLERY.now().gconcept
    concept = concept if concept in gallery.concepts else ""
    images: Sequence[int] = range(gallery.n_images)
    if concept:
        images = np.flatnonzero(facts_of(gallery, gallery.id).has(concept)).tolist()
        leave = GALLERY.here(gconcept="", at=0, gimage=None)
        st.html(tag("div", tag("span", f"with {short_name(concept)}", class_="pill slice"), " ",
                    tag("a", "Show all", href=leave), class_="vx scope"))  # fmt: skip
    draw_chosen(gallery)
    draw_tiles(gallery, images, "Pictures")


def draw_chosen(gallery: Gallery) -> None:
    """The picture that the address names, with its boxes, captions and concepts."""
    index = GALLERY.now().gimage
    if index is None or index >= gallery.n_images:
        return
    annotations = gallery.annotations(index)
    roles = roles_of(annotations, annotations)
    left, right = st.columns([3, 2], gap="large")
    about = gallery.image(index)
    left.html(photo(gallery, index, annotations, roles, f"Image {about.image_id}",
                    f"{about.width_px:,} × {about.height_px:,} px", "gallery-one"))  # fmt: skip
    captions = [
        tag("li", tag("a", caption.text,
                      href=query_link(gallery.id, "", caption.index)))
        for caption in gallery.captions_of(index)
    ]  # fmt: skip
    counts = Counter(each.synset for each in annotations.instances if each.synset)
    listed = ", ".join(f"{short_name(name)} ×{n}" for name, n in counts.most_common())
    close = GALLERY.here(gimage=None)
    right.html(
        tag("div", tag("h3", "Captions"), tag("ul", captions) if captions else tag("p", "none"),
            tag("h3", "Annotated concepts"), tag("p", listed or "none"),
            tag("p", tag("a", "Close", href=close)), class_="vx others gallery-chosen")
    )  # fmt: skip


def draw_tiles(gallery: Gallery, images: Sequence[int], title: str) -> None:
    """A page of tiles, each a link to its picture, and links to the pages beside it."""
    pages = max(1, -(-len(images) // TILES))
    at = min(GALLERY.now().at, pages - 1)
    shown = [int(image) for image in images[at * TILES : (at + 1) * TILES]]
    turns = [
        tag("a", label, href=GALLERY.here(at=to))
        for label, to, there in (("◂ previous", at - 1, at > 0), ("next ▸", at + 1, at + 1 < pages))
        if there
    ]
    first = at * TILES + 1
    range_said = f"{first:,}–{first + len(shown) - 1:,} of {len(images):,} " if shown else "none"
    st.html(
        tag(
            "div",
            tag("h2", title, style="margin:8px 0"),
            tag("ul", [_tile(gallery, image) for image in shown], class_="tiles"),
            tag("p", range_said, [(turn, " ") for turn in turns], class_="quiet small num"),
            class_="vx",
        )
    )


def _tile(gallery: Gallery, image: int) -> Html:
    about = gallery.image(image)
    captions = gallery.captions_of(image)
    said = captions[0].text if captions else "no caption"
    src = thumbnail_address(gallery, image)
    shown = (
        tag("img", src=src, alt="", loading="lazy")
        if src
        else tag("span", "cannot be read", class_="gone")
    )
    return tag(
        "li",
        tag("a", tag("span", shown, class_="frame"), tag("span", said, class_="said"),
            tag("span", f"image {about.image_id}", class_="quiet small"),
            href=GALLERY.here(gimage=image), data_show="gallery-chosen"),
    )  # fmt: skip
