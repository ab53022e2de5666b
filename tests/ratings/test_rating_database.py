"""Locked, full, unreachable, damaged, from a newer version: said clearly, and nothing lost."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from private_postgres import PrivatePostgres
from rating_worlds import answer_next, next_item, open_session, ticket

from vlmexplain.errors import MissingPackage, StoreError
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import list_sessions
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.rater.answers import new_submission_id, submit
from vlmexplain.ratings.store.backup import backup
from vlmexplain.ratings.store.database import Database, database_url
from vlmexplain.ratings.store.migrate import HEAD, SCRIPTS, migrate, schema_version
from vlmexplain.ratings.store.store import RatingStore, open_store
from vlmexplain.ratings.store.tables import METADATA, VERSION_TABLE

ROOT = Path(__file__).parents[2]


def test_migrations_make_the_tables(store: RatingStore) -> None:
    def differences(connection: object) -> list[object]:
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": VERSION_TABLE,
                "include_name": lambda name, kind, _: kind != "table" or name in METADATA.tables,
            },
        )
        return list(compare_metadata(context, METADATA))

    assert store.database.read(differences) == []
    assert schema_version(store.database) == HEAD
    assert ScriptDirectory(str(SCRIPTS)).get_heads() == [HEAD]


def newer_scripts(folder: Path) -> Path:
    """The migrations of a version to come, which adds a column."""
    scripts = folder / "migrations"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / "v9999_later.py").write_text(
        textwrap.dedent(
            f"""
            import sqlalchemy as sa
            from alembic import op
            revision, down_revision, branch_labels, depends_on = "v9999", "{HEAD}", None, None
            def upgrade():
                op.add_column("rating_sessions", sa.Column("colour", sa.Text()))
            """
        )
    )
    return scripts


def test_an_upgrade_keeps_everything_and_an_older_version_refuses(
    store: RatingStore, database_url: str, folder: Path
) -> None:
    session = open_session(store)
    answer_next(store, ticket(store, session, "Anna"), 7)
    before = session_data(store, session.id)
    migrate(store.database, newer_scripts(folder), "v9999")
    assert schema_version(store.database) == "v9999"
    with pytest.raises(StoreError, match=r"newer version.*Nothing was changed"):
        open_store(database_url)
    assert schema_version(store.database) == "v9999"
    assert session_data(store, session.id) == before


@pytest.mark.parametrize("change", ["DELETE FROM", "DROP TABLE"])
def test_ratings_without_a_word_of_their_schema_are_let_be(
    store: RatingStore, database_url: str, change: str
) -> None:
    session = open_session(store)
    store.database.write(lambda c: c.exec_driver_sql(f"{change} {VERSION_TABLE}"))
    with pytest.raises(StoreError, match=rf"{VERSION_TABLE} does not say.*backup"):
        open_store(database_url)
    assert [one.id for one in list_sessions(store)] == [session.id]


def test_an_upgrade_that_fails_changes_nothing(store: RatingStore, folder: Path) -> None:
    scripts = newer_scripts(folder)
    script = scripts / "versions" / "v9999_later.py"
    script.write_text(script.read_text() + "    op.execute('no such sql')\n")
    session = open_session(store)
    with pytest.raises(StoreError):
        migrate(store.database, scripts, "v9999")
    assert schema_version(store.database) == HEAD
    columns = store.database.read(
        lambda c: c.exec_driver_sql("SELECT * FROM rating_sessions").keys()
    )
    assert "colour" not in columns
    assert [one.id for one in list_sessions(store)] == [session.id]


def test_many_processes_make_one_database(database_url: str) -> None:
    opened: list[str | None] = []
    stores: list[RatingStore] = []

    def open_one() -> None:
        store = open_store(database_url)
        stores.append(store)
        opened.append(schema_version(store.database))

    threads = [threading.Thread(target=open_one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert opened == [HEAD] * 4
    for store in stores:
        store.close()


def test_sqlite_is_durable_and_private(folder: Path) -> None:
    store = open_store(f"sqlite:///{folder / 'ratings.db'}")

    def settings(connection: object) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys")
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    full = 2
    assert store.database.write(settings) == ["wal", full, 1]
    assert store.database.write(settings) == ["wal", full, 1]  # the same connection again
    assert stat.S_IMODE((folder / "ratings.db").stat().st_mode) == 0o600
    store.close()


def test_an_item_handed_out_is_still_the_raters_after_a_crash(postgres: PrivatePostgres) -> None:
    """Or an answer that was under way would be refused."""
    store = open_store(postgres.new_database())
    session = open_session(store)
    names = [ticket(store, session, f"rater {n}") for n in range(3)]
    held = [next_item(store, who) for who in names]
    postgres.stop()  # at once: what was only about to be written is gone
    postgres.start()
    for who, shown in zip(names, held, strict=True):
        answer = Answer(rating=3)
        assert submit(store, who, shown.item, 0, answer, new_submission_id()).version == 1
    store.close()


def test_locked(folder: Path) -> None:
    url = f"sqlite:///{folder / 'ratings.db'}"
    store = open_store(url, busy_timeout_s=0.2)
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    answer_next(store, anna)
    other = sqlite3.connect(folder / "ratings.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"holding the database.*confirmed before is kept"):
        answer_next(store, anna)
    assert list_sessions(store)[0].n_answers == 1  # reading goes on
    other.execute("ROLLBACK")
    answer_next(store, anna)
    assert list_sessions(store)[0].n_answers == 2
    other.close()
    store.close()


FULL_DISK = """
import resource, sys
sys.path.insert(0, "tests/ratings")
from pathlib import Path
from rating_worlds import answer_next, open_session, ticket
from vlmexplain.errors import MissingPackage, StoreError
from vlmexplain.ratings.store.store import open_store
folder = Path(sys.argv[1])
store = open_store(f"sqlite:///{folder / 'ratings.db'}")
session = open_session(store, n=3000)
anna = ticket(store, session, "Anna")
largest = max(path.stat().st_size for path in folder.iterdir())
resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 40_000, resource.RLIM_INFINITY))
confirmed = 0
try:
    for _ in range(3000):
        answer_next(store, anna, 5, comment="x" * 2000)
        confirmed += 1
