"""What a gallery's sources accept, for every page: joined once, people's words always fresh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.positives.accepted import GalleryPositives, joined
from vlmexplain.positives.figures import CorrectedFigures, corrected_figures
from vlmexplain.positives.judgements import Judgements
from vlmexplain.positives.store import (
    KeptSource,
    digest_of,
    judgements_of_source,
    list_sources,
)
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.shared.messages import problem


def positives_of(gallery: Gallery) -> GalleryPositives:
    """All judged pairs of a gallery; a source that cannot be read is said and left out."""
    found: GalleryPositives = _joined(gallery, *_said(gallery), gallery.id)
    return found


def positives_key(gallery: Gallery) -> str:
    """Changes whenever the gallery's positives do; "" without a source."""
    return _said(gallery)[1]


def corrected_of(gallery: Gallery, run: Run, rows: NDArray[np.bool_] | None) -> CorrectedFigures:
    """The corrected figures of a run over the chosen queries, bool [n_captions]."""
    chosen = "" if rows is None else content_key(np.flatnonzero(rows).tolist())
    found: CorrectedFigures = _corrected(
        gallery, run, rows, run.key, positives_key(gallery), chosen
    )
    return found


def _said(gallery: Gallery) -> tuple[list[tuple[KeptSource, Judgements | None]], str]:
    """The sources, with what those say that are read anew each time, and a key of it all."""
    found: list[tuple[KeptSource, Judgements | None]] = []
    parts: list[object] = []
    for kept in list_sources(gallery.id):
        try:
            live = judgements_of_source(gallery, kept) if kept.about.live else None
        except VlmexplainError as error:
            problem(error)
            continue
        found.append((kept, live))
        parts.append([kept.name, kept.added_s, digest_of(live) if live else kept.digest])
    return found, content_key(parts) if parts else ""


@st.cache_resource(max_entries=4, show_spinner="Reading positives ...")
def _joined(
    _gallery: Gallery,
    _said: Sequence[tuple[KeptSource, Judgements | None]],
    key: str,
    gallery_id: str,
) -> GalleryPositives:
    sources = [
        (kept, judgements_of_source(_gallery, kept) if live is None else live)
        for kept, live in _said
    ]
    return joined(_gallery, sources)


@st.cache_resource(max_entries=32, show_spinner="Evaluating ...")
def _corrected(
    _gallery: Gallery, _run: Run, _rows: NDArray[np.bool_] | None, run_key: str, key: str,
    chosen: str,
) -> CorrectedFigures:  # fmt: skip
    return corrected_figures(_gallery, _run, positives_of(_gallery), _rows)
