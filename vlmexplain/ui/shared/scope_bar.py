"""The bar that says which queries a page is about, and changes it: slices, marked cases."""

from __future__ import annotations

from typing import Any

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.marks import read_marks, wrong_captions
from vlmexplain.overview.saved_slices import (
    LONGEST_NAME,
    SavedSlice,
    delete_slice,
    find_slice,
    list_slices,
    rename_slice,
    save_slice,
)
from vlmexplain.overview.slices import Slice
from vlmexplain.storage import content_key, read_only
from vlmexplain.ui.shared.address import Codec, own_root, short
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.messages import told
from vlmexplain.ui.shared.scope import (
    SCOPE,
    Scope,
    parts_of,
    slice_name,
    sound_scope,
    without_marked,
)
from vlmexplain.ui.shared.widgets import follow


def draw_scope(gallery: Gallery, page: Codec[Any]) -> Scope | None:
    """Draw the bar; the scope, or None when the address names one that there is not."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        scope = sound_scope(gallery, page)
        saved = list_slices(gallery.id)
        if scope is not None:
            st.html(_said(scope.slice, saved, page), width="content")
        with st.popover("Slices", icon=":material/filter_alt:"):
            _saved_slices(gallery, scope.slice if scope else Slice(), saved)
        _marked_switch(gallery.id)
    return scope


def _said(asked: Slice, saved: tuple[SavedSlice, ...], page: Codec[Any]) -> Html:
    if asked == Slice():
        return tag("div", tag("span", "All queries", class_="pill"), class_="vx scope")
    name = _saved_name(asked, saved)
    words = slice_name(asked)
    leave = page.here(**parts_of(Slice()), at=None)
    return tag(
        "div",
        tag("span", tag("b", name or words), f" ({words})" if name else None, class_="pill slice"),
        " ",
        tag("a", "Leave the slice", href=leave),
        class_="vx scope",
    )


def _saved_slices(gallery: Gallery, asked: Slice, saved: tuple[SavedSlice, ...]) -> None:
    names = [each.name for each in saved]
    name = _saved_name(asked, saved)
    if names:
        follow("open-slice", name or None)
        st.selectbox(
            "Saved slices",
            names,
            key="open-slice",
            index=None,
            placeholder="Choose one",
            on_change=_open,
            args=(gallery.id,),
        )
    if asked == Slice():
        st.html(tag("div", tag("p", "To make a slice, choose a line on the Slices view of the "
                    "Overview page.", class_="quiet small"), class_="vx"))  # fmt: skip
        return
    _name_form(gallery, asked, name)
    _links(gallery, name)


def _name_form(gallery: Gallery, asked: Slice, name: str) -> None:
    """Save the slice under a name, or rename or delete the saved one."""
    field = f"slice-name-{content_key([gallery.id, name, repr(asked)])[:16]}"
    st.text_input(
        "Name of this slice", value=name or slice_name(asked), key=field,
        max_chars=LONGEST_NAME, disabled=read_only(),
    )  # fmt: skip
    with st.container(horizontal=True):
        if name:
            st.button("Rename", key="slice-rename", disabled=read_only(), on_click=_rename,
                      args=(gallery.id, name, field))  # fmt: skip
            st.button("Delete", key="slice-delete", disabled=read_only(), on_click=_delete,
                      args=(gallery.id, name, asked))  # fmt: skip
        else:
            st.button("Save", key="slice-save", type="primary", disabled=read_only(),
                      on_click=_save, args=(gallery, asked, field))  # fmt: skip


def _links(gallery: Gallery, name: str) -> None:
    """The addresses to share: one that holds the slice, one that names the saved slice."""
    base = own_root()
    own = {"gallery": short(gallery.id)}
    holds = SCOPE.here(**own, at=None)
    st.html(_small("Link that works wherever the data set is:"))
    st.code(base + holds.removeprefix("./"), language=None, wrap_lines=True)
    if name:
        cleared = parts_of(Slice()) | {"slice": name}
        named = SCOPE.here(**own, **cleared, at=None)
        st.html(_small("Link by name, on this server; it follows what is saved under the name:"))
        st.code(base + named.removeprefix("./"), language=None, wrap_lines=True)


def _marked_switch(gallery_id: str) -> None:
    n = len(wrong_captions(read_marks(gallery_id)))
    follow("marked", without_marked())
    st.toggle(
        f"Without marked cases ({n:,})",
        key="marked",
        help="Leaves out the captions that the Audit page marked as wrong caption or annotation.",
        on_change=lambda: SCOPE.go(
            marked="without" if st.session_state["marked"] else None, at=None
        ),
    )


def _open(gallery_id: str) -> None:
    name = st.session_state["open-slice"]
    with told():
        asked = find_slice(gallery_id, name).slice if name else Slice()
        SCOPE.go(**parts_of(asked), at=None)


def _save(gallery: Gallery, asked: Slice, field: str) -> None:
    with told():
        save_slice(gallery, st.session_state[field], asked)


def _rename(gallery_id: str, name: str, field: str) -> None:
    with told():
        renamed = rename_slice(gallery_id, name, st.session_state[field])
        if SCOPE.now().slice:
            SCOPE.go(slice=renamed.name)


def _delete(gallery_id: str, name: str, asked: Slice) -> None:
    with told():
        delete_slice(gallery_id, name)
        SCOPE.go(**parts_of(asked))  # the slice itself stays


def _saved_name(asked: Slice, saved: tuple[SavedSlice, ...]) -> str:
    """The name under which a slice is saved, the one of the address first; "" for none."""
    names = [each.name for each in saved if each.slice == asked]
    wanted = SCOPE.now().slice
    return wanted if wanted in names else (names[0] if names else "")


def _small(text: str) -> Html:
    return tag("div", tag("p", text, class_="quiet small"), class_="vx")
