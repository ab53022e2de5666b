"""The caption, typed and followed: the field, what the model reads of it, and what changed."""

from __future__ import annotations

import streamlit as st

from vlmexplain.live.reading import read_text
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.perturb.diff import edits_between
from vlmexplain.ui.pages.perturb.edits_view import changed_text, read_text_view, reading_line
from vlmexplain.ui.pages.perturb.subject import Subject
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.perturb_address import MOST_CHARACTERS, PERTURB
from vlmexplain.ui.shared.widgets import follow

FIELD = "perturb-caption"
PAUSE = "250ms"


def draw_field(subject: Subject) -> None:
    """The text field, and the way back to the query as the data set has it."""
    follow(FIELD, subject.caption)
    st.text_input(
        "Caption: the numbers follow as you type",
        key=FIELD,
        live=PAUSE,
        max_chars=MOST_CHARACTERS,
        placeholder="Type a caption",
        on_change=lambda: _typed(subject.original),
    )
    if subject.original is not None and subject.original != subject.caption:
        st.button(
            "Back to the query's caption",
            icon=":material/undo:",
            key="perturb-back",
            on_click=lambda: PERTURB.go(caption=None, pick=""),
        )


def reading_view(subject: Subject, scorers: tuple[LiveScorer, ...]) -> Html:
    """Token counts, what is cut off, and how the caption differs from the query."""
    parts: list[object] = []
    before: list[object] = []  # two models that read alike need it shown once
    for scorer in scorers:
        reading = read_text(subject.caption, scorer)
        name = scorer.encoder.identity.name
        shown = read_text_view(subject.caption, reading)
        if (reading.cut_from is not None or reading.unknown) and shown != before:
            before = shown
            parts.append(tag("p", shown, class_="as-read", data_read=name))
        parts.append(reading_line(reading, name))
    if subject.original is not None and subject.original != subject.caption:
        parts.append(_difference(subject.original, subject.caption))
    return tag("div", parts, class_="vx reading")


def _difference(original: str, caption: str) -> Html:
    """What was changed word by word; both texts apart where hardly a word stayed."""
    edits = edits_between(original, caption)
    changed = sum(len(edit.before) for edit in edits)
    if 2 * changed > len(original):
        return tag(
            "p",
            tag("span", "The data set's caption: ", class_="quiet small"),
            original,
            class_="edited",
        )
    return tag(
        "p",
        tag("span", "Changed from the data set's caption: ", class_="quiet small"),
        changed_text(original, edits),
        class_="edited",
    )


def _typed(original: str | None) -> None:
    text = st.session_state[FIELD] or ""
    PERTURB.go(caption=None if text == original else text)
