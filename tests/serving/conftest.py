"""Servers as processes of their own, their logs, and an nginx in front of them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from homes import new_home

ROOT = Path(__file__).parents[2]
for folder in ("benchmarks", "tests/ui"):  # the websocket client, the small world
    sys.path.insert(0, str(ROOT / folder))

from ui_world import write_world  # noqa: E402
from websocket_client import Drawn, Session  # noqa: E402

from vlmexplain.concepts.wordnet import load_wordnet  # noqa: E402

UP_S = 120.0


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Server:
    """A running ``streamlit run`` and what it wrote to standard error."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path
    base: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.base}"

    def wait(self) -> None:
        until = time.monotonic() + UP_S
        while time.monotonic() < until:
            assert self.process.poll() is None, self.log.read_text()
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"not up: {self.log.read_text()}")

    def events(self, name: str | None = None) -> list[dict[str, Any]]:
        """The lines of its log, of one event or all; every line must be JSON."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line]
        return [line for line in lines if name in (None, line["event"])]

    def wait_for_event(self, name: str, within_s: float = 60.0, **fields: Any) -> dict[str, Any]:
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            for event in self.events(name):
                if all(event.get(key) == value for key, value in fields.items()):
                    return event
            time.sleep(0.05)
        raise AssertionError(f"no {name} {fields} in {self.log.read_text()}")

    def stop(self, number: int = signal.SIGTERM, within_s: float = 60.0) -> int:
        """Send a signal; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(within_s)

    def draw(self, query: str = "") -> Drawn:
        """Ask for the page once, in a session of its own."""

        async def once() -> Drawn:
            async with Session(self.address) as session:
                return await session.draw(query=query, page="")

        # A thread of its own: playwright leaves a running loop in the tests' thread.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(once())).result()


Serve = Callable[..., Server]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """``serve(home, script="app.py", port=None, **environment)`` starts a server; logs as JSON."""
    running: list[Server] = []

    def start(
        home: Path, script: str | Path = "app.py", port: int | None = None, **environment: str
    ) -> Server:
        port = port or free_port()
        log = tmp_path / f"server-{len(running)}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}",
                 "--logger.hideWelcomeMessage=true", "--logger.level=warning"],
                cwd=ROOT,
                env={
                    **os.environ, "VLMEXPLAIN_HOME": str(home), "OMP_NUM_THREADS": "1",
                    "PYTHONPATH": str(ROOT), "VLMEXPLAIN_LOG": "json", **environment,
                },
                stdout=out,  # what is printed must be JSON too
                stderr=out,
            )  # fmt: skip
        base = environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
        running.append(Server(process, port, log, f"/{base}" if base else ""))
        running[-1].wait()
        return running[-1]

    yield start
    for server in running:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


@pytest.fixture(scope="session")
def serving_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home without any gallery that borrows the test run's WordNet."""
    folder = new_home(tmp_path_factory.mktemp("serving") / "home")
    load_wordnet(folder / "wordnet")  # set up here, so that no page waits for it
    return folder


@pytest.fixture
def gallery_home(serving_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own with the small gallery."""
    from vlmexplain.datasets.coco import import_coco

    home = tmp_path / "gallery-home"
    home.mkdir()
    (home / "wordnet").symlink_to(serving_home / "wordnet")
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    import_coco(**write_world(tmp_path / "world"), name="small")
    return home


@pytest.fixture(scope="session")
def nginx() -> str:
    """The nginx program; required in CI, else skipped where it is not installed."""
    found = subprocess.run(
        ["sh", Path(__file__).parent / "find_nginx.sh"], capture_output=True, text=True, timeout=280
    )
    if found.returncode:
        if os.environ.get("CI") == "true":
            pytest.fail(f"nginx must be there in CI: {found.stderr.strip()}")
        pytest.skip(found.stderr.strip())
    return "nginx"
