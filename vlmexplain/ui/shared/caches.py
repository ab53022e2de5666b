"""What is kept between reruns: bounded, shared by all sessions, each a core function wrapped."""

from __future__ import annotations

import io
import threading

import streamlit as st
from PIL import Image

from vlmexplain.cache_sizes import size_of
from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.example import EXAMPLE
from vlmexplain.records import PathStep
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.run_store import Run, open_run
from vlmexplain.storage import home
from vlmexplain.ui.shared.schematic import draw_schematic

_GALLERIES, _RUNS = size_of("galleries"), size_of("runs")
_PICTURES, _THUMBNAILS = size_of("pictures"), size_of("thumbnails")
THUMBNAIL_PX = 220

_wordnet_lock = threading.Lock()
_wordnets: dict[str, WordNet] = {}


def wordnet() -> WordNet:
    """WordNet's compact tables; the first call of a process reads them.

    A page asks for it once for each name on it, so that looking at the folder each time, as
    `load_wordnet` does, would make the sessions wait for each other.
    """
    place = str(home())
    found = _wordnets.get(place)
    if found is None:
        with _wordnet_lock:
            found = _wordnets[place] = load_wordnet()
    return found


def gloss(synset: str) -> str:
    """What a synset means; "" for a name that WordNet does not have."""
    known = wordnet()
    return known.gloss(synset) if known.has(synset) else ""


@st.cache_data(max_entries=512, show_spinner=False)
def wordnet_path(left: str, right: str) -> tuple[PathStep, ...]:
    """The path between two synsets through their nearest common ancestor, with glosses."""
    return wordnet().path(left, right)


@st.cache_data(max_entries=2, show_spinner=False)
def example_drawings() -> tuple[bytes, bytes]:
    """The worked example's two images as SVG drawings."""
    return draw_schematic(EXAMPLE.ground_truth), draw_schematic(EXAMPLE.retrieved)


@st.cache_resource(max_entries=_GALLERIES, show_spinner=False)
def gallery(gallery_id: str, images_folder: str, name: str = "") -> Gallery:
    """An open gallery; folder and name are part of the key, since both may change."""
    return open_gallery(gallery_id)


@st.cache_resource(max_entries=_RUNS, show_spinner=False)
def run(key: str) -> Run:
    """An open run."""
    return open_run(key)


@st.cache_resource(max_entries=_PICTURES, show_spinner=False)
def picture(_gallery: Gallery, folder: str, content_sha256: str, index: int) -> tuple[bytes, str]:
    """A picture as the browser gets it: bytes and MIME type."""
    return _gallery.browser_bytes(index)


@st.cache_resource(max_entries=_THUMBNAILS, show_spinner=False)
def thumbnail(_gallery: Gallery, folder: str, content_sha256: str, index: int) -> bytes:
    """A small JPEG of a picture."""
    image = _gallery.shown_rgb(index)
    image.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX), Image.Resampling.BILINEAR, reducing_gap=2.0)
    written = io.BytesIO()
    image.save(written, "JPEG", quality=82)
    return written.getvalue()


@st.cache_resource(max_entries=_RUNS, show_spinner=False)
def query_table(_run: Run, _gallery: Gallery, run_key: str, gallery_id: str) -> QueryTable:
    """The table of a run's queries; it keeps its latest orders itself."""
    return QueryTable(_run, _gallery)


def queries_of(run: Run, gallery: Gallery) -> QueryTable:
    """The table of a run's queries."""
    table: QueryTable = query_table(run, gallery, run.key, gallery.id)
    return table
