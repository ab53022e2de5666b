"""The form of a session: items, what the rater sees and answers, who gets what, a preview."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.ratings.organiser.sessions import Session, change_questions, create_session
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.sampling import sample_items
from vlmexplain.ratings.plan.spec import SessionSpec, check_spec
from vlmexplain.ratings.plan.spec_toml import SessionPlan
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.run_items import asked_captions, items_of_queries, session_of_items, session_of_run
from vlmexplain.scoring.run_store import list_runs
from vlmexplain.ui.pages.rating_admin.access import require_change
from vlmexplain.ui.pages.rating_admin.address import SESSIONS
from vlmexplain.ui.pages.rating_admin.basis import Basis, basis, begin
from vlmexplain.ui.pages.rating_admin.item_fields import AskedItems, draw_items
from vlmexplain.ui.pages.rating_admin.preview import preview
from vlmexplain.ui.pages.rating_admin.question_fields import (
    draw_name_and_kind,
    draw_questions,
    draw_raters,
)
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.choice import choose
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import told

MOST_ITEMS = 10_000


def draw_form(store: RatingStore) -> None:
    """The fields on the left; on the right what comes of them, and the button."""
    form = basis()
    choice = choose(SESSIONS.now())
    manifest = choice.gallery
    gallery = None if manifest is None else caches.gallery(
        manifest.id, manifest.images_folder, manifest.name
    )  # fmt: skip
    runs = list_runs(manifest.id) if manifest else []
    left, right = st.columns([3, 2], gap="large")
    items: AskedItems | None = None
    with left:
        asked = draw_name_and_kind(form, runs, choice.run)
        asked = replace(asked, gallery=gallery.id if gallery else None)
        with told():
            items = draw_items(form, asked, gallery)
        asked = draw_questions(form, asked)
        asked = draw_raters(form, asked)
    with right, st.container(key="outcome"):
        st.subheader("What the rater gets", anchor=False)
        if items is not None:
            with told():
                _draw_outcome(store, form, asked, items, gallery)


def make_session(
    store: RatingStore, asked: SessionSpec, items: AskedItems, editing: str | None = None
) -> Session:
    """Keep the session as a draft, or change the draft ``editing``.

    Raises:
        NotOrganiser: the visitor may not.
        VlmexplainError: the questions or items are no good, or cannot be kept.
    """
    require_change()
    if items.given is not None:
        given = replace(asked, run=None, other_run=None)
        spec, chosen = session_of_items(SessionPlan(given, items.request), items.given)
    else:
        spec, chosen = session_of_run(SessionPlan(asked, items.request))
    if editing is None:
        return create_session(store, spec, chosen)
    return change_questions(store, editing, spec, chosen)


def _draw_outcome(
    store: RatingStore, form: Basis, asked: SessionSpec, items: AskedItems, gallery: Gallery | None
) -> None:
    check_spec(asked)
    n_items, first = _first_item(asked, items, gallery)
    if n_items > MOST_ITEMS:
        raise DataError(
            f"{n_items:,} items are more than raters can answer; at most {MOST_ITEMS:,}.",
            where="items",
            remedy="Draw a sample.",
        )
    st.html(preview(asked, first, gallery))
    each = asked.raters_per_item
    work = f"{n_items * each:,} answers in all" if each else "one answer per item and rater"
    st.html(tag("div", tag("p", f"{n_items:,} items, {len(asked.classes)} classes, {work}.",
                           class_="num"), class_="vx"))  # fmt: skip
    label = "Keep the changes" if form.editing else "Make the session"
    if st.button(label, type="primary", key="make-session", width="stretch"):
        session = make_session(store, asked, items, form.editing)
        begin()
        SESSIONS.go(session=session.id, new=False)
        st.rerun()
    st.html(tag("div", tag("p", "It is kept as a draft; raters can join once you open it.",
                           class_="quiet small"), class_="vx"))  # fmt: skip


def _first_item(
    asked: SessionSpec, items: AskedItems, gallery: Gallery | None
) -> tuple[int, RatingItem]:
    """How many items the session will have, and the first of them."""
    request = items.request
    if items.given is not None:
        chosen = items.given
        if request.sample is not None:
            chosen = sample_items(
                chosen, request.sample, request.seed, request.stratify_by, request.strata
            )
        if not chosen:
            raise DataError("the file holds no items.", where="items")
        return len(chosen), chosen[0]
    assert asked.run is not None and gallery is not None
    run = caches.run(asked.run)
    other = caches.run(asked.other_run) if asked.other_run else None
    if asked.kind == "choice" and other is None:
        raise DataError("a choice needs a second model.", where="session")
    captions = asked_captions(run, other, request)
    if not len(captions):
        raise DataError("no query can be asked about.", where="items")
    row = caches.queries_of(run, gallery).row(int(captions[0]))
    taken = {row.caption_index: int(other.top_k_images[row.caption_index, 0])} if other else None
    return len(captions), items_of_queries([row], taken)[0]
