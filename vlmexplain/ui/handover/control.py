"""The control on the Explore page: this failure, or the first of the list, as one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.handover.failures import HandedFailure, collect_failures
from vlmexplain.handover.html_page import as_html
from vlmexplain.handover.json_document import as_json
from vlmexplain.records import MetricOptions
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui import caches
from vlmexplain.ui.explore.filters import filter_of, sort_of
from vlmexplain.ui.html import tag
from vlmexplain.ui.state import Address

MOST_OF_LIST = 20
FORMS: tuple[tuple[str, str, Callable[[Sequence[HandedFailure]], str]], ...] = (
    ("html", "text/html", as_html),
    ("json", "application/json", as_json),
)


def draw_handover(gallery: Gallery, run: Run, query: int, address: Address) -> None:
    """A pop-over with the files to download; each is made when it is asked for."""
    with st.popover("Hand over", icon=":material/ios_share:"):
        st.html(tag("div", tag("p", "One file with pictures, boxes, evidence and definitions. It "
                    "opens without a network and prints well.", class_="quiet small"),
                    class_="vx"))  # fmt: skip
        one, several = st.columns(2)
        order = caches.queries_of(run, gallery).order(filter_of(address), sort_of(address))
        listed = [int(index) for index in order[:MOST_OF_LIST]]
        for ending, mime, write in FORMS:
            one.download_button(
                f"This query ({ending.upper()})",
                data=lambda w=write: w(_collect(gallery, run, [query], address)),  # type: ignore[misc]
                file_name=f"failure-{query}.{ending}",
                mime=mime,
                on_click="ignore",
                key=f"hand-one-{ending}",
                width="stretch",
            )
            several.download_button(
                f"First {len(listed)} of the list ({ending.upper()})",
                data=lambda w=write: w(_collect(gallery, run, listed, address)),  # type: ignore[misc]
                file_name=f"failures-{run.model.name.replace('/', '-')}.{ending}",
                mime=mime,
                on_click="ignore",
                disabled=not listed,
                key=f"hand-list-{ending}",
                width="stretch",
            )


def _collect(
    gallery: Gallery, run: Run, queries: list[int], address: Address
) -> tuple[HandedFailure, ...]:
    own = len(queries) == 1
    return collect_failures(
        gallery,
        run,
        queries,
        MetricOptions(address.threshold, address.relative_to),
        query_informed=address.informed,
        retrieved_place_1based=address.place if own else 1,
        table=caches.queries_of(run, gallery),
    )
