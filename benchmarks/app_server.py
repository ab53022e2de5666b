"""The real server in a process of its own, and a session of it that measures.

`AppServer` runs ``streamlit run app.py`` on a free port and tells what its process uses.
`Reader` asks it for pages as a browser does (`websocket_client.Session`), and says for each what
it took the server.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from websocket_client import Drawn, Session

ROOT = Path(__file__).parents[1]
UP_WITHIN_S = 120.0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Took:
    """What one run of a page took.

    Attributes:
        wall_ms: from the request until the server says that it has finished.
        cpu_ms: what all threads of the server used meanwhile, in steps of the kernel's tick.
        sent_bytes: what was sent to the browser.
        error: the first exception that the page shows, or "".
    """

    wall_ms: float
    cpu_ms: float
    sent_bytes: int
    error: str


class AppServer:
    """A server of its own process; use as a context."""

    def __init__(
        self, home: Path, script: str = "app.py", environment: Mapping[str, str] | None = None
    ):
        self.port = free_port()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  closed with the server
        command = [sys.executable, "-m", "streamlit"]
        command += ["hello"] if script == "hello" else ["run", script]
        self._process = subprocess.Popen(
            [*command, f"--server.port={self.port}", "--server.address=127.0.0.1",
             "--server.headless=true", "--browser.gatherUsageStats=false",
             "--server.fileWatcherType=none", "--logger.level=warning"],
            cwd=ROOT,
            env={**os.environ, "VLMEXPLAIN_HOME": str(home), **(environment or {})},
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )  # fmt: skip

    def __enter__(self) -> AppServer:
        self.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://127.0.0.1:{self.port}"

    def wait(self) -> None:
        """Return when it answers."""
        until = time.monotonic() + UP_WITHIN_S
        while time.monotonic() < until:
            assert self._process.poll() is None, f"the server ended:\n{self.log()}"
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.02)
        raise AssertionError(f"the server did not come up:\n{self.log()}")

    def stop(self) -> None:
        """End it and all it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        self._log.close()

    def log(self) -> str:
        """The end of what it printed."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-4000:]

    def cpu_ms(self) -> float:
        """Processor time of all its threads so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return 1000 * TICK_S * (int(fields[11]) + int(fields[12]))

    def memory_mib(self) -> dict[str, float]:
        """Resident memory: in all, and of it what is its own and not pages of mapped files."""
        found = {}
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in ("VmRSS", "RssAnon", "RssFile"):
                found[name] = int(value.split()[0]) / 1024
        return {"rss": found["VmRSS"], "own": found["RssAnon"], "mapped": found["RssFile"]}


class Reader:
    """One session of a server; use as a context."""

    def __init__(self, server: AppServer):
        self.server = server
        self.page = ""
        self.drawn = Drawn()
        self._session = Session(server.address, timeout_s=300)
        self._loop = asyncio.Runner()

    def __enter__(self) -> Reader:
        self._loop.run(self._session.open())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self._session.close())
        self._loop.close()

    @property
    def parameters(self) -> dict[str, str]:
        """The parts of the address as it stands now."""
        return dict(parse_qsl(self._session.query.lstrip("?")))

    def go(self, page: str, **parameters: object) -> Took:
        """Ask for a page under an address."""
        self.page = page
        return self._measure(self._session.draw(query=_query(parameters), page=page))

    def change(self, **parameters: object) -> Took:
        """Change parts of the address; "" takes a part away."""
        return self._measure(self._session.draw(query=_query(self.parameters | parameters)))

    def enter(self, widget: str, value: bool | int | float | str | list[str]) -> Took:
        """Give a widget, named by key or label, a value that it keeps."""
        return self._measure(self._session.enter(self.drawn, widget, value))

    def press(self, button: str) -> Took:
        """Press a button, named by key or label."""
        return self._measure(self._session.press(self.drawn, button))

    def _measure(self, asked: Coroutine[Any, Any, Drawn]) -> Took:
        before_ms = self.server.cpu_ms()
        self.drawn = drawn = self._loop.run(asked)
        cpu_ms = self.server.cpu_ms() - before_ms
        return Took(1000 * drawn.seconds, cpu_ms, drawn.bytes, drawn.error)


def _query(parameters: Mapping[str, object]) -> str:
    return urlencode({name: str(value) for name, value in parameters.items() if value != ""})


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
