"""What the captions of a gallery mention, for the signs that ask: at once, or after a job."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.gallery_mentions import GalleryMentions, find_mentions, stored_mentions
from vlmexplain.records import ProgressCallback
from vlmexplain.ui.server.jobs import JobView, job_registry
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.job_list import watch_jobs
from vlmexplain.ui.shared.messages import note

JOB = "mentions"
AT_ONCE = 20_000
"""So many captions are looked at while the page waits."""


def mentions_or_wait(gallery: Gallery) -> GalleryMentions | None:
    """What the captions mention; None while a job finds out, and the page shows how far it is."""
    known: list[GalleryMentions] = _known(gallery, gallery.id)
    if known:
        return known[0]
    title = f"Mentions in the captions of {gallery.name}"
    views = [view for view in job_registry().views(JOB) if view.title == title]
    done = next((view.result for view in views if view.status == "done"), None)
    if isinstance(done, GalleryMentions):
        return done
    if not views or (_stopped(views[0]) and st.button("Look at all captions")):
        job_registry().start(JOB, title, f"{JOB} {gallery.id}", lambda p: _find(gallery, p))
    note(tag("p", f"This sign needs to know what each of {gallery.n_captions:,} captions mentions. "
             "It is found once and kept."))  # fmt: skip
    watch_jobs(JOB)
    return None


@st.cache_resource(max_entries=2, show_spinner="Looking ...")
def _known(_gallery: Gallery, gallery_id: str) -> list[GalleryMentions]:
    """The mentions where they are there or quickly found, as a list of one; else an empty one."""
    if _gallery.n_captions <= AT_ONCE:
        return [find_mentions(_gallery, caches.wordnet())]
    stored = stored_mentions(_gallery)
    return [stored] if stored else []


def _find(gallery: Gallery, progress: ProgressCallback) -> GalleryMentions:
    found = find_mentions(gallery, caches.wordnet(), progress)
    _known.clear()  # the next page reads what is stored
    return found


def _stopped(view: JobView) -> bool:
    return view.status in ("cancelled", "failed")
