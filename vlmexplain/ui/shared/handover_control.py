"""The control under a failure or a list: it, or the first of the list, as one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.handover.failures import HandedFailure, collect_failures
from vlmexplain.handover.html_page import as_html
from vlmexplain.handover.json_document import as_json
from vlmexplain.records import MetricOptions
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.explore_address import ExploreAddress
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.present_address import MOST_SLIDES, PRESENT
from vlmexplain.ui.shared.query_list import filter_of, sort_of

Collect = Callable[[], tuple[HandedFailure, ...]]

MOST_OF_LIST = 20
FORMS: tuple[tuple[str, str, Callable[[Sequence[HandedFailure]], str]], ...] = (
    ("html", "text/html", as_html),
    ("json", "application/json", as_json),
)

_ABOUT = tag(
    "div",
    tag("p", "One file with pictures, boxes, evidence and definitions. It opens without a network "
        "and prints well.", class_="quiet small"),
    class_="vx",
)  # fmt: skip


def draw_handover(gallery: Gallery, run: Run, query: int, address: ExploreAddress) -> None:
    """A pop-over with the files to download; each is made when it is asked for."""
    order = caches.queries_of(run, gallery).order(filter_of(address), sort_of(address))
    listed = [int(index) for index in order[:MOST_OF_LIST]]
    with st.popover("Hand over", icon=":material/ios_share:"):
        st.html(_ABOUT)
        one, several = st.columns(2)
        with one:
            _downloads(
                "This query",
                f"failure-{query}",
                lambda: _collect(gallery, run, [query], address, address.place),
            )
        with several:
            _list_downloads(run, listed, lambda: _collect(gallery, run, listed, address))


def draw_list_handover(gallery: Gallery, run: Run, queries: Sequence[int]) -> None:
    """The same for the first queries of any list, and a link that presents them."""
    if not len(queries):
        return
    handed = [int(query) for query in queries[:MOST_OF_LIST]]
    slides = ",".join(str(query) for query in queries[:MOST_SLIDES])
    said = f"Present the first {MOST_SLIDES}" if len(queries) > MOST_SLIDES else "Present the list"
    link = PRESENT.link(gallery=short(gallery.id), run=short(run.key), list=slides)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Hand over", icon=":material/ios_share:"):
            st.html(_ABOUT)
            _list_downloads(run, handed, lambda: _collect(gallery, run, handed, ExploreAddress()))
        st.html(tag("div", tag("p", tag("a", said, href=link)), class_="vx"), width="content")


def _list_downloads(run: Run, listed: Sequence[int], collect: Collect) -> None:
    name = f"failures-{run.model.name.replace('/', '-')}"
    _downloads(f"First {len(listed)} of the list", name, collect, disabled=not listed)


def _downloads(label: str, name: str, collect: Collect, *, disabled: bool = False) -> None:
    """A button for each form of a file."""
    for ending, mime, write in FORMS:
        st.download_button(
            f"{label} ({ending.upper()})",
            data=lambda w=write: w(collect()),  # type: ignore[misc]
            file_name=f"{name}.{ending}",
            mime=mime,
            on_click="ignore",
            disabled=disabled,
            key=f"hand-{name}-{ending}",
            width="stretch",
        )


def _collect(
    gallery: Gallery, run: Run, queries: Sequence[int], address: ExploreAddress, place: int = 1
) -> tuple[HandedFailure, ...]:
    return collect_failures(
        gallery,
        run,
        queries,
        MetricOptions(address.threshold, address.relative_to),
        query_informed=address.informed,
        retrieved_place_1based=place,
        table=caches.queries_of(run, gallery),
    )
