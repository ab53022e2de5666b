"""A store on each of the two databases; PostgreSQL is a real one, started for the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from rating_worlds import Clock
from sqlalchemy import create_engine, text

from vlmexplain.ratings.store import RatingStore, open_store

SCRIPT = Path(__file__).parent / "start_postgres.sh"
# In memory where there is such a disk: what a killed process had written is there either way.
SHM = Path("/dev/shm")
FAST = SHM if os.access(SHM, os.W_OK) and shutil.disk_usage(SHM).free > 2**29 else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a private PostgreSQL; required in CI, else skipped where it cannot start."""
    # pytest's own folders are closed to the server's user.
    folder = Path(tempfile.mkdtemp(prefix="vlmexplain-postgres-", dir=FAST))
    folder.chmod(0o755)
    try:
        started = subprocess.run(
            ["sh", SCRIPT, "start", folder / "server"], capture_output=True, text=True, timeout=240
        )
        if started.returncode:
            said = started.stderr.strip()
            if os.environ.get("CI") == "true":
                pytest.fail(f"PostgreSQL must start in CI: {said}")
            pytest.skip(f"PostgreSQL cannot be started here: {said}")
        yield started.stdout.strip().splitlines()[-1]
        subprocess.run(["sh", SCRIPT, "stop", folder / "server"], check=False, timeout=120)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """An empty database of its own."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    engine = create_engine(
        postgres_server.replace("postgresql://", "postgresql+psycopg://"),
        isolation_level="AUTOCOMMIT",
    )
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return postgres_server.rsplit("/", 1)[0] + f"/{name}"


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
