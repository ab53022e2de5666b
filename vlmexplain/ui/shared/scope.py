"""Which queries the whole-model pages are about, as the address says: a slice, marked cases or not.

The address holds the slice itself, so that a link works on any server that has the data set;
``slice=NAME`` stands for a slice saved on this one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.overview.gallery_facts import GalleryFacts, gallery_facts, groups_above
from vlmexplain.overview.marks import read_marks, wrong_captions
from vlmexplain.overview.run_columns import RunColumns
from vlmexplain.overview.saved_slices import find_slice, slice_parts
from vlmexplain.overview.slices import Slice, chosen_captions, chosen_rows
from vlmexplain.storage import content_key
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import Codec, ListAddress, one_of, part, text, whole
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.messages import problem
from vlmexplain.ui.shared.words import short_name

PARTS = tuple(field.name for field in fields(Slice))


@dataclass(frozen=True, slots=True)
class ScopeAddress(ListAddress):
    """The address of a page that is about some of a run's queries.

    Attributes:
        slice: name of a saved slice, or "" for what the next six ask.
        concept, above, words_from, words_to, objects_from, objects_to: as in `Slice`.
        marked: ``without`` leaves the cases that were marked as wrong out.
    """

    slice: str = part("", text())
    concept: str = part("", text())
    above: str = part("", text())
    words_from: int = part(0, whole())
    words_to: int | None = part(None, whole())
    objects_from: int = part(0, whole())
    objects_to: int | None = part(None, whole())
    marked: str = part("", one_of("", "without"))


SCOPE = Codec(ScopeAddress, "overview")


@dataclass(frozen=True, slots=True)
class Scope:
    """Some of a gallery's queries.

    Attributes:
        slice: which of them.
        without: captions that are left out.
    """

    slice: Slice = Slice()  # noqa: RUF009  (frozen)
    without: tuple[int, ...] = ()

    @property
    def everything(self) -> bool:
        """Whether no query is left out."""
        return self == Scope()

    @property
    def key(self) -> str:
        """Names the scope in caches."""
        return content_key([slice_parts(self.slice), self.without])


@st.cache_resource(max_entries=2, show_spinner="Reading the gallery ...")
def facts_of(_gallery: Gallery, gallery_id: str) -> GalleryFacts:
    """What slices look at, once a gallery."""
    return gallery_facts(_gallery)


@st.cache_resource(max_entries=4, show_spinner=False)
def groups_of(concepts: tuple[str, ...]) -> dict[str, NDArray[np.intp]]:
    """The supercategories of a gallery."""
    return groups_above(concepts, caches.wordnet().hypernym_closure)


def current_scope(gallery_id: str) -> Scope:
    """The scope that the address names.

    Raises:
        UnknownName: it names a saved slice that there is not.
    """
    return Scope(asked_slice(gallery_id), left_out(gallery_id))


def asked_slice(gallery_id: str) -> Slice:
    """The slice that the address names.

    Raises:
        UnknownName: it names a saved slice that there is not.
    """
    address = SCOPE.now()
    if address.slice:
        return find_slice(gallery_id, address.slice).slice
    return Slice(**{name: getattr(address, name) for name in PARTS})


def without_marked() -> bool:
    """Whether the address leaves marked cases out."""
    return SCOPE.now().marked == "without"


def left_out(gallery_id: str) -> tuple[int, ...]:
    """The captions that are left out: those marked as wrong, when the switch is on."""
    return wrong_captions(read_marks(gallery_id)) if without_marked() else ()


def rows_of(gallery: Gallery, columns: RunColumns, scope: Scope | None = None) -> NDArray[np.bool_]:
    """The queries of a scope, bool [n_queries]; by default of the one that the address names.

    Raises:
        UnknownName: the gallery has no such concept or saved slice.
    """
    scope = scope or current_scope(gallery.id)
    if scope.slice == Slice():  # what the images hold need not be read
        rows = np.ones(len(columns), dtype=bool)
        rows[list(scope.without)] = False
        return rows
    facts = facts_of(gallery, gallery.id)
    groups = groups_of(facts.concepts) if scope.slice.above else {}
    return chosen_rows(columns, facts, scope.slice, groups, scope.without)


def parts_of(asked: Slice) -> dict[str, object]:
    """The parts of the address that name a slice; None takes a part away."""
    kept = slice_parts(asked)
    return {name: kept.get(name) for name in PARTS} | {"slice": None}


def sound_scope(gallery: Gallery, page: Codec[Any]) -> Scope | None:
    """The scope that the address names; None, said with a way out, when there is no such."""
    try:
        scope = current_scope(gallery.id)
        if scope.slice != Slice():
            facts, none = facts_of(gallery, gallery.id), np.zeros(0, dtype=np.int32)
            groups = groups_of(facts.concepts) if scope.slice.above else {}
            chosen_captions(none, none, facts, scope.slice, groups)
        return scope
    except VlmexplainError as error:
        problem(error)
        link = page.here(**parts_of(Slice()), at=None)
        st.html(tag("div", tag("p", tag("a", "Show all queries", href=link)), class_="vx"))
        return None


def slice_name(asked: Slice) -> str:
    """A slice in words.

    >>> slice_name(Slice(concept="dog.n.01", words_from=15))
    'dog, 15 words or more'
    """
    parts = [short_name(asked.concept)] if asked.concept else []
    parts += [f"any {short_name(asked.above)}"] if asked.above else []
    for low, high, what in (
        (asked.words_from, asked.words_to, "words"),
        (asked.objects_from, asked.objects_to, "objects"),
    ):
        if high is not None:
            parts.append(f"{low} {what}" if low == high else f"{low} to {high} {what}")
        elif low:
            parts.append(f"{low} {what} or more")
    return ", ".join(parts) or "all queries"
