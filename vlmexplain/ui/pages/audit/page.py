"""The Audit page: suspicious queries, one at a time, with marks that are kept."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.audit import (
    MOST_LISTED,
    NEED_MENTIONS,
    SIGNS,
    AuditSource,
    find_sign,
)
from vlmexplain.overview.gallery_mentions import GalleryMentions
from vlmexplain.overview.marks import VERDICTS, marks_csv, read_marks
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.audit.address import AUDIT
from vlmexplain.ui.pages.audit.caption import draw_caption
from vlmexplain.ui.pages.audit.look_alikes import look_alikes_or_wait
from vlmexplain.ui.pages.audit.mentions import mentions_or_wait
from vlmexplain.ui.shared import caches, kept
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.choice import choose, chosen_run, draw_title
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import note, problem, tells
from vlmexplain.ui.shared.query_rows import draw_rows
from vlmexplain.ui.shared.readonly import told_read_only
from vlmexplain.ui.shared.scope import facts_of
from vlmexplain.ui.shared.whole_model_style import add_style
from vlmexplain.ui.shared.widgets import follow

LOOKS = "looks-the-same"


@tells
def audit_page() -> None:
    """Draw the page: the signs, the captions that carry one, the chosen one with its marks."""
    add_style()
    choice = choose(AUDIT.now())
    draw_title("Audit", choice)
    for each in (*AUDIT.problems(), *choice.problems):
        problem(each)
    run = chosen_run(choice)
    if choice.gallery is None or run is None:
        note(tag("p", "An audit needs a data set that a model has ranked."))
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    told_read_only()
    sign = AUDIT.now().sign
    follow("audit-sign", sign)
    st.segmented_control(
        "Signs of a wrong annotation",
        list(SIGNS),
        format_func=lambda key: SIGNS[key].title,
        key="audit-sign",
        on_change=lambda: AUDIT.go(sign=st.session_state["audit-sign"] or sign, at=0, aquery=None),
    )
    found = mentions_or_wait(gallery) if sign in NEED_MENTIONS else None
    if sign in NEED_MENTIONS and found is None:
        return
    alike = look_alikes_or_wait(gallery) if sign == LOOKS else None
    if sign == LOOKS and alike is None:
        return
    listed = signed(gallery, run, found, alike, run.key, sign)
    marks = read_marks(gallery.id)
    more = "at least " if len(listed) == MOST_LISTED else ""
    said = f"{more}{len(listed):,} captions; {len(marks):,} of this data set are marked."
    st.html(tag("div", tag("p", f"{SIGNS[sign].meaning} {said[0].upper()}{said[1:]}",
                class_="quiet"), class_="vx"))  # fmt: skip
    query = AUDIT.now().aquery
    if query is None and listed:
        query = listed[0]
    if query is not None and query < gallery.n_captions:
        draw_caption(gallery, run, query, marks.get(query), sign)
    columns = kept.run_columns(run.key)

    def row(index: int) -> tuple[str, str, list[str]]:
        link = AUDIT.here(gallery=short(gallery.id), run=short(run.key), aquery=index)
        verdict = VERDICTS[marks[index]] if index in marks else "–"
        return gallery.caption(index).text, link, [f"{int(columns.rank_1based[index]):,}", verdict]

    draw_rows(AUDIT, listed, ("Rank", "Mark"), row, "No caption carries this sign.",
              show="audit-one")  # fmt: skip
    st.download_button(
        "Marks (CSV)", data=lambda: marks_csv(gallery, read_marks(gallery.id)), mime="text/csv",
        file_name="marks.csv", on_click="ignore", icon=":material/download:", disabled=not marks,
    )  # fmt: skip


@st.cache_resource(max_entries=24, show_spinner="Looking ...")
def signed(
    _gallery: Gallery, _run: Run, _mentions: GalleryMentions | None,
    _look_alikes: NDArray[np.int32] | None, run_key: str, sign: str,
) -> tuple[int, ...]:  # fmt: skip
    """The captions that carry a sign."""
    facts = facts_of(_gallery, _gallery.id)
    columns, wordnet = kept.run_columns(run_key), caches.wordnet()
    source = AuditSource(_gallery, columns, facts, wordnet, _mentions, _look_alikes)
    return find_sign(sign, source)
