"""Exports to download, and the session as files that make it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from vlmexplain.ratings.exchange.export_files import Format, export_bytes
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import Session, items_of
from vlmexplain.ratings.plan.items import lines_of_items
from vlmexplain.ratings.plan.spec_toml import ItemRequest, SessionPlan, toml_of_plan
from vlmexplain.ratings.store.store import RatingStore
from vlmexplain.ui.pages.rating_admin.access import require_organiser

FORMATS: dict[Format, tuple[str, str]] = {
    "csv": ("CSV", "text/csv"),
    "jsonl": ("JSON lines", "application/jsonl"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
}


def draw_downloads(store: RatingStore, session: Session) -> None:
    """Switches, and a button a format; a file is made when its button is pressed."""
    with st.expander("Downloads", icon=":material/download:"):
        with st.container(horizontal=True):
            history = st.toggle("With answers that were edited away", key="export-history")
            anonymous = st.toggle("Without the raters' names", key="export-anonymous",
                                  help="Comments stay as they were written.")  # fmt: skip
            safe = st.toggle("CSV for a spreadsheet", key="export-safe",
                             help="Texts that look like formulas are disarmed; such a file is not "
                             "for importing again.")  # fmt: skip
        with st.container(horizontal=True):
            for kind, (label, mime) in FORMATS.items():
                _button(f"Answers ({label})", f"{file_stem(session)}.{kind}", mime,
                        _export(store, session.id, kind, history, anonymous, safe))  # fmt: skip
        with st.container(horizontal=True):
            _button("Questions (TOML)", f"{file_stem(session)}.toml", "application/toml",
                    lambda: plan_file(store, session))  # fmt: skip
            _button("Items (JSON lines)", f"{file_stem(session)}-items.jsonl", "application/jsonl",
                    lambda: lines_of_items(items_of(store, session.id)))  # fmt: skip
        st.caption("`vlmexplain rating create FILE.toml` makes the session again; the items come "
                   "from the run, or from the items' file beside it.")  # fmt: skip


def plan_file(store: RatingStore, session: Session) -> bytes:
    """The session's TOML file: with its captions where it was made from a run, else with a file."""
    items = items_of(store, session.id)
    request = ItemRequest(captions=tuple(item.caption_index for item in items))
    if session.spec.run is None:
        request = replace(request, captions=(), file=f"{file_stem(session)}-items.jsonl")
    return toml_of_plan(SessionPlan(session.spec, request)).encode()


def file_stem(session: Session) -> str:
    """How a session's files are called: nothing of its name reaches a file system."""
    return f"ratings-{session.id}"


def _export(
    store: RatingStore, session_id: str, kind: Format, history: bool, anonymous: bool, safe: bool
) -> Callable[[], bytes]:
    def make() -> bytes:
        data = session_data(store, session_id, history, anonymous)
        return export_bytes(data, kind, safe and kind == "csv")

    return make


def _button(label: str, name: str, mime: str, make: Callable[[], bytes]) -> None:
    # The file is made later, in a thread that knows no visitor, for this visitor alone.
    require_organiser()
    st.download_button(
        label,
        data=make,
        file_name=name,
        mime=mime,
        on_click="ignore",
        icon=":material/download:",
        key=f"download-{name}",
    )
