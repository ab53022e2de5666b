"""The triples behind the figures, the worst first: paraphrases by shift, flips by gap.

``cases`` in the address says which list a link meant, ``cases_at`` which page of it.
"""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.result import Kind, LgipResult, Sort
from vlmexplain.ui.pages.lgip import kept
from vlmexplain.ui.pages.lgip.worst import SHOWN, draw_triples
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.lgip_address import FLIPS, LGIP, PARAPHRASES
from vlmexplain.ui.shared.lgip_names import TYPE_NAMES
from vlmexplain.ui.shared.widgets import follow


def draw_paraphrases(gallery: Gallery, result: LgipResult) -> None:
    """All paraphrases, a page at a time."""
    asked = LGIP.now().cases == PARAPHRASES
    _heading("Worst paraphrases", "The same meaning, and yet the largest shifts.", asked)
    total = result.figures.n_invariance
    _page(gallery, result, "same", None, "largest shift", total, PARAPHRASES)


def draw_flips(gallery: Gallery, result: LgipResult) -> None:
    """All flips, or those of a type, a page at a time."""
    kinds = [kind for kind, own in result.figures.by_type.items() if own.count]
    asked = LGIP.now().cases
    asked = asked if asked in (FLIPS, *kinds) else ""
    _heading(
        "Most preferred flips",
        "Made false, and yet nearer to the image than the caption: those with a rise come first, "
        "then those that fall as they should.",
        bool(asked),
    )
    kind = asked or FLIPS
    follow("lgip-type", kind)
    st.segmented_control(
        "Flip type",
        [FLIPS, *kinds],
        format_func=lambda name: "every type" if name == FLIPS else TYPE_NAMES.get(name, name),
        key="lgip-type",
        label_visibility="collapsed",
        required=True,
        on_change=lambda: LGIP.go(cases=st.session_state["lgip-type"], cases_at=0),
    )
    figures = result.figures
    total = (figures.sensitivity if kind == FLIPS else figures.by_type[kind]).count
    _page(gallery, result, "flip", None if kind == FLIPS else kind, "lowest gap", total, kind)


def _heading(title: str, said: str, asked: bool) -> None:
    st.html(
        tag(
            "div",
            tag("h3", title),
            tag("p", said, class_="quiet small"),
            class_="vx cases" if asked else "vx",  # a link scrolls to what it asked for
        )
    )


def _page(
    gallery: Gallery,
    result: LgipResult,
    kind: Kind,
    flip_type: str | None,
    sort: Sort,
    total: int,
    name: str,
) -> None:
    """One page of a list, and links to those beside it."""
    if not total:
        st.html(tag("div", tag("p", "There is none.", class_="quiet"), class_="vx"))
        return
    now = LGIP.now()
    wanted = now.cases_at if now.cases == name else 0
    at = min(wanted, -(-total // SHOWN) - 1)
    shown = kept.some_triples(result.key, kind, flip_type, sort, at * SHOWN, SHOWN)
    draw_triples(gallery, result, shown, f"{kind}-triples")
    first = at * SHOWN
    st.html(
        tag(
            "div",
            tag(
                "p",
                f"{first + 1:,}–{first + len(shown):,} of {total:,} ",
                _turn(name, "◂ previous", at - 1) if at else None,
                " ",
                _turn(name, "next ▸", at + 1) if first + SHOWN < total else None,
                class_="quiet small num",
            ),
            class_="vx",
        )
    )


def _turn(name: str, label: str, to: int) -> Html:
    link = LGIP.here(cases=name, cases_at=to)
    return tag("a", label, href=link, data_show="cases")
