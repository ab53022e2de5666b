"""The Import page: COCO or Visual Genome from folders of this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from vlmexplain.datasets.coco import import_coco
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.datasets.visual_genome import import_vg
from vlmexplain.errors import DataError
from vlmexplain.records import ProgressCallback
from vlmexplain.storage import content_key
from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.shared.checks_list import checks_list
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.job_list import duration, show_ended, watch_jobs
from vlmexplain.ui.shared.messages import problem, tells
from vlmexplain.ui.shared.readonly import told_read_only

KIND = "import"
FORMATS = ("COCO", "Visual Genome")

Fields = tuple[tuple[str, str, str, bool], ...]
COCO_FIELDS: Fields = (
    # key, label, example, needed
    ("instances", "Instances (JSON)", "annotations/instances_val2017.json", True),
    ("captions", "Captions (JSON)", "annotations/captions_val2017.json", True),
    ("images", "Image folder", "val2017", True),
    ("synset_table", "Own category → synset table", "optional: TSV or JSON", False),
)
VG_FIELDS: Fields = (
    ("objects", "Objects or scene graphs (JSON)", "objects.json", True),
    ("image_data", "Image data (JSON)", "image_data.json", True),
    ("images", "Image folder", "VG_100K", True),
    ("captions", "COCO captions (JSON)", "optional: joined by coco_id", False),
    ("aliases", "Object aliases (TXT)", "optional: object_alias.txt", False),
    ("coco_map", "COCO id → Visual Genome ids (JSON)", "optional", False),
)
IMPORTERS: dict[str, tuple[Callable[..., Gallery], Fields]] = {
    "COCO": (import_coco, COCO_FIELDS),
    "Visual Genome": (import_vg, VG_FIELDS),
}


@tells
def import_page() -> None:
    """Draw the page: a form, what is being imported, and what came of it."""
    st.html(
        tag(
            "div",
            tag("h1", "Import"),
            tag(
                "p",
                "Paths are paths on the machine the app runs on. Pictures stay where they are and "
                "are only read from inside the folder you give.",
                class_="quiet",
            ),
            class_="vx",
        )
    )
    if told_read_only():
        return
    chosen = st.segmented_control(
        "Format", FORMATS, default=FORMATS[0], required=True, key="import-format"
    )
    _form(str(chosen))
    watch_jobs(KIND)
    for view in show_ended(KIND):
        _came_of(view.result, view.took_s)


def _form(chosen: str) -> None:
    importer, fields = IMPORTERS[chosen]
    with st.form(f"import-{chosen}"):
        given = {
            key: st.text_input(label, placeholder=example, key=f"{chosen}-{key}")
            for key, label, example, _ in fields
        }
        left, right = st.columns(2)
        name = left.text_input("Name of the gallery", placeholder="the image folder's name")
        decode = right.checkbox(
            "Decode every picture (finds damaged files; slower)", value=True, key=f"{chosen}-decode"
        )
        sent = st.form_submit_button("Import", type="primary")
    if sent:
        paths = _paths(given, fields)
        if paths is not None:
            _start(chosen, importer, paths, name.strip(), "decode" if decode else "header")


def _paths(given: dict[str, str | None], fields: Fields) -> dict[str, Path | None] | None:
    """The paths typed in, or None after saying which of them will not do."""
    paths: dict[str, Path | None] = {}
    wrong = []
    for key, label, _, needed in fields:
        text = (given[key] or "").strip()
        path = Path(text).expanduser() if text else None
        paths[key] = path
        if path is None:
            if needed:
                wrong.append(DataError(f"{label} is missing."))
        elif key == "images" and not path.is_dir():
            wrong.append(DataError(f"{label}: there is no such folder.", where=text))
        elif key != "images" and not path.is_file():
            wrong.append(DataError(f"{label}: there is no such file.", where=text))
    for each in wrong:
        problem(each)
    return None if wrong else paths


def _start(
    chosen: str,
    importer: Callable[..., Gallery],
    paths: dict[str, Path | None],
    name: str,
    verify: str,
) -> None:
    folder = paths["images"]
    assert folder is not None
    if not name:
        name = folder.absolute().parent.name if folder.name == "images" else folder.name
    request: dict[str, Any] = {key: str(path) for key, path in paths.items()}

    def work(progress: ProgressCallback) -> Gallery:
        return importer(**paths, name=name or "gallery", verify=verify, progress=progress)

    key = content_key([chosen, name, verify, request])
    job_registry().start(KIND, f"Import of {name}", key, work)
    st.rerun()


def _came_of(gallery: Gallery, took_s: float) -> None:
    summary = gallery.checks()
    taken = ", ".join(f"{n:,} {what}" for what, n in summary.taken)
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("h2", gallery.name),
                tag("p", f"Imported in {duration(took_s)}: {taken}."),
                class_="vx",
            )
        )
        if st.button("Rank its captions with a model", type="primary", key=f"run-{gallery.id}"):
            st.session_state["last-gallery"] = gallery.id
            st.switch_page("pages/run.py")
        st.html(checks_list(summary))
