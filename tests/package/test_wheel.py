"""The wheel carries the app and the drawn world, and serves them from anywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from vlmexplain import places
from vlmexplain.cli import serve
from vlmexplain.errors import StoreError

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_what_ships_is_found_beside_the_package_or_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VLMEXPLAIN_DATA", raising=False)
    assert places.shipped("pages") == ROOT / "pages" and places.data_folder() == ROOT / "data"
    monkeypatch.setattr(places, "_PACKAGE", tmp_path)
    (tmp_path / "shipped").mkdir()
    assert places.data_folder() == tmp_path / "shipped" / "data"
    monkeypatch.setenv("VLMEXPLAIN_DATA", str(tmp_path / "own"))
    assert places.data_folder() == tmp_path / "own"


def test_serve_refuses_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StoreError, match=f"127.0.0.1:{port}: cannot listen there"):
            serve.require_free("127.0.0.1", port)
    serve.require_free("127.0.0.1", port)


def test_serve_becomes_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from vlmexplain.cli import build_parser

    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, command: became.append([program, *command]))
    monkeypatch.setattr(serve, "set_up", lambda: None)
    monkeypatch.setattr(serve, "require_free", lambda address, port: None)
    monkeypatch.setenv("PORT", "8612")
    monkeypatch.delenv("ADDRESS", raising=False)
    args = build_parser().parse_args(["serve"])
    args.execute(args)
    assert became[0][0] == sys.executable and str(ROOT / "app.py") in became[0]
    assert became[0][-2:] == ["--server.address=127.0.0.1", "--server.port=8612"]


def test_every_dependency_has_its_tested_version() -> None:
    pins = dict(
        line.split(";")[0].strip().split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line and line[0] != "#"
    )
    extras = PROJECT["optional-dependencies"]
    declared = PROJECT["dependencies"] + extras["ray"] + extras["postgres"] + extras["dev"]
    for text in declared:
        name, bound = re.match(r"([\w.-]+)(?:\[.*?\])?(?:[>=]=([\d.]+))?", text).groups()  # type: ignore[union-attr]
        if name == "vlmexplain":
            continue
        pin = pins[name.lower().replace("_", "-")]
        assert numbers(pin) >= numbers(bound or "0"), text


def numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_wheel_serves_the_demo_from_an_empty_folder(tmp_path: Path) -> None:
    tree = tmp_path / "tree"  # setuptools builds in the tree
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    pip = [sys.executable, "-m", "pip", "--quiet"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(tree)], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    inside = zipfile.ZipFile(wheel).namelist()
    assert sum(name.startswith("vlmexplain/shipped/data/demo/images/") for name in inside) == 1000
    assert sum(name.endswith("model.safetensors") for name in inside) == 2
    assert not any(name.startswith(("drawn_world", "tests")) for name in inside)

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    site = next((tmp_path / "venv" / "lib").glob("python*/site-packages"))
    subprocess.run([*pip, "install", "--no-deps", "--target", site, wheel], check=True)
    # The libraries are borrowed; an editable installation of the checkout comes after the wheel.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")

    empty = tmp_path / "empty"
    empty.mkdir()
    port = free_port()
    own = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VLMEXPLAIN_DATA")}
    served = subprocess.Popen(
        [python, "-m", "vlmexplain", "serve", "--port", str(port)],
        cwd=empty,
        env={**own, "VLMEXPLAIN_HOME": str(tmp_path / "home")},
    )
    try:
        address = f"http://127.0.0.1:{port}"
        health = json.loads(when_up(f"{address}/health", served))
        assert health["status"] == "ok", health
        assert "<title>" in when_up(f"{address}/explore", served)
        assert (tmp_path / "home" / "galleries").is_dir() and not list(empty.iterdir())
    finally:
        served.terminate()
        served.wait(timeout=60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def when_up(address: str, served: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline:
        assert served.poll() is None, "the app ended before it was up"
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise AssertionError("the app did not come up")
