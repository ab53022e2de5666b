"""The concepts of a gallery: in how many images, how many instances, mentioned or not."""

from __future__ import annotations

import numpy as np
import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ui.pages.gallery.address import GALLERY
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.scope import facts_of
from vlmexplain.ui.shared.words import short_name

LINES = 30


def draw_concepts(gallery: Gallery) -> None:
    """A page of the concepts, the most frequent first; each opens its pictures."""
    facts = facts_of(gallery, gallery.id)
    n_images = np.asarray((facts.counts > 0).sum(axis=0)).ravel()
    n_instances = np.asarray(facts.counts.sum(axis=0)).ravel()
    order = np.argsort(-n_images, kind="stable")[: len(facts.concepts)]
    pages = max(1, -(-len(order) // LINES))
    at = min(GALLERY.now().at, pages - 1)
    body = [
        _line(facts.concepts[n], int(n_images[n]), int(n_instances[n]), gallery.n_images)
        for n in order[at * LINES : (at + 1) * LINES].tolist()
    ]
    heads = [tag("th", head, scope="col", class_=align) for head, align in (
        ("Concept", None), ("Images", "r"), ("Share of the images", "r"), ("Objects", "r"),
        ("Meaning", None))]  # fmt: skip
    turns = [
        (tag("a", label, href=GALLERY.here(at=to)), " ")
        for label, to, there in (("◂ previous", at - 1, at > 0), ("next ▸", at + 1, at + 1 < pages))
        if there
    ]
    st.html(
        tag("div", wide("Concepts", tag("table", tag("thead", tag("tr", heads)),
            tag("tbody", body)), also="rows"), tag("p", f"{len(order):,} concepts ", turns,
            class_="quiet small num"), class_="vx")
    )  # fmt: skip


def _line(concept: str, n_images: int, n_instances: int, of: int) -> Html:
    link = GALLERY.here(gview="pictures", gconcept=concept, at=0, gimage=None)
    share = n_images / of if of else 0.0
    bar = tag("span", tag("i", style=f"width:{100 * share:.1f}%"), class_="meterbar",
              aria_hidden="true")  # fmt: skip
    return tag(
        "tr",
        tag("td", tag("a", short_name(concept), href=link, title=concept)),
        tag("td", f"{n_images:,}", class_="r"),
        tag("td", bar, tag("span", f"{100 * share:.1f} %", class_="after"), class_="r"),
        tag("td", f"{n_instances:,}", class_="r"),
        tag("td", caches.gloss(concept), class_="quiet small", style="min-width:16rem"),
    )
