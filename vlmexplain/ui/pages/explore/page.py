"""The Explore page."""

from __future__ import annotations

import streamlit as st

from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.explore.evidence import draw_evidence
from vlmexplain.ui.pages.explore.gallery_failure import gallery_failure
from vlmexplain.ui.pages.explore.picker import draw_picker
from vlmexplain.ui.pages.explore.tour import draw_tour_end, draw_tour_start
from vlmexplain.ui.pages.explore.worked_example import worked_example
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.choice import EXAMPLE_ID, Choice, choose, chosen_run
from vlmexplain.ui.shared.explore_address import EXPLORE, ExploreAddress
from vlmexplain.ui.shared.fit_control import draw_fit_control
from vlmexplain.ui.shared.handover_control import draw_handover
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note, problem, told
from vlmexplain.ui.shared.perturb_link import draw_perturb_link


def explore_page() -> None:
    """Draw the page for what the address says."""
    address, problems = EXPLORE.read(st.query_params.to_dict())
    choice = choose(address)
    for each in (*problems, *choice.problems):
        problem(each)
    with told():
        if choice.gallery is None:
            EXPLORE.go(gallery=EXAMPLE_ID, run="", query=None)
            draw_tour_start()
            draw_evidence(worked_example(address), address, tour=True)
            draw_tour_end()
        else:
            _gallery(choice, address)


def _gallery(choice: Choice, address: ExploreAddress) -> None:
    assert choice.gallery is not None
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder, choice.gallery.name)
    run = chosen_run(choice)
    if run is None:
        note(
            tag("p", tag("b", f"No model has ranked {gallery.name} yet.")),
            tag("p", "A run finds the failures; then they can be explored here."),
        )
        if st.button("Run a model", type="primary"):
            st.switch_page("pages/run.py")
        return
    table = caches.queries_of(run, gallery)
    address = _sound(address, run)
    query = draw_picker(table, address, gallery.concepts)
    if query is None:
        note(tag("p", "No query fits the filter."))
        return
    # the address names what is shown, so that a copy of it shows the same elsewhere
    EXPLORE.go(gallery=short(gallery.id), run=short(run.key), query=query)
    failure = gallery_failure(gallery, run, query, address)
    with st.container(horizontal=True, vertical_alignment="center"):
        draw_perturb_link(gallery.id, query)
        draw_handover(gallery, run, query, address)
        shown = failure.explanation.retrieved
        draw_fit_control(gallery, query, shown.image_index if shown else None)
    draw_evidence(failure, address)


def _sound(address: ExploreAddress, run: Run) -> ExploreAddress:
    """The address without a query or place that this run does not have."""
    if address.query is not None and address.query >= run.manifest.n_queries:
        problem(
            f"There is no query {address.query:,} here: this data set has "
            f"{run.manifest.n_queries:,} captions. The first of the list is shown instead."
        )
        EXPLORE.go(query=None, place=1)
        return EXPLORE.now()
    if address.place > run.k:
        problem(f"Only the {run.k} best images are kept; place 1 is shown instead.")
        EXPLORE.go(place=1)
        return EXPLORE.now()
    return address
