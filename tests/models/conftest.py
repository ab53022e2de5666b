"""Fixtures of the model tests: a home of their own, and folders with a tiny model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_open_clip import TINY, random_tensors


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test keeps its digests apart, and asks no hub."""
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def tiny_folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model folder: its JSON and, unless told otherwise, fitting weights."""

    def write(
        config: dict[str, Any] | None = None,
        tensors: dict[str, Any] | None = None,
        name: str = "tiny",
        **outer: Any,
    ) -> Path:
        from safetensors.torch import save_file

        config = config or TINY
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.json").write_text(json.dumps({**config, **outer}))
        save_file(
            random_tensors(config) if tensors is None else tensors, folder / "model.safetensors"
        )
        return folder

    return write
