"""The Audit page: suspicious queries, one at a time, with marks that are kept."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.explain import explain_query
from vlmexplain.handover.roles import roles_of
from vlmexplain.overview.audit import (
    MOST_LISTED,
    NEED_MENTIONS,
    SIGNS,
    AuditSource,
    find_sign,
)
from vlmexplain.overview.gallery_mentions import GalleryMentions
from vlmexplain.overview.marks import VERDICTS, mark, marks_csv, read_marks
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import read_only
from vlmexplain.ui import caches, state
from vlmexplain.ui.audit.mentions import mentions_or_wait
from vlmexplain.ui.choice import SHOWN_DIGITS, choose, chosen_run
from vlmexplain.ui.html import tag
from vlmexplain.ui.messages import note, tells, told
from vlmexplain.ui.overview import address, kept
from vlmexplain.ui.overview.links import explore_link
from vlmexplain.ui.overview.page import add_style
from vlmexplain.ui.overview.photo import photo
from vlmexplain.ui.overview.query_rows import draw_rows
from vlmexplain.ui.overview.scope import facts_of
from vlmexplain.ui.readonly import told_read_only
from vlmexplain.ui.widgets import follow

PAGE = "audit"


@tells
def audit_page() -> None:
    """Draw the page: the signs, the captions that carry one, the chosen one with its marks."""
    add_style()
    st.html(tag("div", tag("h1", "Audit"), class_="vx"))
    choice = choose(state.current())
    run = chosen_run(choice)
    if choice.gallery is None or run is None:
        note(tag("p", "An audit needs a data set that a model has ranked."))
        return
    gallery = caches.gallery(choice.gallery.id, choice.gallery.images_folder)
    told_read_only()
    sign = address.part("sign", SIGNS, "lowest")
    follow("audit-sign", sign)
    st.segmented_control(
        "Signs of a wrong annotation",
        list(SIGNS),
        format_func=lambda key: SIGNS[key].title,
        key="audit-sign",
        on_change=lambda: address.put(
            sign=st.session_state["audit-sign"] or sign, at=None, aquery=None
        ),
    )
    found = mentions_or_wait(gallery) if sign in NEED_MENTIONS else None
    if sign in NEED_MENTIONS and found is None:
        return
    listed = signed(gallery, run, found, run.key, sign)
    marks = read_marks(gallery.id)
    more = " at least" if len(listed) == MOST_LISTED else ""
    st.html(tag("div", tag("p", f"{SIGNS[sign].meaning}{more} {len(listed):,} captions; ",
                f"{len(marks):,} captions of this data set are marked.", class_="quiet"),
                class_="vx"))  # fmt: skip
    query = address.number("aquery", listed[0] if listed else None)
    if query is not None and query < gallery.n_captions:
        _one(gallery, run, query, marks.get(query))
    columns = kept.run_columns(run.key)

    def row(index: int) -> tuple[str, str, list[str]]:
        link = address.same_page(PAGE, gallery=gallery.id[:SHOWN_DIGITS],
                                 run=run.key[:SHOWN_DIGITS], aquery=index)  # fmt: skip
        verdict = VERDICTS[marks[index]] if index in marks else "–"
        return gallery.caption(index).text, link, [f"{int(columns.rank_1based[index]):,}", verdict]

    draw_rows(PAGE, listed, ("Rank", "Mark"), row, "No caption carries this sign.")
    st.download_button(
        "Marks (CSV)", data=lambda: marks_csv(gallery, read_marks(gallery.id)), mime="text/csv",
        file_name="marks.csv", on_click="ignore", icon=":material/download:", disabled=not marks,
    )  # fmt: skip


@st.cache_resource(max_entries=24, show_spinner="Looking ...")
def signed(
    _gallery: Gallery, _run: Run, _mentions: GalleryMentions | None, run_key: str, sign: str
) -> tuple[int, ...]:
    """The captions that carry a sign."""
    facts = facts_of(_gallery, _gallery.id)
    source = AuditSource(_gallery, kept.run_columns(run_key), facts, caches.wordnet(), _mentions)
    return find_sign(sign, source)


def _one(gallery: Gallery, run: Run, query: int, verdict: str | None) -> None:
    """The caption with its picture and the retrieved one, the other captions, and the marks."""
    found = explain_query(gallery, run, query, table=caches.queries_of(run, gallery))
    truth, other = found.ground_truth, found.retrieved
    assert truth.image_index is not None
    said = [c.text for c in gallery.captions_of(truth.image_index) if c.index != query]
    rank = "unranked" if found.rank_1based is None else f"rank {found.rank_1based:,}"
    link = explore_link(gallery.id, run.key, {"query": query, "failures": "no"})
    st.html(tag("div", tag("div", tag("blockquote", found.query),
                tag("p", f"{rank} · ", tag("a", "all evidence", href=link, target="_self"),
                    class_="about"), class_="query"), class_="vx"))  # fmt: skip
    with st.container(horizontal=True):
        for key, label in VERDICTS.items():
            st.button(
                f"{label} ✓" if verdict == key else label,
                key=f"mark-{key}",
                type="primary" if verdict == key else "secondary",
                disabled=read_only(),
                on_click=_take,
                args=(gallery, query, None if verdict == key else key),
            )
    left, middle, right = st.columns([2, 2, 1])
    annotations = other.annotations if other else truth.annotations
    roles = roles_of(truth.annotations, annotations)
    left.html(photo(gallery, truth.image_index, truth.annotations, roles, "Ground truth", rank,
                    "audit-left"))  # fmt: skip
    if other is not None and other.image_index is not None:
        middle.html(photo(gallery, other.image_index, other.annotations, roles, "Retrieved",
                          "place 1", "audit-right"))  # fmt: skip
    right.html(tag("div", tag("h3", "Its other captions"), tag("ul", [tag("li", t) for t in said])
                   if said else tag("p", "none", class_="quiet"), class_="vx small"))  # fmt: skip


def _take(gallery: Gallery, query: int, verdict: str | None) -> None:
    with told():
        mark(gallery, query, verdict)
