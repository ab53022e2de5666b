"""The failure classes as a table that is edited in place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from vlmexplain.ratings.plan.classes import FailureClass
from vlmexplain.ui.pages.rating_admin.basis import Basis

COLUMNS = ("label", "shortcut", "key", "meaning")
LONGEST_KEY = 40


def draw_class_table(basis: Basis, first: Sequence[FailureClass]) -> tuple[FailureClass, ...]:
    """The table, and the classes it holds now; any number of them may be marked."""
    st.caption("Failure classes: a rater marks any number of them. “Stored as” is the name in "
               "exports; left empty, it is made from the label.")  # fmt: skip
    table = pa.table(
        {name: pa.array([getattr(one, name) for one in first], pa.string()) for name in COLUMNS}
    )
    edited = st.data_editor(
        table,
        num_rows="dynamic",
        hide_index=True,
        placeholder="",
        key=basis.key("classes"),
        column_config={
            "label": st.column_config.TextColumn("Label", required=True, max_chars=80),
            "shortcut": st.column_config.TextColumn(
                "Shortcut", max_chars=1, width="small", help="The key that marks it; one letter."
            ),
            "key": st.column_config.TextColumn("Stored as", max_chars=LONGEST_KEY),
            "meaning": st.column_config.TextColumn("Meaning, for the rater", width="large"),
        },
    )
    return classes_of_rows(edited.to_pylist())


def classes_of_rows(rows: Iterable[Mapping[Any, Any]]) -> tuple[FailureClass, ...]:
    """The classes of a table's rows; rows without a label are passed over.

    >>> classes_of_rows([{"label": "Lighting", "shortcut": "L"}, {"label": None}])
    (FailureClass(key='lighting', label='Lighting', shortcut='l', meaning=''),)
    """
    found: list[FailureClass] = []
    for row in rows:
        cells = {name: _text(row.get(name)) for name in COLUMNS}
        if cells["label"]:
            key = cells["key"] or _unused(key_of_label(cells["label"]), found)
            found.append(
                FailureClass(key, cells["label"], cells["shortcut"].lower(), cells["meaning"])
            )
    return tuple(found)


def key_of_label(label: str) -> str:
    """What a class is stored as, made from its label.

    >>> key_of_label("Objekt-Größe (2)"), key_of_label("颜色")
    ('objekt_grosse_2', 'class')
    """
    plain = unicodedata.normalize("NFKD", label.casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return words[:LONGEST_KEY].rstrip("_") if words[:1].isalpha() else "class"


def _unused(key: str, others: Sequence[FailureClass]) -> str:
    """The key, with a number where another class has it."""
    taken = {one.key for one in others}
    numbered = (f"{key[: LONGEST_KEY - 3]}_{n}" for n in range(2, 99))
    return next((one for one in (key, *numbered) if one not in taken), key)


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
