"""The chart of all perturbations: one line of similarities for each image and model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vlmexplain.live.candidates import Candidates
from vlmexplain.live.comparison import Comparison, ScoredCandidate
from vlmexplain.perturb.perturbation import Expects
from vlmexplain.perturb.rules import RULE_BY_KEY
from vlmexplain.perturb.seen import TIE
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.numbers import MINUS, rank_change, rank_text, shift_text, similarity_text
from vlmexplain.ui.shared.words import place_text

_component = register("perturbations")

GROUPS: dict[Expects, tuple[str, str]] = {
    "same": ("Should change nothing", "The meaning is kept: the points should stay on the line."),
    "drop": (
        "Should fall on the ground truth",
        "The caption is made false: on the left the points should lie left of the line.",
    ),
    "unknown": ("No expectation", "Neither is sure; look at what the model makes of it."),
}
NOT_SEEN = {
    "past the cut": "✂ past the cut: not seen by the model",
    "same tokens": "= the model reads the same: unknown words, or the same tokens",
}
MOST_PAST_CUT = 5
"""Perturbations past the cut that a group lists; the others are counted."""
UNASKED = frozenset({"own-text"})
"""Rules that are not listed as not applicable: the text field itself is the user's own text."""


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """One model in the chart."""

    name: str
    comparison: Comparison


def draw_chart(
    columns: Sequence[ModelColumn],
    candidates: Candidates,
    pick: str,
    on_act: Callable[[], None],
) -> None:
    """Mount the component; the perturbation that a person chooses arrives as ``act``."""
    _component(
        key="perturbations",
        data=chart_data(columns, candidates, pick),
        on_act_change=on_act,
    )


def chart_data(columns: Sequence[ModelColumn], candidates: Candidates, pick: str) -> dict[str, Any]:
    """What the component draws."""
    scales = [_Scale.over(column.comparison) for column in columns]
    places = dict(_occurrences(candidates))
    rows: dict[Expects, list[dict[str, Any]]] = {expects: [] for expects in GROUPS}
    past_cut = dict.fromkeys(GROUPS, 0)
    for place, one in enumerate(columns[0].comparison.candidates):
        of_models = [column.comparison.candidates[place] for column in columns]
        expects, key = one.candidate.perturbation.expects, one.candidate.key
        if all(own.scored.visibility == "past the cut" for own in of_models):
            past_cut[expects] += 1
            if past_cut[expects] > MOST_PAST_CUT and key != pick:
                continue
        rows[expects].append(_row(of_models, columns, scales, places.get(key, "")))
    return {
        "models": [_model(column, scale) for column, scale in zip(columns, scales, strict=True)],
        "groups": [
            {
                "key": expects,
                "title": title,
                "hint": hint,
                "rows": rows[expects],
                "more_past_cut": max(0, past_cut[expects] - MOST_PAST_CUT),
            }
            for expects, (title, hint) in GROUPS.items()
            if rows[expects]
        ],
        "not_applicable": [
            {"title": RULE_BY_KEY[one.rule].title, "because": one.because}
            for one in candidates.not_applicable
            if one.rule not in UNASKED
        ],
        "chosen": pick or None,
    }


@dataclass(frozen=True, slots=True)
class _Scale:
    """The similarities that fit on the line, and where each lies."""

    low: float
    high: float
    step: float

    @classmethod
    def over(cls, comparison: Comparison) -> _Scale:
        """A round scale over everything one model says."""
        values = [*comparison.scores]
        for one in comparison.candidates:
            values += one.scored.scores
        known = [value for value in values if not math.isnan(value)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        span = max(high - low, 1e-3)
        step = _round_step(span / 4)
        first, last = low - 0.06 * span, high + 0.06 * span
        return cls(first, last, step)

    def at(self, value: float) -> float | None:
        """Per cent from the left; None for no value."""
        if math.isnan(value):
            return None
        return round(100 * (value - self.low) / (self.high - self.low), 3)

    def ticks(self) -> list[dict[str, Any]]:
        """The round values on the scale."""
        decimals = max(0, -math.floor(math.log10(self.step)))
        first = math.ceil(self.low / self.step)
        last = math.floor(self.high / self.step)
        return [
            {
                "at": self.at(n * self.step),
                "text": f"{n * self.step:.{decimals}f}".replace("-", MINUS),
            }
            for n in range(first, last + 1)
        ]


def _round_step(wanted: float) -> float:
    power: float = 10.0 ** math.floor(math.log10(wanted))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= wanted)


