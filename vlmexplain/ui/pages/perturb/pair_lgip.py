"""LGIP of one caption and its image, beside the model's over the whole gallery."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from vlmexplain.lgip.figures import LgipFigures, Sensitivity
from vlmexplain.lgip.result import LgipManifest, list_lgip
from vlmexplain.perturb.rules import Mode
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.lgip_names import TYPE_NAMES
from vlmexplain.ui.shared.numbers import similarity_text
from vlmexplain.ui.shared.words import percent

MODE_NAMES = {"careful": "careful rules", "paper": "the paper's rules"}


def stored_figures(gallery_id: str, digest: str, mode: Mode) -> LgipManifest | None:
    """The latest LGIP result of a model on a gallery in this mode, if there is one."""
    results: list[LgipManifest] = _results(gallery_id)
    for each in results:
        if each.model.digest == digest and each.perturbations.get("mode") == mode:
            return each
    return None


@st.cache_data(max_entries=8, ttl=5, show_spinner=False)
def _results(gallery_id: str) -> list[LgipManifest]:
    return list_lgip(gallery_id)


def pair_lgip_view(
    figures: LgipFigures, whole: LgipManifest | None, mode: Mode, model: str
) -> Html:
    """A row a figure: of this pair, and of the data set where a result is stored."""
    beside = whole.figures if whole is not None else None
    columns = (figures, beside)
    rows = [
        _row("Invariance error", "low is good", [_error(found) for found in columns]),
        _row("Flips: gap, positive rate", "high is good", [_flips(found) for found in columns]),
    ]
    for kind in figures.by_type:
        cells = [_flips(found, kind) for found in columns]
        rows.append(_row(f"… {TYPE_NAMES.get(kind, kind)}", "", cells))
    notes = [
        f"{figures.not_seen} of these triples change nothing that the model reads: they are part "
        "of the figures, as in the benchmark, and say nothing about sensitivity."
        if figures.not_seen
        else None,
        None
        if whole is not None
        else f"No {mode} LGIP result of {model} on this data set yet: make one on the LGIP page, "
        "and it stands beside this pair's.",
    ]
    titles = [
        tag("th", text, scope="col", class_=side)
        for text, side in (
            ("", None),
            ("This pair", "r"),
            (f"The data set, {MODE_NAMES[mode]}", "r"),
        )
    ]
    return tag(
        "div",
        wide(
            "LGIP of this pair", tag("table", tag("thead", tag("tr", titles)), tag("tbody", rows))
        ),
        [tag("p", note, class_="quiet small") for note in notes if note],
        class_="vx stack",
    )


def _row(name: str, direction: str, cells: Sequence[list[object]]) -> Html:
    label = tag("th", name, tag("small", f" {direction}", class_="quiet"), scope="row")
    return tag("tr", label, [tag("td", cell, class_="r") for cell in cells])


def _error(found: LgipFigures | None) -> list[object]:
    if found is None:
        return ["–"]
    if found.invariance_error is None:
        return _undefined()
    return [tag("b", similarity_text(found.invariance_error)), _count(found.n_invariance)]


def _flips(found: LgipFigures | None, kind: str | None = None) -> list[object]:
    """Gap and positive rate of all flips, or of one type."""
    if found is None:
        return ["–"]
    nothing = Sensitivity(None, None, 0)
    own = found.sensitivity if kind is None else found.by_type.get(kind, nothing)
    if own.gap_mean is None or own.positive_rate is None:
        return _undefined()
    return [
        tag("b", similarity_text(own.gap_mean)),
        ", ",
        tag("b", percent(own.positive_rate)),
        _count(own.count),
    ]


def _undefined() -> list[object]:
    return [tag("span", "undefined", class_="undefined"), tag("small", "no triple", class_="n")]


def _count(count: int) -> Html:
    noun = "triple" if count == 1 else "triples"
    return tag("small", f"{count:,} {noun}", class_="quiet n")
