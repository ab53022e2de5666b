"""Another caption or another picture: found by what the captions say."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc
import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ui.pages.perturb.subject import Subject
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.perturb_address import PERTURB
from vlmexplain.ui.shared.thumbnails import thumbnail_address

MOST = 6
_component = register("chooser")


@st.fragment
def draw_chooser(gallery: Gallery, subject: Subject) -> None:
    """A search over the captions, and what can be done with each that is found."""
    if st.session_state.pop("perturb-moved", False):
        st.rerun()  # the whole page is about something else now
    with st.expander("Another query or image", icon=":material/image_search:"):
        st.text_input(
            "Search in captions",
            key="perturb-find",
            live="300ms",
            placeholder="a text that they hold, such as red bus",
            max_chars=200,
        )
        wanted = st.session_state["perturb-find"].strip()
        rows = find_captions(gallery, wanted)
        _component(key="chooser", data=chooser_data(gallery, rows, subject), on_act_change=_act)


def find_captions(gallery: Gallery, wanted: str) -> tuple[int, ...]:
    """The first captions that hold a text, whatever its capitals; the first of all for none."""
    if not wanted:
        return tuple(range(min(MOST, gallery.n_captions)))
    texts = gallery.captions_table.column("text")
    holds = pc.match_substring(texts, wanted, ignore_case=True)
    found = pc.indices_nonzero(holds).slice(0, MOST).to_pylist()
    return tuple(int(row) for row in found)


def chooser_data(gallery: Gallery, rows: tuple[int, ...], subject: Subject) -> dict[str, Any]:
    """What the component draws."""
    return {
        "rows": [
            {
                "query": caption.index,
                "image": caption.image_index,
                "text": caption.text,
                "src": thumbnail_address(gallery, caption.image_index),
                "current": caption.index == subject.query,
                "beside": caption.image_index == subject.image,
            }
            for caption in (gallery.caption(row) for row in rows)
        ]
    }


def _act() -> None:
    act = getattr(st.session_state.get("chooser"), "act", None)
    if not isinstance(act, dict):
        return
    kind, value = act.get("kind"), act.get("value")
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return
    if kind == "query":
        PERTURB.go(query=value, place=None, caption=None, image=None, other=None, pick="")
    elif kind == "image":
        text = st.session_state.get("perturb-caption", "")
        PERTURB.go(query=None, place=None, image=value, caption=text, other=None, pick="")
    elif kind == "other":
        PERTURB.go(other=value)
    st.session_state["perturb-moved"] = True
