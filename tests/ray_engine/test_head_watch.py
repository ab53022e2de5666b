"""When the head of a cluster is gone, it is said; Ray would end the process without a word."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vlmexplain.ray_engine import head_watch
from vlmexplain.ray_engine.cluster import ClusterError
from vlmexplain.ray_engine.engine import RayEngine
from vlmexplain.ray_engine.head_watch import head_watched


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_watch, "GONE_AFTER_S", 0.5)
    monkeypatch.setattr(head_watch, "LOOK_EVERY_S", 0.05)


def wait(seconds: float) -> None:
    """As Ray waits: in one call that only a signal ends."""
    threading.Event().wait(seconds)


def test_a_head_that_is_gone_is_said(free_port: int) -> None:
    start = time.monotonic()
    with (
        pytest.raises(ClusterError, match="has not answered"),
        head_watched(f"127.0.0.1:{free_port}"),
    ):
        wait(60)
    assert time.monotonic() - start < 30


def test_the_engine_hands_on_what_ended_its_block(free_port: int) -> None:
    with pytest.raises(ClusterError, match="goes on from there"), RayEngine() as engine:
        engine._connection.enter_context(head_watched(f"127.0.0.1:{free_port}"))
        wait(60)


def test_a_head_that_answers_is_left_alone() -> None:
    with socket.socket() as head:
        head.bind(("127.0.0.1", 0))
        head.listen(50)
        with head_watched(f"127.0.0.1:{head.getsockname()[1]}"):
            wait(1.5)


@pytest.fixture
def ctrl_c() -> Iterator[Callable[[Any], None]]:
    """Sets what Ctrl-C does; the suite may run in the background, where it is ignored."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_stays_ctrl_c(free_port: int, ctrl_c: Callable[[Any], None]) -> None:
    ctrl_c(signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt), head_watched(f"127.0.0.1:{free_port}"):
        os.kill(os.getpid(), signal.SIGINT)
        wait(60)


def test_where_ctrl_c_is_ignored_it_stays_so_and_a_lost_head_is_said(
    free_port: int, ctrl_c: Callable[[Any], None]
) -> None:
    ctrl_c(signal.SIG_IGN)
    with (
        pytest.raises(ClusterError, match="has not answered"),
        head_watched(f"127.0.0.1:{free_port}"),
    ):
        os.kill(os.getpid(), signal.SIGINT)
        wait(60)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_nothing_comes_after_the_block(free_port: int) -> None:
    with head_watched(f"127.0.0.1:{free_port}"):
        wait(0.2)
    wait(1.0)


def test_another_thread_is_not_watched(free_port: int) -> None:
    def work() -> None:
        with head_watched(f"127.0.0.1:{free_port}"):
            wait(1.0)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_node_that_is_gone_is_said(free_port: int, tmp_path: Path) -> None:
    path = str(tmp_path / "node")  # the socket's file stays when its owner is killed
    with socket.socket() as head, socket.socket(socket.AF_UNIX) as node:
        head.bind(("127.0.0.1", free_port))
        head.listen(50)
        node.bind(path)
        node.listen(50)
        with head_watched(f"127.0.0.1:{free_port}", path):
            wait(1.0)
        node.close()
        with (
            pytest.raises(ClusterError, match="node on this machine is gone"),
            head_watched(f"127.0.0.1:{free_port}", path),
        ):
            wait(60)
