"""Where the items of a session come from: a sample, a saved slice, a list, a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, UnknownName
from vlmexplain.overview.saved_slices import captions_of_slice, list_slices
from vlmexplain.overview.slices import Slice
from vlmexplain.ratings.plan.items import RatingItem, items_of_lines
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.plan.spec_toml import ItemRequest
from vlmexplain.run_items import METRICS_OF_ITEMS, fitting_captions
from vlmexplain.ui.pages.rating_admin.basis import DEFAULT_SAMPLE, Basis
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.scope import facts_of

SOURCES = {
    "sample": "Failures of the run",
    "slice": "A saved slice",
    "list": "A list of captions",
    "file": "A file of items",
}
LARGEST_FILE_MB = 20
UNSTRATIFIED = "not stratified"
METRIC_NAMES = {
    "ca": "concept agreement",
    "ncs": "non-common concept similarity",
    "ce": "concept enumeration",
    "sd": "size disagreement",
    "rank_1based": "rank of the ground truth",
    "margin": "margin of the scores",
}


@dataclass(frozen=True, slots=True)
class AskedItems:
    """Which items a session is to have.

    Attributes:
        request: as in a session's TOML file.
        given: the items of a file; None: they come from the run.
        n_found: how many there are before a sample is drawn.
    """

    request: ItemRequest
    given: tuple[RatingItem, ...] | None
    n_found: int


def draw_items(basis: Basis, asked: SessionSpec, gallery: Gallery | None) -> AskedItems:
    """The fields, and what they say.

    Raises:
        DataError, UnknownName, GalleryError, StoreError: a file, list or slice that is no good.
    """
    st.subheader("Items", anchor=False)
    has_run = asked.run is not None and gallery is not None
    sources = list(SOURCES) if has_run else ["file"]
    source = st.segmented_control(
        "Where they come from",
        sources,
        default=_first_source(basis) if has_run else "file",
        required=True,
        format_func=SOURCES.__getitem__,
        wrap=True,
        key=basis.key("source"),
        persist_state="session",
    )
    if source == "file":
        given = _file(basis)
        return _sampled(
            basis, AskedItems(ItemRequest(), given, len(given)), sorted(_metrics(given))
        )
    assert gallery is not None
    failures = True
    captions: tuple[int, ...] = ()
    if source == "list":
        captions = _listed(basis, gallery)
    else:
        failures = st.toggle(
            "Failures only",
            value=basis.items.failures_only,
            help="Off: also queries whose first image is a ground truth.",
            key=basis.key("failures"),
            persist_state="session",
        )
    found = np.asarray(captions, dtype=np.int64)
    if source == "slice":
        found = _slice(basis, gallery)
    fitting = _fitting(asked, failures if source != "list" else False)
    if source != "sample":
        # as given: a list keeps its order
        found = found[np.isin(found, fitting)]
        if not len(found):
            raise DataError("no query that can be asked about is among them.", where="items")
        captions = tuple(int(index) for index in found)
    n_found = len(captions) if source != "sample" else len(fitting)
    request = ItemRequest(captions=captions, failures_only=failures)
    return _sampled(basis, AskedItems(request, None, n_found), list(METRIC_NAMES))


def parse_captions(text: str, gallery: Gallery, by_place: bool) -> tuple[int, ...]:
    """The captions that a pasted text names, once each, in its order.

    Args:
        text: ids between spaces, commas, semicolons or line ends.
        by_place: they are places in the gallery (``query=`` in the addresses of this app), not
            the ids of the data set.

    Raises:
        UnknownName: the gallery has no such caption.
    """
    named = list(dict.fromkeys(filter(None, re.split(r"[\s,;]+", text))))
    known = (
        {str(n): n for n in range(gallery.n_captions)}
        if by_place
        else {one: n for n, one in enumerate(gallery.captions_table["caption_id"].to_pylist())}
    )
    for one in named:
        if one not in known:
            kind = "caption's place" if by_place else "caption id"
            raise UnknownName(kind, one[:40], list(known)[:12], where=gallery.name)
    return tuple(known[one] for one in named)


def _first_source(basis: Basis) -> str:
    return "file" if basis.given else "list" if basis.items.captions else "sample"


def _file(basis: Basis) -> tuple[RatingItem, ...]:
    uploaded = st.file_uploader(
        "JSON lines: caption_index, query, ground_truth_image, retrieved_image, metrics",
        type=["jsonl"],
        max_upload_size=LARGEST_FILE_MB,
        key=basis.key("file"),
    )
    if uploaded is not None:
        return items_of_lines(uploaded.getvalue(), uploaded.name)
    if not basis.given:
        raise DataError("no file of items is chosen yet.", where="items")
    st.caption(f"Without another file: the {len(basis.given):,} items this form began with.")
    return basis.given


def _listed(basis: Basis, gallery: Gallery) -> tuple[int, ...]:
    places = {False: "Ids of the data set", True: "Numbers as in the address (query=)"}
    by_place = st.radio(
        "What the list holds",
        list(places),
        index=int(bool(basis.items.captions)),
        format_func=places.__getitem__,
        horizontal=True,
        key=basis.key("by-place"),
    )
    text = st.text_area(
        "Captions, between spaces, commas or line ends",
        value=" ".join(map(str, basis.items.captions)),
        key=basis.key("captions"),
        persist_state="session",
    )
    if not (text or "").strip():
        raise DataError("no caption is listed yet.", where="items")
    return parse_captions(text or "", gallery, bool(by_place))


def _slice(basis: Basis, gallery: Gallery) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    saved = {one.name: one.slice for one in list_slices(gallery.id)}
    if not saved:
        raise DataError(
            f"{gallery.name} has no saved slice.",
            where="items",
            remedy="Choose a slice on the Overview page and save it under a name.",
        )
    # Names are kept out of Markdown: a list's entries are plain text.
    name = st.selectbox("Saved slice", list(saved), filter_mode=None, key=basis.key("slice"))
    found: np.ndarray[tuple[int], np.dtype[np.int64]] = slice_captions(
        gallery, gallery.id, saved[name]
    )
    return found


@st.cache_resource(max_entries=4, show_spinner="Reading the captions ...")
def slice_captions(
    _gallery: Gallery, gallery_id: str, asked: Slice
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The captions of a slice; the words of every caption are counted once, not at every draw."""
    assert gallery_id
    return captions_of_slice(_gallery, asked, caches.wordnet(), facts_of(_gallery, gallery_id))


