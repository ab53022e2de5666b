"""A home with a ranked gallery and rating sessions, and pages drawn alone or by a real server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from homes import at_home, new_home
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))
sys.path.insert(0, str(Path(__file__).parents[1] / "ratings"))

from rating_people import rate_all
from ui_world import write_world

from vlmexplain.ratings.organiser.sessions import Session, change_state, create_session
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.plan.spec_toml import ItemRequest, SessionPlan
from vlmexplain.ratings.store.store import open_store

NAMES = ("Anna", "<script>document.title='broken'</script>", "**Zoë** :balloon: $x$")
PAGES = {
    "ratings": "vlmexplain.ui.pages.rating_admin.page:ratings_page",
    "rating_analysis": "vlmexplain.ui.pages.rating_admin.analysis_page:rating_analysis_page",
}


@dataclass(frozen=True)
class RatingWorld:
    """A home with a gallery, two runs, and two sessions with answers."""

    home: Path
    gallery_id: str
    runs: tuple[str, str]
    rated: Session
    chosen: Session


@pytest.fixture(scope="session")
def rating_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RatingWorld]:
    """Made once; tests that change something make a session of their own."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.run_items import session_of_run
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("rating-admin")
    home = new_home(folder / "home")
    with at_home(home):
        gallery = import_coco(**write_world(folder / "world"), name="Made <b>world</b> $1$")
        runs = run(gallery, "fake:1").key, run(gallery, "fake:2").key
        store = open_store()

        def session(spec: SessionSpec) -> Session:
            spec, items = session_of_run(SessionPlan(spec, ItemRequest()))
            return change_state(store, create_session(store, spec, items).id, "open")

        rated = session(SessionSpec("<b>Rated</b> $1$", run=runs[0], repeats=2, repeat_gap=1))
        chosen = session(SessionSpec("Chosen", kind="choice", run=runs[0], other_run=runs[1]))
        for one in (rated, chosen):
            for name in NAMES:
                rate_all(store, one, name)
        store.close()
        yield RatingWorld(home, gallery.id, runs, rated, chosen)


Draw = Callable[..., AppTest]


@pytest.fixture
def draw(rating_world: RatingWorld, monkeypatch: pytest.MonkeyPatch) -> Draw:
    """``draw(page, home=..., local=..., typed=..., fields=..., **address)`` draws a page alone."""

    def drawn(
        page: str,
        home: Path | None = None,
        local: bool = True,
        typed: str = "",
        fields: dict[str, Any] | None = None,
        **parts: str,
    ) -> AppTest:
        monkeypatch.setenv("VLMEXPLAIN_HOME", str(home or rating_world.home))
        # no browser is connected here; the real connections are those of the browser's tests
        monkeypatch.setattr(
            "vlmexplain.ui.pages.rating_admin.access.visitor_is_local", lambda: local
        )
        monkeypatch.setattr(
            "vlmexplain.ui.pages.rating_admin.access.client_source", lambda: "this machine"
        )
        # a page drawn alone knows no others
        monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)
        module, function = PAGES[page].split(":")
        app = AppTest.from_string(
            f"from {module} import {function}\n{function}()\n", default_timeout=90
        )
        if typed:
            app.session_state["organiser-typed"] = typed
        for key, value in (fields or {}).items():
            app.session_state[key] = value
        for name, value in parts.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception, app.exception
        return app

    return drawn


def said(app: AppTest) -> str:
    """All the HTML a page drew."""
    return "\n".join(each.proto.body for each in app.get("html") if each.proto.body)


@pytest.fixture
def said_of() -> Callable[[AppTest], str]:
    """`said`, for tests in other files."""
    return said


@pytest.fixture
def rating_store(rating_world: RatingWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The world's store, in this process."""
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(rating_world.home))
    store = open_store()
    yield store
    store.close()
