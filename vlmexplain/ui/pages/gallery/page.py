"""The Gallery page: what a gallery holds, what its import found, what was made from it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ui.pages.gallery.address import GALLERY
from vlmexplain.ui.pages.gallery.concepts import draw_concepts
from vlmexplain.ui.pages.gallery.findings import draw_findings
from vlmexplain.ui.pages.gallery.kept_work import draw_runs, draw_sizes
from vlmexplain.ui.pages.gallery.pictures import draw_pictures
from vlmexplain.ui.pages.gallery.positives import draw_positives
from vlmexplain.ui.shared.choice import chosen_gallery
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.memory_view import memory_view
from vlmexplain.ui.shared.messages import note, tells
from vlmexplain.ui.shared.whole_model_style import add_style
from vlmexplain.ui.shared.widgets import follow
from vlmexplain.ui.shared.words import drawn_pill

VIEWS: dict[str, tuple[str, Callable[[Gallery], None]]] = {
    "checks": ("Data checks", draw_findings),
    "pictures": ("Pictures", draw_pictures),
    "concepts": ("Concepts", draw_concepts),
    "positives": ("Positives", draw_positives),
    "runs": ("Runs", draw_runs),
    "sizes": ("Sizes", draw_sizes),
}


@tells
def gallery_page() -> None:
    """Draw the page for the gallery chosen in the sidebar."""
    add_style()
    gallery = chosen_gallery()
    if gallery is None:
        st.html(tag("div", tag("h1", "Gallery"), class_="vx"))
        note(
            tag("p", "No gallery is chosen: the worked example has none."),
            tag("p", "Import COCO or Visual Genome on the Import page, or choose a data set."),
        )
        return
    st.html(_about(gallery))
    view = GALLERY.now().gview
    follow("gview", view)
    st.segmented_control(
        "What to show",
        list(VIEWS),
        format_func=lambda key: VIEWS[key][0],
        key="gview",
        label_visibility="collapsed",
        on_change=lambda: GALLERY.go(
            gview=st.session_state["gview"] or view, at=0, finding="", gimage=None, gconcept=""
        ),
    )
    VIEWS[view][1](gallery)
    if view == "sizes":
        st.html(memory_view())


def _about(gallery: Gallery) -> Html:
    manifest = gallery.manifest
    cards = [
        ("Images", gallery.n_images),
        ("Captions", gallery.n_captions),
        ("Annotated objects", gallery.n_instances),
        ("Concepts", manifest.n_concepts),
    ]
    facts = [
        ("Content hash", gallery.id),
        ("Image folder", manifest.images_folder),
        *[
            (source.role, f"{source.path} ({source.size_bytes:,} bytes)")
            for source in manifest.sources
        ],
    ]
    drawn = drawn_pill() if gallery.drawn else None
    return tag(
        "div",
        tag("h1", gallery.name, " ", drawn),
        tag("dl", [tag("div", tag("dt", name), tag("dd", f"{n:,}", class_="v"))
                   for name, n in cards], class_="ranks", style="margin:12px 0 6px"),
        tag("details", tag("summary", "Where it comes from"),
            tag("dl", [(tag("dt", name), tag("dd", value, class_="num"))
                       for name, value in facts], class_="facts", style="margin-top:6px")),
        class_="vx",
    )  # fmt: skip
