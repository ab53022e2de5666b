"""What the Perturb page is about: a caption, its image, and the image that was retrieved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.explore_address import ExploreAddress
from vlmexplain.ui.shared.perturb_address import PerturbAddress
from vlmexplain.ui.shared.perturb_link import remembered
from vlmexplain.ui.shared.query_list import filter_of, sort_of

BY_HAND = "chosen by hand"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compared.

    Attributes:
        query: place of the query's caption in the gallery; None for a typed caption.
        original: the query's text; None for a typed caption.
        caption: the text that is tried.
        image: the ground truth.
        targets: all ground truths of the ranking: the images that carry the query's text.
        retrieved: the image beside it; None when the first that the caption retrieves is meant.
        how: how the image beside it was chosen, where it is not simply what was retrieved.
    """

    query: int | None
    original: str | None
    caption: str
    image: int
    targets: tuple[int, ...]
    retrieved: int | None
    how: str


def find_subject(
    gallery: Gallery, run: Run | None, own: PerturbAddress
) -> tuple[Subject, tuple[str, ...]]:
    """Follow the address; what it leaves open or gets wrong falls back, with a sentence why."""
    problems = []
    query, image = own.query, own.image
    if query is not None and query >= gallery.n_captions:
        problems.append(f"There is no query {query:,}: the data set has {gallery.n_captions:,}.")
        query = None
    if image is not None and image >= gallery.n_images:
        problems.append(f"There is no image {image:,}: the data set has {gallery.n_images:,}.")
        image = None
    other = own.other
    if other is not None and other >= gallery.n_images:
        problems.append(f"There is no image {other:,}: the data set has {gallery.n_images:,}.")
        other = None
    if query is None and image is None:
        query = first_query(gallery, run)
    if query is None:
        found = _of_image(gallery, image or 0, other, own.caption)
    else:
        found = _of_query(gallery, run, query, own.place, other, own.caption)
    return found, tuple(problems)


def first_query(gallery: Gallery, run: Run | None) -> int | None:
    """The query looked at last, else the first failure, else the first caption there is."""
    kept = remembered(gallery.id)
    if kept is not None and kept < gallery.n_captions:
        return kept
    if run is not None:
        plain = ExploreAddress()
        order = caches.queries_of(run, gallery).order(filter_of(plain), sort_of(plain))
        if len(order):
            return int(order[0])
    return 0 if gallery.n_captions else None


def carriers(gallery: Gallery, text: str) -> tuple[int, ...]:
    """The images that carry a text: its ground truths, in gallery order."""
    texts = pc.utf8_trim_whitespace(gallery.captions_table.column("text"))
    rows = np.flatnonzero(pc.equal(texts, text).to_numpy(zero_copy_only=False))
    return tuple(sorted(set(gallery.image_of_caption[rows].tolist())))


def _of_image(gallery: Gallery, image: int, other: int | None, caption: str | None) -> Subject:
    how = "the best for this caption" if other is None else BY_HAND
    return Subject(None, None, caption or "", image, (image,), other, how)


def _of_query(
    gallery: Gallery,
    run: Run | None,
    query: int,
    place: int,
    other: int | None,
    caption: str | None,
) -> Subject:
    row = gallery.caption(query)
    text = row.text.strip()
    targets = _carriers(gallery, gallery.id, text) or (row.image_index,)
    retrieved, how = other, "" if other is None else BY_HAND
    if retrieved is None and run is not None:
        kept = [image for image in run.top_k_images[query].tolist() if image >= 0]
        retrieved = kept[place - 1] if 0 < place <= len(kept) else None
        if retrieved is None or retrieved in targets:
            retrieved = next((image for image in kept if image not in targets), None)
            how = "the best that is no ground truth"
    return Subject(
        query,
        text,
        text if caption is None else caption,
        row.image_index,
        targets,
        retrieved,
        how,
    )


@st.cache_data(max_entries=256, show_spinner=False)
def _carriers(_gallery: Gallery, gallery_id: str, text: str) -> tuple[int, ...]:
    return carriers(_gallery, text)