except StoreError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
answer_next(store, anna)  # space was freed: it goes on
print(confirmed + 1)
"""


def test_full_disk(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    said, confirmed = done.stdout.strip().splitlines()
    assert "space" in said and "What was confirmed before is kept." in said
    store = open_store(f"sqlite:///{folder / 'ratings.db'}")
    assert list_sessions(store)[0].n_answers == int(confirmed) > 1
    store.close()


def test_full_database(folder: Path) -> None:
    store = open_store(f"sqlite:///{folder / 'ratings.db'}")
    session = open_session(store)
    anna = ticket(store, session, "Anna")

    def limit(connection: object) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    store.database.read(limit)  # of this connection, which the pool hands out again
    with pytest.raises(StoreError, match="no space left"):
        for _ in range(5):
            answer_next(store, anna, comment="x" * 4000)
    store.close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://rater:hunter2@127.0.0.1:1/none", "cannot be reached"),
        ("mysql://rater:hunter2@localhost/x", "cannot be used"),
        ("not an address hunter2", "malformed"),
        ("sqlite://", "cannot be used"),
        ("sqlite:////proc/nowhere/ratings.db", "cannot be made"),
    ],
)
def test_unreachable(url: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATABASE_URL", url)
    with pytest.raises(StoreError, match=said) as refused:
        open_store()
    assert "hunter2" not in str(refused.value)


def test_damaged(folder: Path) -> None:
    (folder / "ratings.db").write_bytes(b"no database at all" * 500)
    with pytest.raises(StoreError, match="is no database"):
        open_store(f"sqlite:///{folder / 'ratings.db'}")
    assert (folder / "ratings.db").read_bytes().startswith(b"no database")


def test_the_default_is_a_file_under_the_home(
    fresh_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VLMEXPLAIN_DATABASE_URL", raising=False)
    store = open_store()
    assert store.database.file == fresh_home / "ratings.db"
    store.close()
    assert database_url("postgres://u@h/d").drivername == "postgresql+psycopg"


def test_a_lost_connection_is_made_again(postgres_url: str) -> None:
    store, other = open_store(postgres_url), Database(database_url(postgres_url))
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    answer_next(store, anna)
    other.write(
        lambda c: c.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND datname = current_database()"
        )
    )
    answer_next(store, anna)
    assert list_sessions(store)[0].n_answers == 2
    store.close()
    other.close()


def test_backup_and_restore(folder: Path) -> None:
    store = open_store(f"sqlite:///{folder / 'ratings.db'}")
    session = open_session(store)
    anna = ticket(store, session, "Anna")
    answer_next(store, anna, 3)
    copy = backup(store, folder / "copy.db")
    before = session_data(store, session.id)
    answer_next(store, anna, 4)
    with pytest.raises(StoreError, match="there already"):
        backup(store, copy)
    with pytest.raises(StoreError, match="cannot be"):
        backup(store, folder / "no such folder" / "copy.db")
    store.close()
    shutil.copyfile(copy, folder / "ratings.db")
    for left in ("ratings.db-wal", "ratings.db-shm"):
        (folder / left).unlink(missing_ok=True)
    restored = open_store(f"sqlite:///{folder / 'ratings.db'}")
    assert session_data(restored, session.id) == before
    answer_next(restored, anna, 5)  # raters go on with the tickets they have
    restored.close()
    assert not list(folder.glob(".partial-*"))


@pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")
def test_backup_and_restore_of_postgres(postgres_url: str, postgres_server: str) -> None:
    store = open_store(postgres_url)
    session = open_session(store)
    answer_next(store, ticket(store, session, "Anna"), 3)
    before = session_data(store, session.id)
    with pytest.raises(StoreError, match="pg_dump"):
        backup(store, Path("copy.db"))
    dump = subprocess.run(
        ["pg_dump", "--format=custom", "--table=rating_*", postgres_url],
        capture_output=True,
        check=True,
    ).stdout
    store.database.write(lambda c: METADATA.drop_all(c))
    store.database.write(lambda c: c.exec_driver_sql(f"DROP TABLE {VERSION_TABLE}"))
    subprocess.run(
        ["pg_restore", f"--dbname={postgres_url}"],
        input=dump,
        check=True,
        env=os.environ | {"PGOPTIONS": "-c client_min_messages=warning"},
    )
    assert session_data(store, session.id) == before
    store.close()


def test_a_read_only_disk_is_said_in_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    with pytest.raises(StoreError, match="cannot write here \\(Read-only file system\\)"):
        open_store(f"sqlite:///{folder / 'ratings.db'}")


def test_without_its_driver_postgres_is_refused_with_the_extras_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingPackage, match=r"pip install 'vlmexplain\[postgres\]'"):
        database_url("postgresql://somewhere/ratings")
