"""Every test run keeps its things in a folder of its own, WordNet included."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import new_home
from private_postgres import FAST, CannotStart, PrivatePostgres

# Set on import, before anything of the program runs; workers of one run share the folder.
if "VLMEXPLAIN_TEST_HOME" not in os.environ:
    os.environ["VLMEXPLAIN_TEST_HOME"] = tempfile.mkdtemp(prefix="vlmexplain-tests-")
    os.environ["VLMEXPLAIN_TEST_OWNER"] = str(os.getpid())
os.environ["VLMEXPLAIN_HOME"] = os.environ["VLMEXPLAIN_TEST_HOME"]
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "2")

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
BROWSER_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get("VLMEXPLAIN_TEST_OWNER") == str(os.getpid()):
        shutil.rmtree(os.environ["VLMEXPLAIN_TEST_HOME"], ignore_errors=True)


@pytest.fixture
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home that borrows the run's WordNet, which never changes once it is set up."""
    home = new_home(tmp_path / "home")
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("needs the real data in ../shared, which is not here")
    return SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """A private PostgreSQL; required in CI, else skipped where it cannot start."""
    # pytest's own folders are closed to the server's user.
    folder = Path(tempfile.mkdtemp(prefix="vlmexplain-postgres-", dir=FAST))
    folder.chmod(0o755)
    server = PrivatePostgres(folder / "server")
    try:
        server.start()
        yield server
        server.stop()
    except CannotStart as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"PostgreSQL must start in CI: {error}")
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_server(postgres: PrivatePostgres) -> str:
    """The server's address."""
    return postgres.address


@pytest.fixture
def postgres_url(postgres: PrivatePostgres) -> str:
    """An empty database of its own."""
    return postgres.new_database()


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
        process.wait(timeout=60)


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
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        assert process.poll() is None, "the app ended before it was up"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    raise AssertionError("the app did not come up within four minutes")
