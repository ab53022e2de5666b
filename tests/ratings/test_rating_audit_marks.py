"""Marks of the audit in the ratings' database, and those that were in a file before."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import text

from vlmexplain.errors import ReadOnly, StoreError
from vlmexplain.ratings.store.audit_marks import KeptMarks, read_audit_marks, write_audit_mark
from vlmexplain.ratings.store.database import Database, database_url
from vlmexplain.ratings.store.migrate import migrate
from vlmexplain.ratings.store.tables import VERSION_TABLE

FILE = {1: "fine", 2: "caption-wrong"}


@pytest.fixture
def here(database_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, and a database to be made."""
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(folder))
    monkeypatch.setenv("VLMEXPLAIN_DATABASE_URL", database_url)
    return folder


def test_marks_are_kept_as_a_dictionary_would(here: Path) -> None:
    rng = random.Random(2)
    expected: dict[int, str] = dict(FILE)
    assert read_audit_marks("g1") == KeptMarks({}, False)
    for _ in range(40):
        place, verdict = rng.randrange(6), rng.choice([None, "fine", "annotation-wrong"])
        write_audit_mark("g1", place, verdict, FILE)
        expected.pop(place, None)
        if verdict is not None:
            expected[place] = verdict
        assert read_audit_marks("g1") == KeptMarks(expected, True)
    write_audit_mark("g2", 0, "fine", {})
    assert read_audit_marks("g1") == KeptMarks(expected, True), "galleries are apart"


def test_a_mark_taken_away_does_not_come_back_from_the_file(here: Path) -> None:
    write_audit_mark("g", 2, None, FILE)
    write_audit_mark("g", 5, "fine", FILE)
    assert read_audit_marks("g").verdicts == {1: "fine", 5: "fine"}


def test_marks_made_at_once_are_all_kept(here: Path) -> None:
    write_audit_mark("g", 1, "fine", {})
    threads = [
        threading.Thread(target=write_audit_mark, args=("g", n, "fine", {})) for n in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(read_audit_marks("g").verdicts) == set(range(12))


def test_reading_makes_no_database(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(folder / "none"))
    assert read_audit_marks("g") == KeptMarks({}, False)
    assert not (folder / "none").exists()


def test_a_database_from_before_is_upgraded_by_the_first_mark(here: Path) -> None:
    database = Database(database_url())
    migrate(database)

    def back(connection: object) -> None:
        for table in ("rating_audit_marks", "rating_fit_marks"):
            connection.execute(text(f"DROP TABLE {table}"))  # type: ignore[attr-defined]
        connection.execute(  # type: ignore[attr-defined]
            text(f"UPDATE {VERSION_TABLE} SET version_num = 'v0001'")
        )

    database.write(back)
    assert read_audit_marks("g") == KeptMarks({}, False)
    write_audit_mark("g", 3, "fine", FILE)
    assert read_audit_marks("g").verdicts == FILE | {3: "fine"}
    database.close()


def test_a_read_only_server_reads_and_refuses(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_audit_mark("g", 3, "fine", FILE)
    monkeypatch.setenv("VLMEXPLAIN_READONLY", "1")
    assert read_audit_marks("g").verdicts == FILE | {3: "fine"}
    with pytest.raises(ReadOnly):
        write_audit_mark("g", 4, "fine", FILE)


def test_a_damaged_file_and_an_unreachable_database_are_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vlmexplain.overview.marks import marks_file, read_marks

    monkeypatch.setenv("VLMEXPLAIN_HOME", str(folder))
    monkeypatch.delenv("VLMEXPLAIN_DATABASE_URL", raising=False)
    kept: Mapping[str, str] = {"4": "fine", "7": "caption-wrong", "9": "nonsense"}
    marks_file("abc").parent.mkdir(parents=True)
    marks_file("abc").write_text(json.dumps({"format": 1, "marks": kept}))
    assert read_marks("abc") == {4: "fine", 7: "caption-wrong"}
    marks_file("abc").write_text("{")
    with pytest.raises(StoreError, match="the marks are damaged"):
        read_marks("abc")
    monkeypatch.setenv("VLMEXPLAIN_DATABASE_URL", "postgresql://u:hidden-pass@127.0.0.1:9/none")
    with pytest.raises(StoreError, match="cannot be reached") as error:
        read_marks("abc")
    assert "hidden-pass" not in str(error.value)
