"""A home with the made gallery, and its rating database, which the tests read beside the app."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from homes import at_home, new_home
from sqlalchemy import delete

from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import Session, change_state, create_session
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.rows import RatingRow
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.store.store import RatingStore, open_store
from vlmexplain.ratings.store.tables import ATTEMPTS

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))


def _world() -> Any:
    """The made pictures of the pages' tests; their file is read under a name of its own."""
    name = "ui_world_of_ratings"
    spec = importlib.util.spec_from_file_location(name, TESTS / "ui" / "ui_world.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class RatingWorld:
    """A home with eight pictures, and its rating store."""

    home: Path
    gallery_id: str
    store: RatingStore
    names: list[str] = field(default_factory=list)

    def session(
        self, n: int = 4, queries: list[str] | None = None, opened: bool = True, **questions: Any
    ) -> Session:
        """A session of n items; item i asks for picture i and retrieves picture i + 1."""
        named = {"name": f"session {len(self.names)}", "gallery": self.gallery_id, **questions}
        spec = SessionSpec(**named)
        self.names.append(spec.name)
        session = create_session(self.store, spec, self.items(n, spec.kind == "choice", queries))
        return change_state(self.store, session.id, "open") if opened else session

    def items(self, n: int, choice: bool, queries: list[str] | None) -> list[RatingItem]:
        return [
            RatingItem(
                caption_index=i,
                query=queries[i] if queries else f"query number {i}",
                ground_truth_image=i % 8,
                retrieved_image=(i + 1) % 8,
                other_image=(i + 2) % 8 if choice else None,
                metrics={"ca": 0.12345678, "score_retrieved": 0.87654321},
            )
            for i in range(n)
        ]

    def rows(self, session: Session, history: bool = False) -> list[RatingRow]:
        """A session's answers as the database holds them, in the order given."""
        rows = session_data(self.store, session.id, history=history).rows
        given = [row for row in rows if row.status == "answered"]
        return sorted(given, key=lambda row: (row.position or 0, row.version))


@pytest.fixture(scope="session")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RatingWorld]:
    """The home of this folder's tests."""
    from vlmexplain.datasets.coco import import_coco

    folder = tmp_path_factory.mktemp("ui-rating")
    home = new_home(folder / "home")
    files = _world().write_world(folder / "world")
    with at_home(home):
        gallery = import_coco(**files, name="rating world")
    store = open_store(f"sqlite:///{home / 'ratings.db'}")
    yield RatingWorld(home, gallery.id, store)
    store.close()


@pytest.fixture
def fresh_attempts(ratings: RatingWorld) -> Iterator[None]:
    """Wrong codes of one test do not slow the next."""
    yield
    ratings.store.database.write(lambda connection: connection.execute(delete(ATTEMPTS)))


@pytest.fixture
def address(start_app: Callable[[Path], str], ratings: RatingWorld) -> str:
    """The app on that home."""
    return start_app(ratings.home)


@pytest.fixture
def new_tab(browser: Any) -> Iterator[Callable[..., Any]]:
    """``new_tab()`` is another device: a tab with a memory of its own."""
    contexts = []
    errors: list[str] = []

    def make(width: int = 1440, height: int = 1000, **more: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(150_000)  # a busy machine is slow, not wrong
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not errors


class KillableApp:
    """The app at one port, killed and started again."""

    def __init__(self, home: Path, database_url: str = ""):
        self.home = home
        self.database_url = database_url
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable, "-m", "streamlit", "run", "app.py",
            "--server.port", str(self.port), "--logger.level", "error",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command,
            cwd=TESTS.parent,
            env={
                **os.environ,
                "VLMEXPLAIN_HOME": str(self.home),
                "VLMEXPLAIN_DATABASE_URL": self.database_url,
                "OMP_NUM_THREADS": "1",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(240):
            assert self.process.poll() is None
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.25)
        raise AssertionError("the app did not come up within a minute")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=20)


@pytest.fixture
def killable_app(ratings: RatingWorld) -> Iterator[KillableApp]:
    """An app of its own, to be killed."""
    app = KillableApp(ratings.home)
    app.start()
    yield app
    app.kill()


@pytest.fixture
def ratings_on_postgres(ratings: RatingWorld, postgres_url: str) -> Iterator[RatingWorld]:
    """The same home and pictures; what raters say goes to PostgreSQL."""
    store = open_store(postgres_url)
    yield replace(ratings, store=store, names=[])
    store.close()


@pytest.fixture
def app_on_postgres(ratings_on_postgres: RatingWorld, postgres_url: str) -> Iterator[KillableApp]:
    """An app of its own on that database, to be killed."""
    app = KillableApp(ratings_on_postgres.home, postgres_url)
    app.start()
    yield app
    app.kill()