def _model(column: ModelColumn, scale: _Scale) -> dict[str, Any]:
    comparison = column.comparison
    return {
        "name": column.name,
        "ticks": scale.ticks(),
        "panels": [
            {"title": title, "at": scale.at(value), "value": similarity_text(value)}
            for title, value in zip(("Ground truth", "Retrieved"), comparison.scores, strict=False)
        ],
        "rank": rank_text(comparison.retrieval),
    }


def _occurrences(candidates: Candidates) -> Iterator[tuple[str, str]]:
    """For each change of a word that the caption has more than once, which of them it is."""
    starts: dict[str, list[int]] = {}
    for match in re.finditer(r"\w+", candidates.caption):
        starts.setdefault(match[0].lower(), []).append(match.start())
    for one in (*candidates.drawn, *candidates.offered):
        made = one.perturbation
        named = made.note.partition(" →")[0].lower()  # not the article that changes with it
        found = starts.get(named, [])
        places = [edit.start for edit in made.edits if edit.before.lower() == named]
        if len(found) > 1 and places and places[0] in found:
            yield one.key, f"{place_text(found.index(places[0]) + 1)} of {len(found)}"


def _row(
    of_models: Sequence[ScoredCandidate],
    columns: Sequence[ModelColumn],
    scales: Sequence[_Scale],
    which: str,
) -> dict[str, Any]:
    candidate = of_models[0].candidate
    one = candidate.perturbation
    return {
        "key": candidate.key,
        "rule": candidate.rule.title,
        "change": change_text(one.note),
        "which": which,
        "text": candidate.text,
        "note": one.note,
        "expects": one.expects,
        "verified": one.verified,
        "drawn": one.drawn,
        "inside": bool(one.baseline),
        "cells": [_cells(own, scale) for own, scale in zip(of_models, scales, strict=True)],
        "ranks": [
            _rank(column.comparison, own) for own, column in zip(of_models, columns, strict=True)
        ],
        "not_seen": [NOT_SEEN.get(own.scored.visibility) for own in of_models],
    }


def _cells(own: ScoredCandidate, scale: _Scale) -> list[dict[str, Any]]:
    cells = []
    for side, (value, gap, tie) in enumerate(
        zip(own.scored.scores, own.scored.gaps, own.scored.ties, strict=True)
    ):
        base = value + gap
        preferred = (
            side == 0
            and own.candidate.perturbation.expects == "drop"
            and own.scored.visibility == "seen"
            and gap < -TIE
        )
        cells.append(
            {
                "at": scale.at(value),
                "base": scale.at(base),
                "value": similarity_text(value),
                "shift": shift_text(-gap),
                "tie": tie,
                "preferred": preferred,
            }
        )
    return cells


def _rank(comparison: Comparison, own: ScoredCandidate) -> dict[str, str]:
    text, change = rank_change(comparison.retrieval, own.retrieval)
    return {"text": text, "change": change}


def change_text(note: str) -> str:
    """The change in a few words, from a perturbation's note.

    >>> change_text("red → gray; the annotations have no colours, so this is not verified")
    'red → gray'
    >>> change_text("dog → cat; not checked; inside: in this image, {}")
    'dog → cat, in “in this image, …”'
    """
    parts = [part.strip().replace("{}", "…") for part in note.split(";")]
    inside = next((p.removeprefix("inside: ") for p in parts if p.startswith("inside: ")), None)
    first = parts[0].split(", its opposite")[0].split(", a synonym")[0]
    return f"{first}, in “{inside}”" if inside else first
