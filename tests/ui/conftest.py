"""Homes with and without a gallery, the app under test, and a browser to drive it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ui_world import write_world

ROOT = Path(__file__).parents[2]
BROWSER_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@dataclass(frozen=True)
class World:
    """A home with the made gallery and its run."""

    home: Path
    files: dict[str, Path]
    gallery_id: str
    run_key: str


def _home(folder: Path) -> Path:
    """An empty home that borrows the test run's WordNet."""
    folder.mkdir(parents=True)
    wordnet = Path(os.environ["VLMEXPLAIN_TEST_HOME"]) / "wordnet"
    wordnet.mkdir(parents=True, exist_ok=True)
    (folder / "wordnet").symlink_to(wordnet)
    return folder


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home without any gallery."""
    return _home(tmp_path_factory.mktemp("ui") / "empty")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A home with the made gallery, ranked by the fake model."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("ui")
    home = _home(folder / "home")
    files = write_world(folder / "world")
    before = os.environ["VLMEXPLAIN_HOME"]
    os.environ["VLMEXPLAIN_HOME"] = str(home)
    try:
        gallery = import_coco(**files, name="Made <b>world</b> $1$")
        finished = run(gallery, "fake")
    finally:
        os.environ["VLMEXPLAIN_HOME"] = before
    yield World(home, files, gallery.id, finished.key)


Start = Callable[[Path], str]


@pytest.fixture(scope="session")
def start_app() -> Iterator[Start]:
    """``start_app(home)`` gives the address of an app on that home; one app a home."""
    running: dict[Path, tuple[subprocess.Popen[bytes], str]] = {}

    def start(home: Path) -> str:
        if home not in running:
            port = _free_port()
            process = subprocess.Popen(
                [
                    sys.executable, "-m", "streamlit", "run", "app.py",
                    "--server.port", str(port), "--logger.level", "warning",
                ],
                cwd=ROOT,
                env={**os.environ, "VLMEXPLAIN_HOME": str(home), "OMP_NUM_THREADS": "1"},
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
            running[home] = process, f"http://127.0.0.1:{port}"
            _wait_until_up(running[home][1], process)
        return running[home][1]

    yield start
    for process, _ in running.values():
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium. Without one the tests fail in CI and are skipped elsewhere."""
    sync_api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = next(filter(None, map(shutil.which, names)), None)
    with sync_api.sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        except sync_api.Error as error:
            reason = f"cannot start a browser: {str(error).splitlines()[0]}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A new tab; a script error on the page fails the test, and so does a request to outside."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)  # a busy machine is slow, not wrong
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"script error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://127.0.0.1", "data:", "blob:"))
            else errors.append(f"request to outside: {request.url}")
        ),
    )
    yield page
    context.close()
    assert not errors


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        assert process.poll() is None, "the app ended before it was up"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    raise AssertionError("the app did not come up within a minute")
