"""Bring a database to the schema this version knows: under a lock, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from vlmexplain.errors import ReadOnly, StoreError
from vlmexplain.ratings.store.database import Database
from vlmexplain.ratings.store.database_errors import translated
from vlmexplain.ratings.store.tables import METADATA, VERSION_TABLE
from vlmexplain.storage import locked, refuse_read_only

HEAD = "v0003"
"""The newest schema; a test holds it to the newest migration."""

SCRIPTS = Path(__file__).parent / "migrations"
LOCK_TIMEOUT_S = 60.0
POSTGRES_LOCK = 0x766C6D72  # "vlmr"


def migrate(database: Database, scripts: Path = SCRIPTS, head: str = HEAD) -> None:
    """Make or upgrade the tables; nothing is done when they are up to date.

    Raises:
        StoreError: the database is from a newer version, cannot be written, is not ours, or, in
            read-only mode, is not there or not up to date.
    """
    if database.file is not None and _only_read(database.file):
        _check_readable(database, head)
    elif database.file is not None:
        _make_folder(database.file.parent)
        with locked(database.file, LOCK_TIMEOUT_S):
            _prepare_file(database)
            if schema_version(database) != head:
                database.write(lambda c: _upgrade(c, database.where, scripts, head))
    elif schema_version(database) != head:
        database.write(lambda c: _upgrade(c, database.where, scripts, head))


def schema_version(database: Database) -> str | None:
    """The schema a database has; None when it has none yet.

    Raises:
        StoreError: it has ratings and does not say of which schema.
    """
    return database.read(lambda connection: _version(connection, database.where))


def _version(connection: Connection, where: str) -> str | None:
    found = set(inspect(connection).get_table_names())
    said = None
    if VERSION_TABLE in found:
        said = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
    ours = sorted(found & set(METADATA.tables))
    if said is None and ours:
        raise StoreError(
            f"there are ratings here, and {VERSION_TABLE} does not say of which schema.",
            where=where,
            remedy="Put a backup in its place, or use another database. Nothing was changed.",
        )
    return None if said is None else str(said)


def _upgrade(connection: Connection, where: str, scripts: Path, head: str) -> None:
    # Alembic takes a moment to import, and is needed once in a database's life.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": POSTGRES_LOCK})
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    now = _version(connection, where)
    if now is not None and now not in known:
        raise StoreError(
            f"the ratings were written by a newer version (schema {now}, known up to {head}).",
            where=where,
            remedy="Install the newer version, or use another database. Nothing was changed.",
        )
    command.upgrade(config, "head")
    reached = _version(connection, where)
    assert reached == head, f"the migrations lead to {reached}, not to {head}"


def _only_read(file: Path) -> bool:
    try:
        refuse_read_only(file)
    except ReadOnly:
        return True
    return False


def _check_readable(database: Database, head: str) -> None:
    """Refuse what a server that changes nothing cannot show."""
    assert database.file is not None
    # connecting would make the file
    found = schema_version(database) if database.file.is_file() else None
    if found == head:
        return
    raise StoreError(
        "there are no ratings here yet."
        if found is None
        else f"the ratings are of schema {found}, known is {head}.",
        where=database.where,
        remedy="This server is read-only; start it once without VLMEXPLAIN_READONLY.",
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder of the ratings cannot be made ({error.strerror}).",
            where=str(folder),
            remedy="Set VLMEXPLAIN_HOME or VLMEXPLAIN_DATABASE_URL to where you may write.",
        ) from error


def _prepare_file(database: Database) -> None:
    """Make the file (readable by its owner only) and set it to write-ahead logging."""
    assert database.file is not None
    try:
        os.close(os.open(database.file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(
            f"cannot be opened ({error.strerror}).",
            where=database.where,
            remedy="Check the folder and its permissions.",
        ) from error
    with translated(database.where):
        connection = database.engine.raw_connection()
        try:
            cursor = connection.cursor()
            mode = cursor.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            cursor.close()
        finally:
            connection.close()
    if mode != "wal":
        raise StoreError(
            f"the file cannot use write-ahead logging (mode {mode}).",
            where=database.where,
            remedy="Keep it on a local disk, not on a network share; or use PostgreSQL.",
        )
