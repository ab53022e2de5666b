"""The LGIP page: how invariant to paraphrases and how sensitive to flips the models are."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.result import LgipManifest, LgipResult, list_lgip, open_lgip
from vlmexplain.ui.pages.lgip import kept
from vlmexplain.ui.pages.lgip.figures_table import figures_table, rates_view
from vlmexplain.ui.pages.lgip.lists import draw_flips, draw_paraphrases
from vlmexplain.ui.pages.lgip.paper_models import paper_models_view
from vlmexplain.ui.pages.lgip.plane import plane_view
from vlmexplain.ui.pages.lgip.run_form import draw_run_form, ended_jobs
from vlmexplain.ui.pages.lgip.worst import open_chosen
from vlmexplain.ui.server.jobs import JobView
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.choice import choose
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.job_list import duration
from vlmexplain.ui.shared.lgip_address import LGIP
from vlmexplain.ui.shared.lgip_names import source_name
from vlmexplain.ui.shared.messages import note, problem, told
from vlmexplain.ui.shared.perturb_style import draw_style
from vlmexplain.ui.shared.widgets import follow


def lgip_page() -> None:
    """Draw the page for what the address says."""
    draw_style()
    st.html(
        tag(
            "div",
            tag("h1", "Language-guided invariance probing"),
            tag(
                "p",
                "Paraphrases should leave a similarity where it is; flips, which make the caption "
                "false, should lower it. Three means over (image, caption, text) triples say how "
                "far a model does so. Each is shown with how many triples it rests on.",
                style="max-width:75ch; margin-top:6px",
            ),
            class_="vx",
        )
    )
    with told():
        _draw()


def _draw() -> None:
    choice = choose(LGIP.now())
    if choice.gallery is None:
        note(tag("p", "Probing needs a gallery: import one first, or choose one in the sidebar."))
        _catalogue(())
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    LGIP.go(gallery=short(gallery.id))
    results = list_lgip(gallery.id)
    draw_run_form(gallery)
    ended = ended_jobs()
    # what ended before this session came is no news to it
    shown = st.session_state.setdefault("lgip-shown", {view.number for view in ended})
    for view in ended:
        _came_of(view, gallery.id, view.number not in shown)
        shown.add(view.number)
    if not results:
        note(
            tag("p", tag("b", f"No model has been probed on {gallery.name} yet.")),
            tag("p", "Start one above; the figures appear here and on the Perturb page."),
        )
        _catalogue(results)
        return
    chosen = _chosen(results, choice.run.model.digest if choice.run else "")
    _overview(results, chosen)
    _one_result(gallery, open_lgip(chosen.key), choice.run.key if choice.run else "")
    _catalogue(results)


def _came_of(view: JobView, gallery_id: str, news: bool) -> None:
    """Say that a run is done; one that has just ended is the result shown."""
    finished: LgipResult = view.result
    text = f" is done ({duration(view.took_s)})."
    st.html(tag("div", tag("p", tag("b", view.title), text), class_="vx"))
    if news and finished.manifest.gallery_id == gallery_id:
        LGIP.go(lgip=short(finished.key))


def _chosen(results: Sequence[LgipManifest], digest: str) -> LgipManifest:
    """The result that the address names, else the latest of the sidebar's model, else of any."""
    wanted = LGIP.now().lgip
    found = next((r for r in results if len(wanted) >= 4 and r.key.startswith(wanted)), None)
    if found is None and wanted:
        problem(f"There is no LGIP result {wanted[:40]!r} of this data set; another is shown.")
    chosen = found or next((r for r in results if r.model.digest == digest), results[0])
    # the address names what is shown, so that a copy of it shows the same elsewhere
    LGIP.go(lgip=short(chosen.key))
    return chosen


def _overview(results: Sequence[LgipManifest], chosen: LgipManifest) -> None:
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("h2", "Invariance against sensitivity"),
                plane_view(results, chosen.key),
                tag(
                    "ul",
                    tag("li", tag("i", class_="point paper"), " the paper's rules"),
                    tag("li", tag("i", class_="point careful"), " careful rules"),
                    tag("li", tag("i", class_="point file"), " a file"),
                    class_="plane-legend",
                ),
                figures_table(results, chosen.key),
                tag(
                    "p",
                    "Beside each mean: how many triples. Positive rate: share of flips with a "
                    "strictly lower similarity. Not seen: the edit lies past the context length, "
                    "or the tokens are the same; such triples are part of the means, as in the "
                    "benchmark.",
                    class_="quiet small",
                ),
                class_="vx stack",
            )
        )
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("h2", "Positive rate by flip type"),
                rates_view(results),
                tag("p", "The line is at 50 %: a model that cannot tell.", class_="quiet small"),
                class_="vx stack",
            )
        )


def _one_result(gallery: Gallery, result: LgipResult, run_key: str) -> None:
    open_chosen(gallery, result, run_key)
    st.html(tag("div", tag("h2", "One result in full", style="margin-top:10px"), class_="vx"))
    _choose_result(result.manifest, list_lgip(gallery.id))
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("h3", "Distributions of the gaps"),
                kept.distributions(result.key),
                class_="vx stack",
            )
        )
    with st.container(border=True):
        draw_paraphrases(gallery, result)
    with st.container(border=True):
        draw_flips(gallery, result)


def _choose_result(chosen: LgipManifest, results: Sequence[LgipManifest]) -> None:
    if len(results) < 2:
        return
    names = {r.key: f"{r.model.name}, {source_name(r)}" for r in results}
    follow("lgip-result", chosen.key)
    st.selectbox(
        "Result",
        list(names),
        format_func=names.__getitem__,
        key="lgip-result",
        filter_mode=None,
        on_change=_change_result,
    )


def _change_result() -> None:
    LGIP.go(lgip=short(st.session_state["lgip-result"]), cases="", cases_at=0)


def _catalogue(results: Sequence[LgipManifest]) -> None:
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("h2", "The nine models of the paper"),
                paper_models_view(frozenset(r.model.name for r in results)),
                class_="vx stack",
            )
        )
