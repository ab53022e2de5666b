"""A server that is told to stop finishes what it writes, and its jobs can be taken up again."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from vlmexplain.errors import Cancelled, StoreError
from vlmexplain.records import Progress, ProgressCallback
from vlmexplain.ui.server.jobs import JobRegistry
from vlmexplain.ui.server.stopping import STOP_S, UNFINISHED, Stop, stop_seconds

SLOW_APP = Path(__file__).parent / "slow_app.py"
TERMINATED = -signal.SIGTERM


def counted(notes: Path) -> list[int]:
    return [int(line) for line in notes.read_text().split()] if notes.exists() else []


def test_idle_server_stops_at_once(serve: Any, serving_home: Path) -> None:
    server = serve(serving_home)
    start = time.monotonic()
    assert server.stop() == TERMINATED
    assert time.monotonic() - start < STOP_S
    assert server.events("server.stop")[0]["level"] == "info"


def test_job_stops_at_a_checkpoint_and_is_taken_up(
    serve: Any, gallery_home: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    server = serve(gallery_home, SLOW_APP, SLOW_APP_NOTES=str(notes))
    server.draw("do=job")
    until = time.monotonic() + 60
    while len(counted(notes)) < 3:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert server.stop() == TERMINATED
    assert server.events("job.end")[0]["status"] == "cancelled"
    before = counted(notes)
    kept = list((gallery_home / "embeddings").glob(".unfinished-*/shard-*.npy"))
    assert len(kept) == len(before) - 1  # the batch in work was not yet a whole shard
    assert not [p for p in (gallery_home / "embeddings").rglob(".partial-*") if p.is_file()]

    server = serve(gallery_home, SLOW_APP, SLOW_APP_NOTES=str(notes))
    server.draw("do=job")
    server.wait_for_event("job.end", status="done")
    folders = [p for p in (gallery_home / "embeddings").iterdir() if not p.name.startswith(".")]
    n_texts = sum(counted(notes)) - before[-1]  # every text once, the broken-off batch again
    assert n_texts == len(list_texts())
    assert len(folders) == 2  # texts and images


def list_texts() -> set[str]:
    from ui_world import CAPTIONS

    return {text.strip() for captions in CAPTIONS for text in captions}


def test_a_write_is_finished(serve: Any, serving_home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    server = serve(serving_home, SLOW_APP, SLOW_APP_NOTES=str(notes))

    def draw() -> None:
        with pytest.raises(Exception):  # noqa: B017  its connection is closed under it
            server.draw("do=write")

    drawing = threading.Thread(target=draw)
    drawing.start()
    until = time.monotonic() + 60
    while not notes.with_suffix(".started").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert server.stop() == TERMINATED
    drawing.join(30)
    assert notes.with_suffix(".written").read_bytes() == b"whole"


def test_what_does_not_listen_is_left_behind_in_time(
    serve: Any, serving_home: Path, tmp_path: Path
) -> None:
    notes = str(tmp_path / "notes")
    server = serve(serving_home, SLOW_APP, SLOW_APP_NOTES=notes, VLMEXPLAIN_STOP_S="2")
    server.draw("do=stuck")
    server.wait_for_event("job.start", kind="stuck")
    start = time.monotonic()
    assert server.stop() == UNFINISHED
    assert time.monotonic() - start < 15  # two seconds and a busy machine
    (stopped,) = server.events("server.stop")
    assert stopped["level"] == "warning" and stopped["unfinished"] == ["stuck"]


# ---- the parts ---------------------------------------------------------------------------------


def endless(progress: ProgressCallback) -> None:
    while True:
        progress(Progress("forever", 1, 2))
        time.sleep(0.005)


def test_closed_registry_takes_no_work_and_says_why() -> None:
    registry = JobRegistry()
    registry.start("work", "Work", "key", endless)
    assert registry.close(10.0) == ()
    view = registry.views("work")[0]
    assert view.status == "cancelled" and "the server is stopping" in str(view.error)
    assert "goes on from there" in str(view.error)
    with pytest.raises(Cancelled, match="stopping"):
        registry.start("work", "Work", "other", endless)


def test_close_names_what_is_left() -> None:
    registry, go = JobRegistry(), threading.Event()
    registry.start("deaf", "Deaf", "key", lambda progress: go.wait(60))
    assert registry.close(0.05) == ("deaf",)
    go.set()


def test_stop_ends_the_process_when_something_is_left() -> None:
    registry, go, ended = JobRegistry(), threading.Event(), []
    registry.start("deaf", "Deaf", "key", lambda progress: go.wait(60))
    stop = Stop(registry, 0.05, ended.append)
    assert not stop.finish()
    assert ended == [UNFINISHED]
    go.set()


def test_stop_does_not_end_a_process_that_is_done() -> None:
    ended: list[int] = []
    assert Stop(JobRegistry(), 0.05, ended.append).finish()
    time.sleep(0.2)
    assert ended == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("", STOP_S), (" ", STOP_S), ("3.5", 3.5), (" 7 ", 7.0), ("0", 0.0)]
)
def test_time_to_stop(text: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_STOP_S", text)
    assert stop_seconds() == seconds


@pytest.mark.parametrize("text", ["soon", "-1", "nan", "inf", "1e9"])
def test_no_time_to_stop(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_STOP_S", text)
    with pytest.raises(StoreError, match=r"VLMEXPLAIN_STOP_S: .*number of seconds"):
        stop_seconds()
