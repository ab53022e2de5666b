"""Two processes behind the documented nginx: a browser stays with one, and survives its end."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "examples" / "serving" / "nginx.conf"
FRONT = 8500
COOKIE = "vlmexplain_process"
LOADED = "(i) => i.complete && i.naturalWidth > 0"

# Two servers start for each test, which a busy machine takes its time over.
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def front(nginx: str, tmp_path: Path, free_ports: list[int]) -> Iterator[str]:
    """The example configuration on free ports; the address."""
    text = CONFIGURATION.read_text()
    for known, port in zip((8601, 8602, FRONT), free_ports, strict=True):
        assert str(known) in text
        text = text.replace(str(known), str(port))
    folder = tmp_path / "nginx"
    folder.mkdir()
    # its workers run as another user when the tests run as root
    for parent in (folder, *list(folder.parents)[:3]):
        parent.chmod(0o755)
    (folder / "nginx.conf").write_text(text)
    process = subprocess.Popen(
        [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL
    )
    wait_until(lambda: answers(free_ports[2]))
    yield f"http://127.0.0.1:{free_ports[2]}"
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0


@pytest.fixture
def free_ports() -> list[int]:
    """Two for the processes, one for nginx."""
    probes = [socket.socket() for _ in range(3)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


@pytest.fixture
def pair(serve: Callable[..., Any], serving_home: Path, free_ports: list[int]) -> tuple[Any, Any]:
    """Two processes on one home, with one secret for their cookies."""
    shared = {"STREAMLIT_SERVER_COOKIE_SECRET": "for-the-tests-only" * 4}
    one, two = (serve(serving_home, port=port, **shared) for port in free_ports[:2])
    return one, two


def process_of(tab: Any) -> str:
    """The process that the browser's cookie names."""
    return str({c["name"]: c["value"] for c in tab.context.cookies()}[COOKIE])


def open_page(tab: Any, address: str) -> None:
    tab.goto(address)
    tab.wait_for_selector("[data-card=sd]", timeout=120_000)
    tab.wait_for_selector(".stage img", timeout=120_000)
    wait_until(lambda: all(image.evaluate(LOADED) for image in tab.locator(".stage img").all()))
    assert tab.locator(".stage img").count() == 2


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def n_draws(server: Any) -> int:
    return len(server.events("draw"))


def wait_until(true: Callable[[], bool], within_s: float = 60.0) -> None:
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_browser_stays_with_its_process_and_outlives_it(
    tab: Any, pair: tuple[Any, Any], front: str, serve: Any, serving_home: Path
) -> None:
    open_page(tab, front)
    name = process_of(tab)
    mine, other = pair if name == "1" else pair[::-1]
    assert n_draws(mine) > 0 and n_draws(other) == 0

    for pair_number in (1, 0, 1):  # draws over the websocket
        before = n_draws(mine)
        tab.click(f".weight >> nth={pair_number}")
        wait_until(lambda before=before: n_draws(mine) > before)
    for _ in range(3):  # new pages: new websockets, new pictures
        open_page(tab, front)
    assert process_of(tab) == name
    assert n_draws(other) == 0

    # killed: the next load goes to the other, which the browser then belongs to
    mine.process.kill()
    mine.process.wait()
    open_page(tab, front)
    assert process_of(tab) != name
    assert n_draws(other) > 0

    # back again: whoever has moved stays
    again = serve(
        serving_home, port=mine.port, STREAMLIT_SERVER_COOKIE_SECRET="for-the-tests-only" * 4
    )
    open_page(tab, front)
    assert process_of(tab) != name
    assert n_draws(again) == 0


def test_open_page_goes_on_with_the_other(tab: Any, pair: tuple[Any, Any], front: str) -> None:
    """A process that is stopped in good order closes its websockets; the page connects anew."""
    open_page(tab, front)
    mine, other = pair if process_of(tab) == "1" else pair[::-1]
    with tab.expect_websocket(timeout=120_000):
        assert mine.stop() == -signal.SIGTERM
    # The page still stands. The first click draws it anew at the other, which does not know yet
    # what was clicked; from then on it is as before.
    tab.click(".weight >> nth=0")
    wait_until(lambda: n_draws(other) > 0)
    tab.wait_for_function(
        "() => document.querySelector('.stApp')?.dataset.testScriptState !== 'running'"
    )
    tab.click(".weight >> nth=1")
    tab.wait_for_selector("text=hill to grassland", timeout=120_000)


def test_newcomers_are_shared_out(pair: tuple[Any, Any], front: str) -> None:
    told = set()
    for _ in range(8):
        with urllib.request.urlopen(front, timeout=30) as answer:
            told.add(answer.headers["Set-Cookie"].split(";")[0])
            assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert told == {f"{COOKIE}=1", f"{COOKIE}=2"}


def test_a_known_browser_is_told_nothing(pair: tuple[Any, Any], front: str) -> None:
    for name in ("1", "2"):
        asked = urllib.request.Request(front, headers={"Cookie": f"{COOKIE}={name}"})
        with urllib.request.urlopen(asked, timeout=30) as answer:
            assert answer.headers["Set-Cookie"] is None
    made_up = urllib.request.Request(front, headers={"Cookie": f"{COOKIE}=9;x"})
    with urllib.request.urlopen(made_up, timeout=30) as answer:
        assert answer.headers["Set-Cookie"].startswith(f"{COOKIE}=")


def test_health_through_nginx(pair: tuple[Any, Any], front: str) -> None:
    with urllib.request.urlopen(f"{front}/health", timeout=30) as answer:
        assert b'"status":"ok"' in answer.read()
