"""The worst paraphrases and the most preferred flips, each opening on the Perturb page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.result import LgipResult, Triple
from vlmexplain.live.candidates import candidates_of
from vlmexplain.perturb.diff import edits_between
from vlmexplain.perturb.rules import MODES
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.address import short
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.numbers import shift_text, similarity_text
from vlmexplain.ui.shared.perturb_address import MOST_CHARACTERS, PERTURB, PerturbAddress
from vlmexplain.ui.shared.scorers import surroundings
from vlmexplain.ui.shared.thumbnails import thumbnail_address

SHOWN = 10
OPENED = "lgip-open"

_component = register("triples")


def draw_triples(gallery: Gallery, result: LgipResult, triples: Sequence[Triple], key: str) -> None:
    """Mount the list; the triple that a person opens is kept for `open_chosen`."""
    _component(
        key=key,
        data={"rows": [_row_data(gallery, one) for one in triples]},
        on_act_change=lambda: _take(key, {one.triple: one for one in triples}),
    )


def open_chosen(gallery: Gallery, result: LgipResult, run_key: str) -> None:
    """Go to the Perturb page when a triple was chosen."""
    triple = st.session_state.pop(OPENED, None)
    if isinstance(triple, Triple):
        st.switch_page(
            "pages/perturb.py", query_params=perturb_link(gallery, result, triple, run_key)
        )


def perturb_link(
    gallery: Gallery, result: LgipResult, triple: Triple, run_key: str
) -> dict[str, str]:
    """The parameters under which the Perturb page shows a triple.

    Where the rules made the text, it is picked among the perturbations of its caption; a text
    from a file is put into the field.
    """
    known = triple.caption_index >= 0
    source = result.manifest.perturbations
    mode = next((mode for mode in MODES if mode == source.get("mode")), None)
    seed = int(source.get("seed") or 0)
    caption = None if known else triple.caption[:MOST_CHARACTERS]
    pick = ""
    if mode is not None:
        made = candidates_of(
            triple.caption, mode, surroundings(gallery).of(triple.image_index), seed
        )
        pick = next((one.key for one in made.drawn if one.text == triple.text), "")
    if not pick:
        caption = triple.text[:MOST_CHARACTERS]
    own = PerturbAddress(
        gallery=short(gallery.id),
        run=short(run_key),
        query=triple.caption_index if known else None,
        caption=caption,
        image=None if known else triple.image_index,
        mode=mode or "careful",
        seed=seed,
        pick=pick,
        second=""
        if _is_of(result, run_key)
        else result.manifest.model.spec or result.manifest.model.name,
    )
    return PERTURB.write(own)


def _is_of(result: LgipResult, run_key: str) -> bool:
    """Whether the run is of the result's model, so that no second one is needed beside it."""
    return bool(run_key) and caches.run(run_key).model.digest == result.manifest.model.digest


def _row_data(gallery: Gallery, triple: Triple) -> dict[str, Any]:
    edits = edits_between(triple.caption, triple.text)
    pieces: list[list[str]] = []
    place = 0
    for edit in edits:
        pieces += [
            ["", triple.caption[place : edit.start]],
            ["del", edit.before],
            ["ins", edit.after],
        ]
        place = edit.end
    pieces.append(["", triple.caption[place:]])
    return {
        "triple": triple.triple,
        "src": thumbnail_address(gallery, triple.image_index),
        "pieces": [piece for piece in pieces if piece[1]],
        "text": triple.text,
        "before": similarity_text(triple.score_caption),
        "after": similarity_text(triple.score_text),
        "shift": shift_text(-triple.gap),
        "type": triple.flip_type or "",
        "verified": triple.verified is True,
        "seen": triple.seen,
    }


def _take(key: str, triples: dict[int, Triple]) -> None:
    act = getattr(st.session_state.get(key), "act", None)
    if not isinstance(act, dict) or act.get("kind") != "open":
        return
    value = act.get("value")
    if isinstance(value, int) and value in triples:
        st.session_state[OPENED] = triples[value]
