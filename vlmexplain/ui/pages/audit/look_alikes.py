"""Pictures that look alike, for the sign that asks: found by a job, kept, and shown beside."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.audit import same_pictures
from vlmexplain.overview.near_duplicates import (
    PLAIN,
    UNREADABLE,
    WAITING,
    hash_pictures,
    near_groups,
    read_hashes,
)
from vlmexplain.storage import read_only
from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.job_list import show_ended, watch_jobs

JOB = "look-alikes"
SHOW_TWINS = ("same-picture", "looks-the-same")
"""The signs where the page shows the other picture instead of the retrieved one."""


def look_alikes_or_wait(gallery: Gallery) -> NDArray[np.int32] | None:
    """The groups of look-alikes; None until every picture was looked at, and the page says so."""
    found = read_hashes(gallery)
    if found.complete:
        passed = [(found.count(PLAIN), "too plain"), (found.count(UNREADABLE), "unreadable")]
        said = " and ".join(f"{n:,} {why}" for n, why in passed if n)
        if said:
            st.html(tag("div", tag("p", f"Not compared: {said}.", class_="quiet small"),
                        class_="vx"))  # fmt: skip
        groups: NDArray[np.int32] = _groups(gallery, gallery.id)
        return groups
    running = any(view.status == "running" for view in job_registry().views(JOB))
    st.html(tag("div", tag("p", f"This sign looks at every picture once: {found.count(WAITING):,} "
                f"of {gallery.n_images:,} are left to look at. It can be stopped; what is done is "
                "kept.", class_="quiet"), class_="vx"))  # fmt: skip
    if not running and st.button("Look at the pictures", disabled=read_only(),
                                 icon=":material/image_search:"):  # fmt: skip
        title = f"Look-alikes in {gallery.name}"
        job_registry().start(JOB, title, f"{JOB} {gallery.id}", lambda p: hash_pictures(gallery, p))
        st.rerun()
    show_ended(JOB)
    watch_jobs(JOB)
    return None


def twin_of(gallery: Gallery, image_index: int, sign: str) -> int | None:
    """Another picture of the same group, the next one round; None where there is none."""
    groups = _same(gallery, gallery.id) if sign == "same-picture" else _groups(gallery, gallery.id)
    group = int(groups[image_index])
    if group < 0:
        return None
    others = np.flatnonzero(groups == group)
    place = int(np.searchsorted(others, image_index))
    return int(others[(place + 1) % len(others)])


@st.cache_resource(max_entries=2, show_spinner="Comparing the pictures ...")
def _groups(_gallery: Gallery, gallery_id: str) -> NDArray[np.int32]:
    return near_groups(read_hashes(_gallery))


@st.cache_resource(max_entries=2, show_spinner=False)
def _same(_gallery: Gallery, gallery_id: str) -> NDArray[np.int32]:
    return same_pictures(_gallery)
