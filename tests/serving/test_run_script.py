"""examples/serving/run.sh: serves when all can start, and else ends and says why."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PORTS = (8601, 8602, 8500)

pytestmark = pytest.mark.timeout(600)


@dataclass
class Script:
    """A started run.sh in a group of its own, as from a terminal."""

    process: subprocess.Popen[bytes]
    out: Path

    @property
    def told(self) -> str:
        return self.out.read_text()

    def wait_for(self, words: str, within_s: float = 240.0) -> None:
        until = time.monotonic() + within_s
        while words not in self.told:
            assert self.process.poll() is None, self.told
            assert time.monotonic() < until, self.told
            time.sleep(0.1)


Run = Callable[..., Script]


@pytest.fixture
def ports() -> list[int]:
    """Free ones: of the two processes and of nginx."""
    probes = [socket.socket() for _ in PORTS]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    found = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return found


@pytest.fixture
def run(ports: list[int], serving_home: Path, tmp_path: Path) -> Iterator[Run]:
    """``run(**environment)`` starts the script, its ports replaced by free ones."""
    example = tmp_path / "examples" / "serving"
    example.mkdir(parents=True)
    for name in ("run.sh", "nginx.conf"):
        text = (ROOT / "examples" / "serving" / name).read_text()
        for known, port in zip(PORTS, ports, strict=True):
            assert str(known) in text
            text = text.replace(str(known), str(port))
        (example / name).write_text(text)
    for name in ("app.py", "pages", "vlmexplain", ".streamlit", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    started: list[Script] = []

    def start(**environment: str) -> Script:
        out = tmp_path / f"run-{len(started)}.log"
        surroundings = {
            **os.environ, "PYTHON": sys.executable, "VLMEXPLAIN_HOME": str(serving_home),
            "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **environment,
        }  # fmt: skip
        with out.open("wb") as file:
            process = subprocess.Popen(
                ["sh", str(example / "run.sh")],
                stdout=file, stderr=file, env=surroundings, start_new_session=True,
            )  # fmt: skip
        started.append(Script(process, out))
        return started[-1]

    yield start
    for script in started:
        if script.process.poll() is None:
            os.killpg(script.process.pid, signal.SIGKILL)
            script.process.wait()


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_serves_until_ctrl_c(nginx: str, run: Run, ports: list[int]) -> None:
    script = run()
    script.wait_for(f"Two processes behind http://127.0.0.1:{ports[2]}")
    # said when it is so: the first page that is asked for is there
    with urllib.request.urlopen(f"http://127.0.0.1:{ports[2]}/", timeout=60) as answer:
        assert answer.status == 200
    os.killpg(script.process.pid, signal.SIGINT)  # to all that run in the terminal
    assert script.process.wait(120) == 0
    lines = [json.loads(line) for line in script.told.splitlines() if line.startswith("{")]
    assert [line["event"] for line in lines].count("server.stop") == 2
    assert all(map(is_free, ports))


def test_both_processes_down(nginx: str, run: Run, ports: list[int], tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for folder in (scratch, *list(scratch.parents)[:3]):  # nginx's workers may be another user
        folder.chmod(0o755)
    script = run(TMPDIR=str(scratch))
    script.wait_for("Two processes behind")
    for line in script.told.splitlines():
        if line.startswith("{") and json.loads(line)["event"] == "server.start":
            os.kill(json.loads(line)["pid"], signal.SIGKILL)
    until = time.monotonic() + 60
    while not all(map(is_free, ports[:2])):
        assert time.monotonic() < until
        time.sleep(0.05)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"http://127.0.0.1:{ports[2]}/overview", timeout=60)
    assert refused.value.code == 503 and refused.value.headers["Retry-After"]
    page = refused.value.read().decode()
    assert "Not ready yet" in page and 'http-equiv="refresh"' in page
    for _ in range(20):  # told more than once, as by a supervisor that also tells the group
        with suppress(ProcessLookupError):
            script.process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
    assert script.process.wait(120) == 0
    assert all(map(is_free, ports)) and not list(scratch.iterdir())


def test_a_wrong_setting_ends_it(nginx: str, run: Run) -> None:
    script = run(VLMEXPLAIN_STOP_S="soon")
    assert script.process.wait(240) == 1
    assert "what was to serve port" in script.told and "Traceback" not in script.told
    refused = [json.loads(line) for line in script.told.splitlines() if line.startswith("{")]
    assert {line["event"] for line in refused} == {"server.refused"}
    assert "VLMEXPLAIN_STOP_S: 'soon'" in refused[0]["message"]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_port_that_is_taken(nginx: str, run: Run, ports: list[int], place: int) -> None:
    with socket.create_server(("127.0.0.1", ports[place])):
        script = run()
        assert script.process.wait(60) == 1
    assert f"port {ports[place]} is taken" in script.told


def test_no_interpreter(nginx: str, run: Run) -> None:
    script = run(PYTHON="/nonexistent/python")
    assert script.process.wait(60) == 1
    assert "make app" in script.told


def test_no_nginx(run: Run, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname"):
        (tools / name).symlink_to(str(shutil.which(name)))
    script = run(PATH=str(tools))
    assert script.process.wait(60) == 1
    assert "apt-get install nginx-light" in script.told
