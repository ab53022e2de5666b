"""Digests of weight files: right, remembered, and never wrong after a change."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from vlmexplain.errors import ModelError
from vlmexplain.models import digests
from vlmexplain.models.digests import file_digest
from vlmexplain.storage import home

BIG = b"weights!" * (1 << 18)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    seen: list[Path] = []
    real = digests._read_digest

    def counted(path: Path) -> str:
        seen.append(path)
        return real(path)

    monkeypatch.setattr(digests, "_read_digest", counted)
    return seen


def as_in_a_new_process() -> None:
    digests._known.clear()


def test_a_large_file_is_read_once(tmp_path: Path, reads: list[Path]) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(BIG)
    expected = hashlib.sha256(BIG).hexdigest()
    assert file_digest(path) == expected == file_digest(path)
    as_in_a_new_process()
    assert file_digest(path) == expected and len(reads) == 1

    changed = b"W" + BIG[1:]
    path.write_bytes(changed)
    facts = path.stat()
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    assert file_digest(path) == hashlib.sha256(changed).hexdigest()
    remembered = json.loads((home() / "model_digests.json").read_text())
    assert len(remembered) == 1, "the older state of the file is of no more use"


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 1}'])
def test_a_damaged_memory_only_costs_time(tmp_path: Path, reads: list[Path], damage: str) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(BIG)
    home().mkdir(parents=True)
    (home() / "model_digests.json").write_text(damage)
    as_in_a_new_process()
    assert file_digest(path) == hashlib.sha256(BIG).hexdigest() and len(reads) == 1
    as_in_a_new_process()
    file_digest(path)
    assert len(reads) == 1


def test_a_home_that_cannot_be_written_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("a file, no folder")
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(blocker / "home"))
    path = tmp_path / "w.safetensors"
    path.write_bytes(BIG)
    as_in_a_new_process()
    assert file_digest(path) == hashlib.sha256(BIG).hexdigest()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"gone\.safetensors.*cannot read"):
        file_digest(tmp_path / "gone.safetensors")
