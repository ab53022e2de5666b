"""A store on each of the two databases; PostgreSQL is a real one (`tests/conftest.py`)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from private_postgres import FAST
from rating_worlds import Clock

from vlmexplain.ratings.store.store import RatingStore, open_store


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder, in memory where that is possible."""
    made = Path(tempfile.mkdtemp(prefix="vlmexplain-ratings-", dir=FAST))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, folder: Path) -> str:
    """Where a store may be made, once a database."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{folder / 'ratings.db'}"


@pytest.fixture
def clock() -> Clock:
    """A clock that stands until it is moved."""
    return Clock()


@pytest.fixture
def store(database_url: str, clock: Clock) -> Iterator[RatingStore]:
    """An empty store on each database."""
    opened = open_store(database_url, now=clock)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(folder: Path, clock: Clock) -> Iterator[RatingStore]:
    """An empty store on SQLite, where the database makes no difference."""
    opened = open_store(f"sqlite:///{folder / 'ratings.db'}", now=clock)
    yield opened
    opened.close()
