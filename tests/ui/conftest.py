"""Homes with and without a gallery, the app under test, and a browser to drive it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from homes import at_home, new_home

sys.path.insert(0, str(Path(__file__).parent))

from ui_world import write_world


@dataclass(frozen=True)
class World:
    """A home with the made gallery and its run."""

    home: Path
    files: dict[str, Path]
    gallery_id: str
    run_key: str


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home without any gallery."""
    return new_home(tmp_path_factory.mktemp("ui") / "empty")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A home with the made gallery, ranked by the fake model."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("ui")
    home = new_home(folder / "home")
    files = write_world(folder / "world")
    with at_home(home):
        gallery = import_coco(**files, name="Made <b>world</b> $1$")
        finished = run(gallery, "fake")
    yield World(home, files, gallery.id, finished.key)
