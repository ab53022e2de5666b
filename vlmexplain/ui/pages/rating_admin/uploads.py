"""A session from a TOML file, and an export from elsewhere."""

from __future__ import annotations

from typing import Any

import streamlit as st

from vlmexplain.errors import DataError
from vlmexplain.ratings.exchange.import_files import data_of_export
from vlmexplain.ratings.exchange.importing import import_data
from vlmexplain.ratings.plan.items import items_of_lines
from vlmexplain.ratings.plan.spec_toml import plan_of_toml
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.pages.rating_admin.access import require_change
from vlmexplain.ui.pages.rating_admin.address import SESSIONS
from vlmexplain.ui.pages.rating_admin.basis import basis, begin, follow_run
from vlmexplain.ui.shared.messages import told

LARGEST_MB = 100


def draw_uploads(store: RatingStore) -> None:
    """Two uploads; nothing in a file is executed, and no path in one is followed."""
    with st.expander("From a file", icon=":material/upload:"):
        left, right = st.columns(2)
        with left:
            _draw_plan()
        with right:
            _draw_import(store)


def begin_from_toml(content: bytes, name: str, items: tuple[bytes, str] | None) -> None:
    """Fill the form from a TOML file.

    Args:
        items: content and name of the file of items, where the TOML file names one. The path in
            it is not followed: the server's own files are no business of an upload.

    Raises:
        DataError, UnknownName: a file is no good, or the items are missing.
    """
    plan = plan_of_toml(content, name)
    if plan.items.file is None:
        begin(plan.questions, plan.items)
        return
    if items is None:
        raise DataError(
            "the session's items are in a file of their own.",
            where=name,
            remedy=f"Upload {plan.items.file!r} beside it.",
        )
    begin(plan.questions, plan.items, items_of_lines(*items))


def _draw_plan() -> None:
    st.caption("A session's TOML file fills the form; `examples/rating_session.toml` shows every "
               "field.")  # fmt: skip
    plan = st.file_uploader("Session (TOML)", type=["toml"], key="upload-toml", max_upload_size=1)
    items = st.file_uploader("Its items, where it names a file (JSON lines)", type=["jsonl"],
                             key="upload-items", max_upload_size=LARGEST_MB)  # fmt: skip
    st.button("Fill the form", disabled=plan is None, on_click=_take_plan, args=(plan, items))


def _take_plan(plan: Any, items: Any) -> None:
    with told():
        require_change()
        begin_from_toml(
            plan.getvalue(), plan.name, (items.getvalue(), items.name) if items else None
        )
        SESSIONS.go(session="", new=True, at=0)
        follow_run(basis().questions)


def _draw_import(store: RatingStore) -> None:
    st.caption("An export of a session from elsewhere is kept as a closed session and analysed "
               "here.")  # fmt: skip
    export = st.file_uploader("Export (CSV, JSON lines, Parquet)", key="upload-export",
                              type=["csv", "jsonl", "parquet"],
                              max_upload_size=LARGEST_MB)  # fmt: skip
    st.button("Import", disabled=export is None, on_click=_take_export, args=(store, export))


def _take_export(store: RatingStore, export: Any) -> None:
    with told():
        require_change()
        session = import_data(store, data_of_export(export.getvalue(), export.name))
        SESSIONS.go(session=session.id, new=False, at=0)
