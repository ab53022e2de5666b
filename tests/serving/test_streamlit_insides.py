"""What Streamlit does not document is used where it is, and done without where it is not."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
import streamlit.runtime
from streamlit.runtime import caching

from vlmexplain.ui.server import streamlit_insides as insides
from vlmexplain.ui.shared.media import media_address


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Streamlit whose undocumented parts have moved: each import of them fails."""
    for name in list(sys.modules):
        if name.startswith("streamlit.runtime"):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delattr(st, "runtime", raising=False)
    monkeypatch.delattr(st, "config", raising=False)
    monkeypatch.setitem(sys.modules, "streamlit.config", None)


@st.cache_resource
def kept(number: int) -> int:
    return number


@st.cache_data
def computed(number: int) -> str:
    return "x" * number


def test_caches_are_told() -> None:
    before = insides.data_bytes()
    kept(1), kept(2), computed(5000)
    entries, after = insides.resource_entries(), insides.data_bytes()
    assert entries is not None and entries[f"{__name__}.kept"] == 2
    assert before is not None and after is not None and after - before >= 5000


def test_a_store_of_media_gives_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    store = SimpleNamespace(add=lambda content, mime, spot: f"/media/{spot}")
    running = SimpleNamespace(media_file_mgr=store)
    monkeypatch.setattr(streamlit.runtime, "get_instance", lambda: running)
    assert media_address(b"x", "image/png", "left") == "./media/vlmexplain-left"
    monkeypatch.setattr(streamlit.runtime, "get_instance", lambda: SimpleNamespace())
    assert media_address(b"x", "image/png", "left") == "data:image/png;base64,eA=="


def test_other_statistics_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def other() -> Any:
        return SimpleNamespace(get_stats=lambda: {"family": [object()]})

    monkeypatch.setattr(caching, "get_resource_cache_stats_provider", other)
    monkeypatch.setattr(caching, "get_data_cache_stats_provider", other)
    assert insides.resource_entries() is None and insides.data_bytes() is None


@pytest.mark.usefixtures("bare")
def test_nothing_is_needed() -> None:
    assert insides.stored_address(b"x", "image/png", "left") is None
    assert insides.resource_entries() is None and insides.data_bytes() is None
    assert insides.session_id() is None
    insides.ask_draws_to_end()
    insides.plain_logs()


def test_no_session_outside_of_a_page() -> None:
    assert insides.session_id() is None


def test_threads_that_draw_are_known_by_streamlits_name() -> None:
    from streamlit.runtime.scriptrunner import script_runner

    assert f'"{insides.DRAWS}"' in Path(script_runner.__file__).read_text()
    left = threading.Event()
    thread = threading.Thread(target=left.wait, name=insides.DRAWS)
    thread.start()
    assert insides.drawing_threads() == [thread]
    left.set()
    thread.join()


def test_they_stand_in_one_file() -> None:
    package = Path(insides.__file__).parents[2]
    for path in package.rglob("*.py"):
        text = path.read_text()
        assert path.name == "streamlit_insides.py" or (
            "streamlit.runtime" not in text and "streamlit.config" not in text
            and "from streamlit import" not in text.replace("from streamlit import delta", "")
        ), path  # fmt: skip
