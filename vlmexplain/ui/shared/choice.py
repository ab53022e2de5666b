"""Which data set and which run a page is about: from the address, else as chosen last."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from vlmexplain.datasets.gallery import Gallery, GalleryManifest, list_galleries
from vlmexplain.scoring.run_store import Run, RunManifest, list_runs
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import PageAddress, send, short
from vlmexplain.ui.shared.explore_address import EXPLORE, ExploreAddress
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.words import DRAWN, drawn_pill

EXAMPLE_ID = "example"
MODES = {
    "image-text": "caption with images",
    "text-text": "caption with the other captions of each image",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What a page is about.

    Attributes:
        gallery: None for the worked example.
        run: None when the gallery has none.
        problems: what in the address could not be followed, a sentence each.
    """

    gallery: GalleryManifest | None
    run: RunManifest | None
    problems: tuple[str, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether its numbers are of drawn scenes, or of a model trained on them."""
        return any(one is not None and one.drawn for one in (self.gallery, self.run))


def choose(address: PageAddress) -> Choice:
    """Follow the address; what it leaves open or gets wrong falls back on the latest."""
    galleries = list_galleries()
    problems = []
    wanted = address.gallery or st.session_state.get("last-gallery", "")
    gallery = _gallery(wanted, galleries)
    if gallery is None and wanted != EXAMPLE_ID:
        gallery = _default(galleries)
        if address.gallery:
            instead = gallery.name if gallery else "the worked example"
            problems.append(
                f"There is no data set {address.gallery!r} here; {instead} is shown instead."
            )
    if gallery is None:
        return Choice(None, None, tuple(problems))
    runs = list_runs(gallery.id)
    wanted_run = address.run or st.session_state.get("last-run", "")
    run = next((r for r in runs if wanted_run and r.key.startswith(wanted_run)), None)
    if run is None:
        run = runs[0] if runs else None
        if address.run and not problems:
            instead = f"{run.model.name} is shown instead" if run else "it has no run yet"
            problems.append(f"{gallery.name} has no run {address.run!r}; {instead}.")
    return Choice(gallery, run, tuple(problems))


def chosen_gallery() -> Gallery | None:
    """The gallery chosen for this page, opened; None for the worked example."""
    manifest = choose(EXPLORE.now()).gallery
    return caches.gallery(manifest.id, manifest.images_folder, manifest.name) if manifest else None


def chosen_run(choice: Choice) -> Run | None:
    """The run of a choice, opened."""
    return caches.run(choice.run.key) if choice.run else None


def draw_title(title: str, choice: Choice) -> None:
    """The page's heading, which says when it is about the drawn demo world."""
    label = drawn_pill() if choice.drawn else None
    st.html(tag("div", tag("h1", title, " ", label), class_="vx"))


def draw_choice(choice: Choice) -> None:
    """The sidebar: data set, model, and what kind of comparison it makes."""
    galleries = list_galleries()
    ids = [*(g.id for g in galleries), EXAMPLE_ID]
    names = {g.id: _gallery_name(g) for g in galleries} | {EXAMPLE_ID: "Worked example (zebras)"}
    gallery = choice.gallery.id if choice.gallery else EXAMPLE_ID
    st.session_state["choose-gallery"] = gallery
    st.selectbox(
        "Data set",
        ids,
        format_func=names.__getitem__,
        key="choose-gallery",
        on_change=_change_gallery,
        filter_mode=None,
    )
    runs = {r.key: r for r in list_runs(choice.gallery.id)} if choice.gallery else {}
    if choice.run is not None:
        st.session_state["choose-run"] = choice.run.key
        st.selectbox(
            "Model",
            list(runs),
            format_func=lambda key: run_name(runs[key], list(runs.values())),
            key="choose-run",
            on_change=_change_run,
            filter_mode=None,
        )
        _about_model(choice.run)
    remember(choice)


def _about_model(run: RunManifest) -> None:
    facts = [
        ("compares", MODES[run.mode]),
        ("failures", f"{run.n_failures:,} of {run.n_queries:,} queries"),
        *run.model.facts,
        ("digest", run.model.digest[:16]),
    ]
    rows = [(tag("dt", name), tag("dd", value)) for name, value in facts]
    with st.expander("About this model"):
        st.html(tag("div", tag("dl", rows, class_="facts narrow"), class_="vx"))


def remember(choice: Choice) -> None:
    """Keep the choice for the session's other pages."""
    st.session_state["last-gallery"] = choice.gallery.id if choice.gallery else EXAMPLE_ID
    st.session_state["last-run"] = choice.run.key if choice.run else ""


def _gallery(wanted: str, galleries: list[GalleryManifest]) -> GalleryManifest | None:
    if not wanted or wanted == EXAMPLE_ID:
        return None
    by_id = [g for g in galleries if len(wanted) >= 4 and g.id.startswith(wanted)]
    return next(iter(by_id or [g for g in galleries if wanted in g.names]), None)


def _default(galleries: list[GalleryManifest]) -> GalleryManifest | None:
    with_run = {r.gallery_id for r in list_runs()}
    return next((g for g in galleries if g.id in with_run), galleries[0] if galleries else None)


def _gallery_name(gallery: GalleryManifest) -> str:
    drawn = f" ({DRAWN})" if gallery.drawn and "drawn" not in gallery.name else ""
    return f"{gallery.name}{drawn}"


def run_name(run: RunManifest, runs: list[RunManifest]) -> str:
    """A run's model, with what tells it from the others of the same model."""
    same = [r for r in runs if r.model.name == run.model.name]
    return run.model.name if len(same) == 1 else f"{run.model.name} ({run.key[:6]}, top {run.k})"


def _change_gallery() -> None:
    gallery = st.session_state["choose-gallery"]
    st.session_state["last-gallery"], st.session_state["last-run"] = gallery, ""
    _start_over(gallery)


def _start_over(gallery: str) -> None:
    """Go to another data set: only the options of the metrics are kept."""
    before = EXPLORE.now()
    after = ExploreAddress(
        gallery=short(gallery),
        threshold=before.threshold,
        relative_to=before.relative_to,
        informed=before.informed,
    )
    send(EXPLORE.write(after))


def _change_run() -> None:
    run = st.session_state["choose-run"]
    st.session_state["last-run"] = run
    EXPLORE.go(run=short(run), place=1, pair=0, page=0)
