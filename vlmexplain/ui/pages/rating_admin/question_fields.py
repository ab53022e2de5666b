"""The fields of a session's questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast, get_args

import streamlit as st

from vlmexplain.ratings.plan.spec import (
    LONGEST_GUIDELINES,
    LONGEST_NAME,
    GroundTruth,
    Kind,
    Scale,
    SessionSpec,
)
from vlmexplain.scoring.run_store import RunManifest
from vlmexplain.ui.pages.rating_admin.basis import Basis
from vlmexplain.ui.pages.rating_admin.class_table import draw_class_table
from vlmexplain.ui.shared.choice import run_name

KINDS: dict[Kind, str] = {
    "rating": "Rate one image",
    "choice": "Choose between two models",
}
GROUND_TRUTH: dict[GroundTruth, str] = {
    "shown": "Shown",
    "hidden": "Hidden",
    "after": "Shown after the answer",
}
assert tuple(KINDS) == get_args(Kind)
assert tuple(GROUND_TRUTH) == get_args(GroundTruth)


def draw_name_and_kind(
    basis: Basis, runs: list[RunManifest], run: RunManifest | None
) -> SessionSpec:
    """Name, kind, and the second model of a choice."""
    asked = basis.questions
    name = st.text_input(
        "Name of the session",
        value=asked.name or (f"Failures of {run.model.name}" if run else ""),
        max_chars=LONGEST_NAME,
        **_kept(basis, "name"),
    )
    kind = _one_of("What is asked", KINDS, asked.kind, basis, "kind")
    asked = replace(asked, name=name or "", kind=kind, run=run.key if run else asked.run)
    if kind != "choice":
        return replace(asked, other_run=None)
    others = {one.key: one for one in runs if run is None or one.key != run.key}
    if not others:
        st.html("<p>A choice needs a second run of this data set: run another model first.</p>")
        return replace(asked, other_run=None)
    known = list(others)
    other = st.selectbox(
        "The other model",
        known,
        index=known.index(asked.other_run) if asked.other_run in others else 0,
        format_func=lambda key: run_name(others[key], runs),
        filter_mode=None,
        **_kept(basis, "other"),
    )
    return replace(asked, other_run=other)


def draw_questions(basis: Basis, asked: SessionSpec) -> SessionSpec:
    """What the rater sees and is asked."""
    first = basis.questions
    st.subheader("What the rater sees", anchor=False)
    truth = _one_of("Ground-truth image", GROUND_TRUTH, first.ground_truth, basis, "truth")
    boxes = st.toggle("Annotated boxes", value=first.boxes, **_kept(basis, "boxes"))
    st.caption("The query and the retrieved image are always shown; scores, metrics and the names "
               "of models never are.")  # fmt: skip
    guidelines = st.text_area(
        "Guidelines (Markdown), shown before the first item",
        value=first.guidelines,
        max_chars=LONGEST_GUIDELINES,
        height=120,
        **_kept(basis, "guidelines"),
    )
    asked = replace(asked, ground_truth=truth, boxes=boxes, guidelines=guidelines or "")
    st.subheader("What the rater answers", anchor=False)
    if asked.kind == "rating":
        asked = replace(asked, scale=_scale(basis))
    else:
        equal = st.toggle(
            "“Both fit equally” is an answer", value=first.equal_allowed, **_kept(basis, "equal")
        )
        asked = replace(asked, equal_allowed=equal)
    comment = st.toggle("Comment (never required)", value=first.comment, **_kept(basis, "comment"))
    return replace(asked, comment=comment, classes=draw_class_table(basis, first.classes))


def draw_raters(basis: Basis, asked: SessionSpec) -> SessionSpec:
    """How the items are handed out."""
    first = basis.questions
    st.subheader("Raters and order", anchor=False)
    everyone = st.toggle(
        "Every rater sees every item",
        value=first.raters_per_item is None,
        **_kept(basis, "everyone"),
    )
    wanted = None
    if not everyone:
        wanted = _whole(st, "Raters per item", first.raters_per_item or 3, 1, basis, "raters")
    left, right = st.columns(2)
    repeats = _whole(
        left, "Repeated items per rater", first.repeats, 0, basis, "repeats",
        "Shown a second time, for self-consistency; they count nowhere else.",
    )  # fmt: skip
    gap = _whole(
        left, "Answers between both times", first.repeat_gap, 1, basis, "gap",
        "At least so many other answers lie between the first and the second time.",
    )  # fmt: skip
    seed = _whole(
        right, "Seed of the order", first.seed, -(2**53) + 1, basis, "seed",
        "Each rater has an order of their own; it follows from this number.",
    )  # fmt: skip
    minutes = _whole(
        right, "Minutes an item waits", round(first.reservation_s / 60), 1, basis, "minutes",
        "An item handed out and not answered goes to others after this time.",
    )  # fmt: skip
    return replace(
        asked,
        raters_per_item=wanted,
        repeats=repeats,
        repeat_gap=gap,
        seed=seed,
        reservation_s=60.0 * minutes,
    )


def _scale(basis: Basis) -> Scale:
    first = basis.questions.scale
    left, right = st.columns(2)
    return Scale(
        lowest=_whole(left, "Lowest rating", first.lowest, 0, basis, "lowest"),
        highest=_whole(right, "Highest rating", first.highest, 1, basis, "highest"),
        lowest_label=left.text_input(
            "What it means", value=first.lowest_label, max_chars=80, **_kept(basis, "low-label")
        )
        or "",
        highest_label=right.text_input(
            "What it means ", value=first.highest_label, max_chars=80, **_kept(basis, "high-label")
        )
        or "",
    )


def _one_of(label: str, options: dict[Any, str], first: Any, basis: Basis, name: str) -> Any:
    found = st.segmented_control(
        label,
        list(options),
        default=first,
        required=True,
        format_func=options.__getitem__,
        wrap=True,
        **_kept(basis, name),
    )
    return cast(Any, found)


def _whole(
    place: Any, label: str, first: int, least: int, basis: Basis, name: str, text: str | None = None
) -> int:
    found = place.number_input(
        label, value=max(first, least), min_value=least, step=1, help=text, **_kept(basis, name)
    )
    return int(found)


def _kept(basis: Basis, name: str) -> dict[str, Any]:
    """Key and lifetime of a field: what was typed is still there after a look at another page."""
    return {"key": basis.key(name), "persist_state": "session"}
