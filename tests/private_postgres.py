"""A real PostgreSQL for the tests: its own folder and port, gone with the test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from pathlib import Path

from sqlalchemy import create_engine, text

SCRIPT = Path(__file__).parent / "ratings" / "start_postgres.sh"
# In memory where there is such a disk: what a killed process had written is there either way.
SHM = Path("/dev/shm")
FAST = SHM if os.access(SHM, os.W_OK) and shutil.disk_usage(SHM).free > 2**29 else None


class CannotStart(Exception):
    """What the script says why."""


class PrivatePostgres:
    """One server, started and stopped by the script beside; it keeps its port and its data."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.address = ""

    def start(self) -> None:
        command = ["sh", SCRIPT, "start", self.folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        if done.returncode:
            raise CannotStart(done.stderr.strip())
        self.address = done.stdout.strip().splitlines()[-1]

    def stop(self) -> None:
        """As after a crash: whatever was under way is broken off."""
        subprocess.run(["sh", SCRIPT, "stop", self.folder], check=False, timeout=120)

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        engine = create_engine(
            self.address.replace("postgresql://", "postgresql+psycopg://"),
            isolation_level="AUTOCOMMIT",
        )
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.address.rsplit("/", 1)[0] + f"/{name}"
