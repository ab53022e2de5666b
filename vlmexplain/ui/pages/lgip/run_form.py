"""Starting an LGIP run from the page, as a job in the background."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.lgip.bulk import run_lgip
from vlmexplain.lgip.result import LgipResult
from vlmexplain.models.catalogue import list_models
from vlmexplain.perturb.rules import MODES, Mode
from vlmexplain.records import ProgressCallback
from vlmexplain.scoring.run_store import list_runs
from vlmexplain.storage import content_key
from vlmexplain.ui.server.jobs import JobView, job_registry
from vlmexplain.ui.shared.job_list import show_ended
from vlmexplain.ui.shared.messages import problem
from vlmexplain.ui.shared.readonly import told_read_only
from vlmexplain.ui.shared.watching import watch_while_running

KIND = "lgip"
OTHER = "another, typed below"
FROM_FILE = "a file"


def draw_run_form(gallery: Gallery) -> None:
    """The form, and the jobs that are at work."""
    if told_read_only():
        return
    with st.expander("Probe a model", icon=":material/play_arrow:", expanded=False):
        with st.form("lgip-run"):
            left, middle, right = st.columns([2, 1, 1])
            chosen = left.selectbox("Model", [*_names(gallery), OTHER], key="lgip-model")
            mode = middle.selectbox(
                "Perturbations",
                [*MODES, FROM_FILE],
                key="lgip-mode",
                help=(
                    "paper: the benchmark's own templates and word lists. careful: grammar and "
                    "meaning kept, flips checked against the annotations."
                ),
            )
            seed = right.number_input("Seed", 0, 1_000_000, 0, key="lgip-seed")
            typed = st.text_input(
                "Another model", key="lgip-other", placeholder="ViT-B-16/openai, hf-hub:…, a folder"
            )
            file = st.text_input(
                "File of perturbations on this machine",
                key="lgip-file",
                placeholder="the benchmark's JSON lines, or SugarCrepe's JSON",
            )
            sent = st.form_submit_button("Start", type="primary")
        if sent:
            _send(gallery, chosen, typed or "", mode, int(seed), file or "")
    watch_while_running(KIND)


def ended_jobs() -> list[JobView]:
    """Say how the latest runs ended; those that are done."""
    return show_ended(KIND)


def _names(gallery: Gallery) -> list[str]:
    runs = [m.model for m in list_runs(gallery.id) if m.mode == "image-text"]
    found = dict.fromkeys(model.spec or model.name for model in runs)
    for entry in list_models():
        if entry.mode == "image-text" and entry.status != "missing":
            found.setdefault(entry.spec)
    return list(found)


def _send(gallery: Gallery, chosen: str, typed: str, mode: str, seed: int, file: str) -> None:
    spec = typed.strip() or ("" if chosen == OTHER else chosen)
    if not spec:
        problem("Say which model: choose one from the list or type its name.")
        return
    path = Path(file.strip()).expanduser() if mode == FROM_FILE else None
    if path is not None and not file.strip():
        problem("Say which file holds the perturbations.")
        return
    gallery_id, rules = gallery.id, _mode(mode)

    def work(progress: ProgressCallback) -> LgipResult:
        return run_lgip(
            open_gallery(gallery_id), spec, path, mode=rules, seed=seed, progress=progress
        )

    key = content_key([gallery_id, spec, mode, seed, str(path)])
    job_registry().start(KIND, f"LGIP of {spec} on {gallery.name} ({mode})", key, work)
    st.rerun()


def _mode(chosen: str) -> Mode:
    return next((mode for mode in MODES if mode == chosen), "paper")
