"""What a command writes is whole or not there, whoever stops it; no folder is made for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vlmexplain.cli import main
from vlmexplain.cli.stopping import Stopped, stops_cleanly
from vlmexplain.storage import PARTIAL_PREFIX, publish_file, scratch_beside

IMAGE = {"width": 9, "height": 9, "instances": [{"synset": "zebra.n.01", "box_xywh_px": None}]}
LINE = json.dumps({"id": 1, "query": "", "ground_truth": IMAGE, "retrieved": IMAGE}) + "\n"


def hear_signals() -> None:
    """In the new process: what nohup, or a shell's background job, made it ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begun(out: Path) -> subprocess.Popen[str]:
    """`score-pairs` in the middle: its scratch file is there, and it waits for more lines."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vlmexplain", "score-pairs", "-", "--out", str(out)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    )
    assert process.stdin is not None
    process.stdin.write(LINE)
    process.stdin.flush()
    deadline = time.monotonic() + 120
    while not any(str(process.pid) in holders(path) for path in partials(out)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    return process


def partials(out: Path) -> list[Path]:
    return list(out.parent.glob(f"{PARTIAL_PREFIX}*"))


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def holders(path: Path) -> set[str]:
    """The processes that have the file open."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if link.readlink() == path:
                found.add(link.parts[2])
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_stopped_command_leaves_nothing(number: int, code: int, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("from before")
    process = begun(out)
    process.send_signal(number)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == code
    assert said == "vlmexplain: stopped; what was finished is kept.\n"
    assert names_in(tmp_path) == ["out.jsonl"] and out.read_text() == "from before"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_what_a_killed_command_left_goes_with_the_next(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    killed = begun(out)
    killed.kill()
    killed.communicate(timeout=120)
    assert len(partials(out)) == 1
    one, other = begun(out), begun(out)  # and two at once let each other be
    assert len(partials(out)) == 2
    for process in (one, other):
        process.communicate(timeout=120)
        assert process.returncode == 0
        assert len(out.read_text().splitlines()) == 1
    assert names_in(tmp_path) == ["out.jsonl"]


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    with publish_file(target) as scratch:
        scratch.write_text("whole")
    assert target.read_text() == "whole" and not partials(target)


def test_a_scratch_file_of_another_target_is_let_be(tmp_path: Path) -> None:
    left = tmp_path / f"{PARTIAL_PREFIX}b-1"
    left.write_text("x")
    with scratch_beside(tmp_path / "a"):
        assert left.exists()
    with scratch_beside(tmp_path / "b"):
        assert not left.exists()


def test_an_ignored_signal_stays_ignored_and_handlers_are_put_back() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with pytest.raises(Stopped) as stop, stops_cleanly():
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        assert stop.value.exit_code == 143
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


WRITERS = (
    ["score-pairs", "IN", "--out"],
    ["perturb", "--captions", "IN", "--out"],
    ["perturb", "--gallery", "g", "--out"],
    ["lgip", "--gallery", "g", "--model", "fake", "--out"],
    ["table", "--gallery", "g", "--parquet"],
    ["handover", "--run", "ffff", "--out"],
    ["rating", "export", "abcd", "--out"],
    ["rating", "backup"],
)


@pytest.mark.parametrize("command", WRITERS, ids=" ".join)
def test_a_folder_that_is_not_there_is_said_first_and_not_made(
    command: list[str],
    tmp_path: Path,
    fresh_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("IN").write_text(LINE)
    for out, said in (("no such/out.html", "no such folder"), (str(tmp_path), "it is a folder")):
        assert main([*command, out]) == 1
        told = capsys.readouterr()
        assert told.out == "" and told.err.count("\n") == 1
        assert said in told.err and str(tmp_path) in told.err
    assert sorted(path.name for path in tmp_path.iterdir() if path != fresh_home) == ["IN"]


@pytest.mark.parametrize("command", WRITERS[1:], ids=" ".join)
def test_a_device_is_not_replaced_by_a_file(
    command: list[str],
    tmp_path: Path,
    fresh_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("IN").write_text(LINE)
    os.mkfifo("device")
    assert main([*command, "device"]) == 1
    assert "no plain file" in capsys.readouterr().err
    assert Path("device").is_fifo()
