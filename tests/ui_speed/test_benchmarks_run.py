"""The page and memory benchmarks on a small made-up run: they draw real pages, and can fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = ["--images", "150", "--queries", "750"]


def run_benchmark(script: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            str(ROOT / "benchmarks" / script),
            *SMALL,
            "--home",
            str(home),
            *arguments,
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(900)
def test_pages_are_drawn_and_measured(fresh_home: Path) -> None:
    done = run_benchmark("bench_pages.py", fresh_home, "gallery", "compare")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    lines = [line for line in done.stdout.splitlines() if " wall " in line]
    assert len(lines) == 2 + 10
    assert "0 with an error" in done.stdout


@pytest.mark.timeout(900)
def test_memory_is_read_after_each_load(fresh_home: Path) -> None:
    done = run_benchmark("bench_memory.py", fresh_home, "--loads", "10")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert report["errors"] == [] and len(report["rss_mib"]) == 10
    assert 80 < report["highest_mib"] < 2048
