"""Free memory goes back to the system, not too often."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vlmexplain.ui.server import free_memory

ROOT = Path(__file__).parents[2]
KEEP_AND_FREE = """
import sys
from vlmexplain.ui.server.free_memory import give_back

def resident_mib():
    line = next(l for l in open("/proc/self/status") if l.startswith("VmRSS"))
    return int(line.split()[1]) / 1024

blocks = [bytes(60_000) for _ in range(4000)]  # below the size that is mapped on its own
last = bytearray(60_000)  # keeps the end of the heap in use
del blocks
before = resident_mib()
assert give_back()
sys.exit(0 if before - resident_mib() > 100 else 1)
"""


@pytest.mark.skipif(free_memory._trim() is None, reason="the C library cannot give memory back")
def test_what_is_free_is_given_back() -> None:
    code = subprocess.run([sys.executable, "-c", KEEP_AND_FREE], cwd=ROOT, check=False).returncode
    assert code == 0


@pytest.mark.skipif(free_memory._trim() is None, reason="the C library cannot give memory back")
def test_not_more_often_than_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_memory, "_last_s", -1e9)
    assert free_memory.give_back(60)
    assert not free_memory.give_back(60)
    assert free_memory.give_back()


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_memory, "_trim", lambda: None)
    assert not free_memory.give_back()
