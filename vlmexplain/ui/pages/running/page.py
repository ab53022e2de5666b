"""The Run page: a model ranks every caption of a gallery, and its failures are scored."""

from __future__ import annotations

import streamlit as st

from vlmexplain.models.catalogue import list_models
from vlmexplain.records import ProgressCallback
from vlmexplain.scoring.run import Run, list_runs, run
from vlmexplain.storage import content_key
from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.shared.choice import chosen_gallery
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.job_list import duration, show_ended, watch_jobs
from vlmexplain.ui.shared.messages import note, problem, tells
from vlmexplain.ui.shared.readonly import told_read_only

KIND = "run"
OTHER = "another: an open_clip tag, hf-hub: name, checkpoint or folder"


@tells
def run_page() -> None:
    """Draw the page: choose a model, watch it work, see the runs there are."""
    st.html(tag("div", tag("h1", "Run a model"), class_="vx"))
    gallery = chosen_gallery()
    if gallery is None:
        note(tag("p", "A run needs a gallery: import one first, or choose one in the sidebar."))
        return
    st.html(
        tag(
            "div",
            tag("p", "On ", tag("b", gallery.name), f": {gallery.n_captions:,} captions, "
                f"{gallery.n_images:,} images. The model ranks all images for each caption; every "
                "caption whose first image is not its own is a failure."),
            class_="vx",
        )
    )  # fmt: skip
    if told_read_only():
        st.html(_runs(gallery.id))
        return
    with st.form("run-form"):
        models = {entry.spec: entry for entry in list_models()}
        ready = sorted(models, key=lambda spec: models[spec].status != "available")
        chosen = st.selectbox(
            "Model",
            [*ready, OTHER],
            format_func=lambda spec: f"{spec} ({models[spec].status})" if spec in models else spec,
            key="run-model",
        )
        typed = st.text_input(
            "Another model",
            placeholder="ViT-B-32/laion2b_s34b_b79k, hf-hub:…, or a folder",
            key="run-other",
        )
        st.html(_notes())
        sent = st.form_submit_button("Run", type="primary")
    if sent:
        spec = (typed or "").strip() if chosen == OTHER or (typed or "").strip() else chosen
        if not spec:
            problem("Say which model: choose one from the list or type its name.")
        else:
            _start(gallery.id, gallery.name, spec)
    watch_jobs(KIND)
    for view in show_ended(KIND):
        _came_of(view.result, view.took_s)
    st.html(_runs(gallery.id))


def _start(gallery_id: str, gallery_name: str, spec: str) -> None:
    from vlmexplain.datasets.gallery import open_gallery

    def work(progress: ProgressCallback) -> Run:
        return run(open_gallery(gallery_id), spec, progress=progress)

    key = content_key([gallery_id, spec])
    job_registry().start(KIND, f"{spec} on {gallery_name}", key, work)
    st.rerun()


def _notes() -> Html:
    rows = [
        tag(
            "tr",
            tag("td", tag("code", e.spec)),
            tag("td", e.mode),
            tag("td", e.note),
            tag("td", e.status, ": ", e.because),
        )
        for e in list_models()
    ]
    return tag(
        "div",
        tag("details", tag("summary", "What the models of the list are"),
            wide("Models", tag("table", tag("tbody", rows)))),
        class_="vx",
    )  # fmt: skip


def _came_of(finished: Run, took_s: float) -> None:
    left, right = st.columns([4, 1], vertical_alignment="center")
    left.html(
        tag(
            "div",
            tag("p", tag("b", finished.model.name), f" is ready ({duration(took_s)})."),
            class_="vx",
        )
    )
    if right.button("Explore", type="primary", key=f"open-{finished.key}", width="stretch"):
        st.session_state["last-gallery"] = finished.gallery_id
        st.session_state["last-run"] = finished.key
        st.switch_page("pages/explore.py")


def _runs(gallery_id: str) -> Html:
    runs = list_runs(gallery_id)
    if not runs:
        return tag("div", tag("p", "No run of this gallery yet.", class_="quiet"), class_="vx")
    return tag(
        "div",
        tag("h2", "Runs of this gallery", style="margin:12px 0 6px"),
        [
            tag(
                "details",
                tag("summary", tag("b", each.model.name), f" · {each.mode}"),
                tag(
                    "dl",
                    [
                        (tag("dt", name), tag("dd", value))
                        for name, value in (*each.model.facts, ("digest", each.model.digest))
                    ],
                    class_="facts",
                    style="margin:6px 0 10px",
                ),
            )
            for each in runs
        ],
        class_="vx",
    )
