"""One key to say that an image fits the caption too, or that it does not: with who and when."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.positives.store import add_source, list_sources
from vlmexplain.ratings.store.fit_marks import LONGEST_NAME, read_fit_marks, write_fit_mark
from vlmexplain.storage import read_only
from vlmexplain.ui.shared.messages import told
from vlmexplain.ui.shared.positives_of import positives_of

NAME = "fit-marked-by"
CHOICES = ((True, "Fits too", "f"), (False, "Does not fit", "x"))


def draw_fit_control(gallery: Gallery, query: int, image: int | None) -> None:
    """Two buttons for the image that is shown beside; none for a ground truth or no image."""
    if image is None or positives_of(gallery).judged(query, image).standing == "own":
        return
    own = {(mark.caption_index, mark.image_index): mark for mark in read_fit_marks(gallery.id)}.get(
        (query, image)
    )
    for fits, label, key in CHOICES:
        chosen = own is not None and own.fits == fits
        st.button(
            f"{label} ✓" if chosen else label,
            key=f"fit-{key}",
            type="primary" if chosen else "secondary",
            shortcut=None if read_only() else key,
            help="Whether the retrieved image answers this caption as well. Kept as a source of "
            'positives of its own, "marks"; choosing it again takes it back.',
            disabled=read_only(),
            on_click=_take,
            args=(gallery, query, image, None if chosen else fits),
        )
    with st.popover(own_text(own.marked_by, own.marked_at) if own else "Marked by ..."):
        st.text_input("Your name, kept with each mark", key=NAME, max_chars=LONGEST_NAME,
                      disabled=read_only())  # fmt: skip


def own_text(name: str, at_s: float) -> str:
    """Who marked it, and when.

    >>> own_text("Ada", 0.0), own_text("", 0.0)
    ('Ada, 1970-01-01', 'no name, 1970-01-01')
    """
    return f"{name or 'no name'}, {datetime.fromtimestamp(at_s, UTC):%Y-%m-%d}"


def _take(gallery: Gallery, query: int, image: int, fits: bool | None) -> None:
    with told():
        write_fit_mark(gallery.id, query, image, fits, str(st.session_state.get(NAME, "")))
        if not any(one.kind == "marks" for one in list_sources(gallery.id)):
            add_source(gallery, "marks")
