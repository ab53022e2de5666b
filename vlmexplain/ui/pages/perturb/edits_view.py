"""Texts with what changed in them, what is cut off, and what the model has no word for."""

from __future__ import annotations

from collections.abc import Sequence

from vlmexplain.live.reading import Reading
from vlmexplain.perturb.perturbation import Edit
from vlmexplain.ui.shared.html import Html, tag


def changed_text(caption: str, edits: Sequence[Edit]) -> list[object]:
    """The caption in pieces: what was taken out struck through, what came in marked."""
    pieces: list[object] = []
    place = 0
    for edit in edits:
        pieces.append(caption[place : edit.start])
        if edit.before:
            pieces.append(tag("del", edit.before))
        if edit.before and edit.after:
            pieces.append(" ")
        if edit.after:
            pieces.append(tag("ins", edit.after))
        place = edit.end
    return [*pieces, caption[place:]]


def read_text_view(caption: str, reading: Reading) -> list[object]:
    """The caption in pieces: unknown words dotted, what is cut off struck through."""
    end = len(caption) if reading.cut_from is None else reading.cut_from
    pieces: list[object] = []
    place = 0
    for start, stop in reading.unknown:
        if start >= end:
            break
        pieces += [
            caption[place:start],
            tag("u", caption[start:stop], title="unknown to the model"),
        ]
        place = stop
    pieces.append(caption[place:end])
    if end < len(caption):
        pieces.append(tag("s", caption[end:], title="cut off: not seen by the model"))
    return pieces


def reading_line(reading: Reading, model: str) -> Html:
    """How many tokens of the context length are used, and what is lost."""
    full = reading.n_tokens > reading.context_length
    share = min(1.0, reading.n_tokens / max(1, reading.context_length))
    parts: list[object] = [
        tag("b", f"{reading.n_tokens:,} of {reading.context_length:,} tokens"),
        f" ({model}, start and end marks included)",
    ]
    if full:
        parts.append(
            tag("span", f" · ✂ {reading.n_cut:,} cut off: not seen by the model", class_="bad")
        )
    if reading.unknown:
        parts.append(f" · {len(reading.unknown):,} unknown to the model (dotted)")
    return tag(
        "div",
        tag(
            "div",
            tag("i", style=f"width:{100 * share:.1f}%", class_="over" if full else None),
            class_="meter",
            aria_hidden="true",
        ),
        tag("p", parts, class_="quiet small num", style="margin:3px 0 0"),
        class_="tokens",
        data_tokens=reading.n_tokens,
    )
