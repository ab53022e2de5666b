"""Homes of tests: empty but for WordNet, which is set up once a test run and never changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def new_home(folder: Path) -> Path:
    """Make the folder, a home that borrows the test run's WordNet."""
    wordnet = Path(os.environ["VLMEXPLAIN_TEST_HOME"]) / "wordnet"
    wordnet.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True)
    (folder / "wordnet").symlink_to(wordnet)
    return folder


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """The program keeps its things there until the block ends."""
    before = os.environ["VLMEXPLAIN_HOME"]
    os.environ["VLMEXPLAIN_HOME"] = str(home)
    try:
        yield
    finally:
        os.environ["VLMEXPLAIN_HOME"] = before
