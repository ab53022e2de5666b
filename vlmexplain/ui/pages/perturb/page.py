"""The Perturb page: swap a word of the caption, and watch the similarities move."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.live.scorer import NOT_EMBEDDED, LiveScorer
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.perturb.caption_field import draw_field, reading_view
from vlmexplain.ui.pages.perturb.chart import draw_chart
from vlmexplain.ui.pages.perturb.chooser import draw_chooser
from vlmexplain.ui.pages.perturb.controls import draw_controls, draw_second
from vlmexplain.ui.pages.perturb.headline import headline_view, picked_view
from vlmexplain.ui.pages.perturb.numbers_of import Live, live_numbers, take_pick
from vlmexplain.ui.pages.perturb.occlusion_view import WHAT_IT_IS as WHAT_MAPS_ARE
from vlmexplain.ui.pages.perturb.occlusion_view import MapOf, draw_occlusion
from vlmexplain.ui.pages.perturb.pair_lgip import pair_lgip_view, stored_figures
from vlmexplain.ui.pages.perturb.pictures_view import pictures_view
from vlmexplain.ui.pages.perturb.strips import draw_strips
from vlmexplain.ui.pages.perturb.subject import Subject, find_subject
from vlmexplain.ui.pages.perturb.words_view import WHAT_IT_IS, words_view
from vlmexplain.ui.server.timing import timed
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.choice import choose, chosen_run, draw_title
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.explore_address import EXPLORE
from vlmexplain.ui.shared.html import Html, join, tag
from vlmexplain.ui.shared.messages import note, problem, told
from vlmexplain.ui.shared.perturb_address import PERTURB, PerturbAddress
from vlmexplain.ui.shared.perturb_link import remember
from vlmexplain.ui.shared.perturb_style import draw_style
from vlmexplain.ui.shared.scorers import choices, scorer_of

_typing = register("typing", shared=False)


def perturb_page() -> None:
    """Draw the page for what the address says."""
    draw_style()
    _typing(key="typing")
    choice = choose(PERTURB.now())
    draw_title("Perturb the caption", choice)
    for each in (*PERTURB.problems(), *choice.problems):
        problem(each)
    with told():
        if choice.gallery is None:
            _without_gallery()
        else:
            gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
            _draw(gallery, chosen_run(choice))


def _without_gallery() -> None:
    note(
        tag("p", tag("b", "The worked example has drawings, but no model has seen them.")),
        tag("p", "Import a data set, or choose one in the sidebar, to try captions on it."),
    )
    if st.button("Import COCO or Visual Genome", type="primary"):
        st.switch_page("pages/import.py")


def _draw(gallery: Gallery, run: Run | None) -> None:
    if gallery.n_images == 0:
        note(tag("p", "This data set has no images."))
        return
    subject, problems = find_subject(gallery, run, PERTURB.now())
    for each in problems:
        problem(each)
    remember(gallery.id, subject.query)
    # the address names what is shown, so that a copy of it shows the same elsewhere
    PERTURB.go(
        gallery=short(gallery.id),
        run=None if run is None else short(run.key),
        query=subject.query,
        image=None if subject.query is not None else subject.image,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="perturb-top"):
        st.page_link(
            "pages/explore.py",
            label="Back to this query in Explore",
            icon=":material/arrow_back:",
            query_params=EXPLORE.write(EXPLORE.now()),
        )
    draw_chooser(gallery, subject)
    draw_second(choices(gallery), None if run is None else run.model)
    _live(gallery, run)


@st.fragment
def _live(gallery: Gallery, run: Run | None) -> None:
    """What is drawn anew for every pause in typing; the rest of the page stays."""
    with timed("perturb live"), told():
        own = PERTURB.now()
        with timed("perturb numbers"):
            drawn = _field_and_numbers(gallery, run, own)
        if drawn is not None:
            live, spots = drawn
            _around_the_numbers(gallery, live, own, spots)
            _retrieval(gallery, live)
            st.html(join(_lgip(gallery, live, own), _word_weights(live)))
            _image_weights(gallery, live, own)


@dataclass(frozen=True, slots=True)
class _Spots:
    """Places above the chart that are filled when the numbers are on their way."""

    pictures: DeltaGenerator
    warnings: DeltaGenerator
    controls: DeltaGenerator


def _field_and_numbers(
    gallery: Gallery, run: Run | None, own: PerturbAddress
) -> tuple[Live, _Spots] | None:
    """The field, and under it the numbers and the chart; None when there is nothing to score."""
    subject, _ = find_subject(gallery, run, own)
    draw_field(subject)
    scorers = _scorers(gallery, run, own)
    if not scorers:
        note(tag("p", "No model is chosen yet: choose one above."))
        return None
    if not subject.caption.strip():
        note(tag("p", "Type a caption, and its similarities appear here."))
        return None
    st.html(reading_view(subject, scorers))
    live = live_numbers(gallery, scorers, subject, own)
    pictures, headline = st.columns([1, 1], gap="medium")
    spots = _Spots(pictures, st.container(), st.container())
    headline.html(headline_view(live))
    draw_chart(
        [model.column for model in live.models],
        live.candidates,
        live.picked.key if live.picked else "",
        lambda: take_pick("perturbations"),
    )
    return live, spots


def _around_the_numbers(gallery: Gallery, live: Live, own: PerturbAddress, spots: _Spots) -> None:
    """What seldom changes while someone types."""
    chosen = "" if live.subject.query is not None else "chosen by hand"
    spots.pictures.html(pictures_view(gallery, live.images, [chosen, live.subject.how]))
    with spots.warnings:
        for each in live.models:
            _warnings(live.subject, each.scorer, live.images)
    with spots.controls:
        draw_controls(live, own)


def _scorers(gallery: Gallery, run: Run | None, own: PerturbAddress) -> tuple[LiveScorer, ...]:
    if run is not None:
        first = scorer_of(gallery, run.model.spec or run.model.name, run.manifest)
    elif own.model:
        first = scorer_of(gallery, own.model)
    else:
        return ()
    second = scorer_of(gallery, own.second) if own.second else first
    return (first,) if second is first else (first, second)


def _warnings(subject: Subject, scorer: LiveScorer, images: tuple[int, ...]) -> None:
    name = scorer.encoder.identity.name
    if scorer.encoder.identity.drawn and not scorer.gallery.drawn:
        text = " was trained on the drawn demo world: it has never seen a photo."
        note(tag("p", tag("b", name), text))
    if not scorer.can_rank:
        note(tag("p", tag("b", name), f": {NOT_EMBEDDED}."))
    for image in images:
        because = scorer.unscored_because(image, subject.original)
        if because:
            note(tag("p", tag("b", name), f" has no similarity for image {image:,}: {because}."))
    if scorer.encoder.mode == "text-text":
        note(
            tag(
                "p",
                tag("b", name),
                " compares texts with texts: the similarity with an image is that with the best "
                "of its captions, the query itself left out.",
            )
        )
    if "siglip" in name.lower():
        note(
            tag(
                "p",
                tag("b", name),
                " was trained on texts padded to 64 tokens and gets them so here. The LGIP paper "
                "ran it through another library with short padding: its scores may differ.",
            )
        )


def _retrieval(gallery: Gallery, live: Live) -> None:
    first = live.models[0]
    named = []
    for model in live.models:
        name = f"{model.name}: " if len(live.models) > 1 else ""
        if model.comparison.retrieval is not None:
            named.append((f"{name}the caption retrieves", model.comparison.retrieval))
        for one in model.comparison.candidates:
            picked = live.picked is not None and one.candidate.key == live.picked.key
            if picked and one.retrieval is not None:
                named.append((f"{name}“{one.candidate.text}” retrieves", one.retrieval))
    if first.comparison.retrieval is None:
        return
    with st.container(border=True):
        st.html(tag("div", tag("h2", "What it retrieves", id="retrieves"), class_="vx"))
        picked_text = picked_view(live)
        if picked_text is None:
            text = "Choose a perturbation above to see what it retrieves instead."
            st.html(tag("div", tag("p", text, class_="quiet"), class_="vx"))
        else:
            st.html(picked_text)
            assert live.picked is not None
            text = live.picked.text
            st.button(
                "Take it into the field",
                key="perturb-take",
                icon=":material/edit:",
                on_click=lambda: PERTURB.go(caption=text, pick=""),
            )
        retrieved = live.images[1] if len(live.images) > 1 else None
        draw_strips(gallery, live.subject, named, retrieved, lambda: take_pick("strips"))


def _lgip(gallery: Gallery, live: Live, own: PerturbAddress) -> Html:
    parts: list[Html] = []
    for model in live.models:
        identity = model.scorer.encoder.identity
        whole = stored_figures(gallery.id, identity.digest, own.mode)
        if len(live.models) > 1:
            parts.append(tag("h3", model.name))
        parts.append(pair_lgip_view(model.comparison.figures, whole, own.mode, identity.name))
    return tag("div", tag("h2", "LGIP of this pair"), parts, class_="vx stack panel")


def _word_weights(live: Live) -> Html:
    parts = [
        words_view(live.subject.caption, model.weights, model.name, len(live.models) > 1)
        for model in live.models
    ]
    heading = tag("h2", "Word weights")
    explained = tag("p", WHAT_IT_IS, class_="quiet small")
    return tag("div", heading, explained, parts, class_="vx stack panel")


def _image_weights(gallery: Gallery, live: Live, own: PerturbAddress) -> None:
    with st.container(border=True):
        chosen = live.picked.text if live.picked else live.subject.caption
        st.html(
            tag(
                "div",
                tag("h2", "Image weights"),
                tag("p", WHAT_MAPS_ARE, class_="quiet small"),
                tag("p", "For: ", tag("b", chosen)),
                class_="vx",
            )
        )
        maps = [
            MapOf(model.name, model.scorer, model.scorer.vectors([chosen])[0])
            for model in live.models
            if model.scorer.encoder.mode == "image-text"
        ]
        if not maps:
            note(tag("p", "This model compares texts and sees no picture: there is no map."))
            return
        draw_occlusion(gallery, maps, live.images, own.cells)
