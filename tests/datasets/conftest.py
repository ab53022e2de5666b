"""Fixtures that write the hand-made twins to disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from handmade import trap_pictures


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with the twins of the trap pictures (``missing.jpg`` is not there)."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, content in trap_pictures().items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def coco_folder(tmp_path: Path) -> Callable[..., tuple[Path, Path, Path]]:
    """Writes COCO files and pictures; gives the paths of instances, captions and pictures."""

    def write(
        instances: Any, captions: Any, content: dict[str, bytes], name: str = "data"
    ) -> tuple[Path, Path, Path]:
        folder = tmp_path / name
        images = folder / "images"
        images.mkdir(parents=True, exist_ok=True)
        for file_name, data in content.items():
            (images / file_name).write_bytes(data)
        paths = folder / "instances.json", folder / "captions.json"
        for path, value in zip(paths, (instances, captions), strict=True):
            path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return (*paths, images)

    return write
