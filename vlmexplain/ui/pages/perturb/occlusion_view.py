"""Image weights: an occlusion map over both pictures, made in the background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.live.occlusion import OccludedImage
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.records import Progress, ProgressCallback
from vlmexplain.storage import content_key
from vlmexplain.ui.pages.perturb.pictures_view import picture_address
from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.job_list import show_ended
from vlmexplain.ui.shared.numbers import shift_text
from vlmexplain.ui.shared.perturb_address import PERTURB
from vlmexplain.ui.shared.watching import watch_while_running
from vlmexplain.ui.shared.widgets import follow

KIND = "occlusion"
CELLS = (4, 6, 8, 10)
WHAT_IT_IS = (
    "One part of the picture after another is covered with the picture's mean colour; a part's "
    "weight is what the similarity with the text loses for it. Above 0 (blue) the part speaks "
    "for the text, below 0 (orange) against it. It is not a segmentation and not attention: the "
    "cover is itself something the model sees, large things show in no single part, and what "
    "the model's crop leaves out weighs nothing."
)


@dataclass(frozen=True, slots=True)
class MapOf:
    """One model's maps: a title, its scorer, and the embedding of the chosen text."""

    model: str
    scorer: LiveScorer
    vector: NDArray[np.float32]


def draw_occlusion(
    gallery: Gallery, maps: Sequence[MapOf], images: Sequence[int], cells: int
) -> None:
    """The maps that are there, or the button that makes them."""
    follow("perturb-cells", cells)
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    left.selectbox(
        "Parts along the shorter side",
        sorted({*CELLS, cells}),
        key="perturb-cells",
        on_change=lambda: PERTURB.go(cells=st.session_state["perturb-cells"]),
    )
    missing = [
        (each.scorer, image)
        for each in maps
        for image in images
        if each.scorer.occluded(image, cells) is None
    ]
    if missing:
        with right:
            if st.button("Cover the pictures part by part", key="occlude", type="primary"):
                _start(missing, cells)
    watch_while_running(KIND)
    show_ended(KIND)
    for each in maps:
        found = [each.scorer.occluded(image, cells) for image in images]
        if any(found):
            st.html(_maps(gallery, each, images, found, len(maps) > 1))


def _start(missing: Sequence[tuple[LiveScorer, int]], cells: int) -> None:
    def work(progress: ProgressCallback) -> None:
        for number, (scorer, image) in enumerate(missing):

            def part(one: Progress, number: int = number) -> None:
                stage = f"picture {number + 1} of {len(missing)}"
                progress(Progress(stage, one.done, one.total, one.unit))

            scorer.occlude(image, cells, part)

    named = [[scorer.encoder.identity.digest, image, cells] for scorer, image in missing]
    job_registry().start(KIND, "Image weights", content_key(named), work)
    st.rerun()


def _maps(
    gallery: Gallery,
    of: MapOf,
    images: Sequence[int],
    found: Sequence[OccludedImage | None],
    named: bool,
) -> Html:
    weights = [None if one is None else one.weights(of.vector) for one in found]
    largest = max((float(np.abs(w).max()) for w in weights if w is not None), default=0.0) or 1.0
    titles = ("Ground truth", "Retrieved")
    figures = [
        _figure(gallery, image, titles[side], own, largest)
        for side, (image, own) in enumerate(zip(images, weights, strict=True))
        if own is not None
    ]
    return tag(
        "div",
        tag("h4", of.model) if named else None,
        tag("div", figures, class_="maps"),
        _legend(largest),
        class_="vx",
    )


def _figure(
    gallery: Gallery, image: int, title: str, weights: NDArray[np.float64], largest: float
) -> Html:
    rows, columns = weights.shape
    about = gallery.image(image)
    cells = [
        tag(
            "i",
            class_="up" if value > 0 else "down",
            style=f"--share:{min(100, round(100 * abs(value) / largest))}%",
            title=f"row {place // columns + 1}, column {place % columns + 1}: {shift_text(value)}",
        )
        for place, value in enumerate(weights.ravel().tolist())
    ]
    top = int(np.argmax(weights))
    strongest = (
        f"row {top // columns + 1}, column {top % columns + 1} of {rows} × {columns} "
        f"({shift_text(float(weights.max()))})"
    )
    return tag(
        "figure",
        tag("figcaption", tag("b", title), f" · speaks for the text most: {strongest}"),
        tag(
            "div",
            tag("img", src=picture_address(gallery, image), alt=""),
            tag(
                "div", cells, class_="grid",
                style=f"grid-template:repeat({rows},1fr)/repeat({columns},1fr)",
            ),
            class_="stage", role="img", style=f"aspect-ratio:{about.width_px}/{about.height_px}",
            aria_label=f"{title}: the part that speaks for the text most is {strongest}",
        ),
    )  # fmt: skip


def _legend(largest: float) -> Html:
    return tag(
        "div",
        tag("span", shift_text(-largest), class_="num"),
        tag("i", class_="ramp", aria_hidden="true"),
        tag("span", shift_text(largest), class_="num"),
        tag("span", "what the similarity loses when the part is covered", class_="quiet"),
        class_="ramp-line small",
    )
