"""Many raters from several processes, killed again and again: nothing confirmed is lost.

The normal run is scaled down; ``VLMEXPLAIN_FULL_RATING_TEST=1`` takes 50 raters and 100 answers.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rating_worlds import open_session

from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.store.store import open_store

FULL = os.environ.get("VLMEXPLAIN_FULL_RATING_TEST") == "1"
N_PROCESSES, N_RATERS, N_ANSWERS, N_KILLS = (5, 50, 100, 10) if FULL else (2, 10, 20, 3)
WORKER = Path(__file__).parent / "rating_worker.py"
ROOT = Path(__file__).parents[2]


class Workers:
    """The processes, each with its share of the raters."""

    def __init__(self, url: str, code: str, confirmed: Path):
        self.names = [f"rater {n} 🦓" for n in range(N_RATERS)]
        self.start_of = [url, code, str(confirmed), str(N_ANSWERS)]
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, n: int) -> subprocess.Popen[bytes]:
        names = self.names[n::N_PROCESSES]
        return subprocess.Popen(
            [sys.executable, WORKER, *self.start_of, *names],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )

    def kill(self, n: int) -> None:
        self.running[n].send_signal(signal.SIGKILL)
        self.running[n].wait()


def wait_for(path: Path, n_lines: int, timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if path.exists() and path.read_bytes().count(b"\n") >= n_lines:
            return
        time.sleep(0.02)
    raise TimeoutError(f"{path} has fewer than {n_lines} lines after {timeout_s} s")


@pytest.mark.timeout(1800)
def test_every_confirmed_answer_is_there_once(database_url: str, tmp_path: Path) -> None:
    store = open_store(database_url)
    session = open_session(store, n=N_ANSWERS)
    confirmed = tmp_path / "confirmed.jsonl"
    workers = Workers(database_url, session.code, confirmed)
    workers.running = [workers.start(n) for n in range(N_PROCESSES)]
    rng = random.Random(3)
    total = N_RATERS * N_ANSWERS
    try:
        for kill in range(N_KILLS):
            wait_for(confirmed, int(total * (kill + 1) / (N_KILLS + 2)), 600)
            time.sleep(rng.random() * 0.05)
            n = kill % N_PROCESSES
            workers.kill(n)
            workers.running[n] = workers.start(n)
        for process in workers.running:
            assert process.wait(timeout=900) == 0
    finally:
        for process in workers.running:
            if process.poll() is None:
                process.kill()
                process.wait()
    lines = [json.loads(line) for line in confirmed.read_text().splitlines()]
    rows = session_data(store, session.id, history=True).rows
    store.close()
    answers = [row for row in rows if row.status == "answered"]
    kept = {(row.rater_name, row.item): row for row in answers}
    assert len(kept) == len(answers) == total, "one answer for each rater and item"
    assert all(row.version == 1 and row.is_current for row in answers)
    for name, item, rating, version, _ in lines:
        row = kept[name, item]
        assert (row.rating, row.version, row.comment) == (rating, version, f"{name}: {item}")
    assert len(lines) <= total, "none was confirmed twice"
    assert len(lines) >= total - N_KILLS * N_RATERS  # written and not yet confirmed when killed
