"""Homes with and without a gallery, the app under test, and a browser to drive it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ui_world import write_world


@dataclass(frozen=True)
class World:
    """A home with the made gallery and its run."""

    home: Path
    files: dict[str, Path]
    gallery_id: str
    run_key: str


def _home(folder: Path) -> Path:
    """An empty home that borrows the test run's WordNet."""
    folder.mkdir(parents=True)
    wordnet = Path(os.environ["VLMEXPLAIN_TEST_HOME"]) / "wordnet"
    wordnet.mkdir(parents=True, exist_ok=True)
    (folder / "wordnet").symlink_to(wordnet)
    return folder


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home without any gallery."""
    return _home(tmp_path_factory.mktemp("ui") / "empty")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A home with the made gallery, ranked by the fake model."""
    from vlmexplain.datasets.coco import import_coco
    from vlmexplain.scoring.run import run

    folder = tmp_path_factory.mktemp("ui")
    home = _home(folder / "home")
    files = write_world(folder / "world")
    before = os.environ["VLMEXPLAIN_HOME"]
    os.environ["VLMEXPLAIN_HOME"] = str(home)
    try:
        gallery = import_coco(**files, name="Made <b>world</b> $1$")
        finished = run(gallery, "fake")
    finally:
        os.environ["VLMEXPLAIN_HOME"] = before
    yield World(home, files, gallery.id, finished.key)
