"""How numbers, concepts and roles are written on a page."""

from __future__ import annotations

from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.theme import ROLE_MARK, ROLE_NAME
from vlmexplain.wording.words import (
    LARGEST_DENOMINATOR,
    Role,
    fraction,
    name_parts,
    percent,
    place_text,
    short_name,
    value_text,
)

DRAWN = "drawn demo world"
"""Stands wherever numbers of drawn scenes, or of a model trained on them, are shown."""

__all__ = [
    "DRAWN",
    "LARGEST_DENOMINATOR",
    "Role",
    "concept",
    "drawn_pill",
    "fraction",
    "name_parts",
    "percent",
    "place_text",
    "short_name",
    "value_text",
]


def drawn_pill() -> Html:
    """The label of what is shown of the drawn demo world."""
    return tag("span", DRAWN, class_="pill drawn")


def concept(synset: str, role: Role, count: str = "") -> Html:
    """A concept as a control: pointing at it lights its boxes, choosing it keeps them lit."""
    word, sense = name_parts(synset)
    return tag(
        "button",
        tag("i", ROLE_MARK[role], aria_hidden="true"),
        word,
        tag("small", sense) if sense else None,
        tag("small", " ", count) if count else None,
        type="button",
        class_=f"c {role}",
        data_concept=synset,
        aria_pressed="false",
        title=f"{synset}: {ROLE_NAME[role]}",
    )