def _fitting(asked: SessionSpec, failures: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    assert asked.run is not None
    run = caches.run(asked.run)
    other = caches.run(asked.other_run) if asked.other_run else None
    return fitting_captions(run, other, failures)


def _sampled(basis: Basis, found: AskedItems, metrics: Sequence[str]) -> AskedItems:
    """With a sample, where one is asked for."""
    first = basis.items
    drawn = st.toggle(
        f"Draw a sample of the {found.n_found:,}",
        value=first.sample is not None and not basis.given,
        key=basis.key("sample"),
        persist_state="session",
    )
    if not drawn:
        return found
    left, middle, right = st.columns(3)
    n = left.number_input(
        "How many", min_value=1, value=first.sample or DEFAULT_SAMPLE, step=10,
        key=basis.key("n"), persist_state="session",
    )  # fmt: skip
    seed = middle.number_input(
        "Seed", value=first.seed, step=1, key=basis.key("sample-seed"), persist_state="session",
        help="The same seed draws the same items.",
    )  # fmt: skip
    chosen = right.selectbox(
        "Spread over", [UNSTRATIFIED, *metrics],
        index=metrics.index(first.stratify_by) + 1 if first.stratify_by in metrics else 0,
        format_func=lambda key: METRIC_NAMES.get(key, key), filter_mode=None,
        key=basis.key("stratify"), persist_state="session",
        help="Cuts the items at the quantiles of a metric and takes from each part its share; "
        "undefined is a part of its own.",
    )  # fmt: skip
    strata = first.strata
    if chosen != UNSTRATIFIED:
        strata = left.number_input("Parts", min_value=2, value=first.strata, step=1,
                                   key=basis.key("strata"))  # fmt: skip
    request = replace(
        found.request,
        sample=int(n),
        seed=int(seed),
        stratify_by=None if chosen == UNSTRATIFIED else chosen,
        strata=int(strata),
    )
    return replace(found, request=request)


def _metrics(items: Sequence[RatingItem]) -> set[str]:
    return {name for item in items for name in item.metrics}


assert set(METRIC_NAMES) <= set(METRICS_OF_ITEMS)
