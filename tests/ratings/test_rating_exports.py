"""Exports hold everything: read back, they give the same rows and the same analysis."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rating_worlds import Clock, answer_next, items, next_item, open_session, ticket

from vlmexplain.errors import DataError, UnknownName
from vlmexplain.ratings.analysis.analyse import analyse
from vlmexplain.ratings.exchange.export_files import export_bytes, write_export
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.exchange.import_files import read_export
from vlmexplain.ratings.exchange.importing import import_data
from vlmexplain.ratings.organiser import sessions
from vlmexplain.ratings.plan.answer import Answer
from vlmexplain.ratings.plan.refusals import NotRevealed, SessionNotOpen, StateRefused
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.ratings.rater.answers import submit
from vlmexplain.ratings.rater.assignment import at_position, current, skip
from vlmexplain.ratings.rater.joining import join
from vlmexplain.ratings.rater.results import results_for_rater
from vlmexplain.ratings.store.store import RatingStore, open_store

COMMENT = '=HYPERLINK("http://x")\r\n"quoted", ; \u2028 🦓\n'
FORMATS = ["csv", "jsonl", "parquet"]


def rated(store: RatingStore, clock: Clock, **questions: object) -> sessions.Session:
    """Two raters, a repeat, an edit, a skip, hostile texts, an item no one rated."""
    session = open_session(store, n=9, repeats=2, repeat_gap=2, **questions)
    choice = session.spec.kind == "choice"
    for n, name in enumerate(("Zoë", "=cmd|'x'")):
        who = ticket(store, session, name)
        for turn in range(5):
            clock.forward(3.25 + turn)
            if choice:
                shown = next_item(store, who)
                answer = Answer(preference=shown.preferences[0], classes=("details",))
                submit(store, who, shown.item, shown.occurrence, answer, f"{turn}")
            else:
                classes = ("details", "scene")[: turn % 3]
                answer_next(store, who, 1 + turn + n, classes=classes, comment=COMMENT)
        if n:
            skip(store, who, next_item(store, who).item)
        else:
            first = at_position(store, who, 1)
            assert first is not None
            edit = Answer(preference="equal") if choice else Answer(rating=10)
            submit(store, who, first.item, 0, edit, "edit", expected_version=1)
    return session


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("asked", ["rating", "choice"])
def test_an_export_read_back_is_the_same(
    sqlite_store: RatingStore, clock: Clock, folder: Path, kind: str, history: bool, asked: str
) -> None:
    session = rated(sqlite_store, clock, kind=asked)
    data = session_data(sqlite_store, session.id, history)
    assert {row.status for row in data.rows} == {"answered", "skipped", "unrated"}
    assert any(row.occurrence for row in data.rows)
    assert any(not row.is_current for row in data.rows) == history
    path = folder / f"export.{kind}"
    write_export(data, path)
    read = read_export(path)
    assert read == data
    assert analyse(read, resamples=30) == analyse(data, resamples=30)


def test_both_databases_export_the_same(store: RatingStore, clock: Clock) -> None:
    data = session_data(store, rated(store, clock).id, history=True)
    assert len([row for row in data.rows if row.status == "answered"]) == 11
    edited = [row for row in data.rows if row.version == 2]
    assert [(row.rating, row.first_rating, row.is_current) for row in edited] == [(10, 1, True)]
    assert {row.comment for row in data.rows if row.version == 1} == {COMMENT}
    assert {row.rater_name for row in data.rows} == {"", "Zoë", "=cmd|'x'"}


def test_csv_is_long_and_exact(sqlite_store: RatingStore, clock: Clock) -> None:
    data = session_data(sqlite_store, rated(sqlite_store, clock).id)
    text = export_bytes(data, "csv").decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == len(data.rows)
    answered = [row for row in rows if row["status"] == "answered"]
    assert {row["class.details"] for row in answered} == {"0", "1"}
    assert {row["class.action"] for row in answered} == {"0"}  # a class that no one marked
    assert {row["class.details"] for row in rows if row["status"] != "answered"} == {""}
    assert {row["metric.ncs"] for row in rows if row["item"] == "0"} == {""}
    assert COMMENT in {row["comment"] for row in rows}
    assert json.loads(rows[0]["session"])["questions"]["name"] == "test"
    safe = list(csv.DictReader(io.StringIO(export_bytes(data, "csv", True).decode(), newline="")))
    assert "'" + COMMENT in {row["comment"] for row in safe}
    assert not any(
        cell.startswith(("=", "@")) for row in safe for cell in row.values() if cell is not None
    )


def test_anonymous_has_no_names(sqlite_store: RatingStore, clock: Clock) -> None:
    data = session_data(sqlite_store, rated(sqlite_store, clock).id, anonymous=True)
    for kind in ("csv", "jsonl"):
        assert "Zoë" not in export_bytes(data, kind).decode()
    assert {row.rater for row in data.rows} >= {1, 2}


@pytest.mark.parametrize("history", [False, True])
def test_an_import_is_analysed_as_the_original(
    store: RatingStore, clock: Clock, folder: Path, history: bool
) -> None:
    session = rated(store, clock)
    data = session_data(store, session.id, history)
    with pytest.raises(StateRefused, match="here already"):
        import_data(store, data)
    elsewhere = open_store(f"sqlite:///{folder / 'elsewhere.db'}", now=clock)
    made = import_data(elsewhere, data)
    assert (made.id, made.state, made.imported, made.spec) == (
        session.id,
        "closed",
        True,
        session.spec,
    )
    assert made.n_answers == sessions.find_session(store, session.id).n_answers
    again = session_data(elsewhere, made.id, history)
    assert analyse(again, resamples=30) == analyse(data, resamples=30)
    if history:
        assert again.rows == data.rows
    with pytest.raises(SessionNotOpen):
        join(elsewhere, made.code, "someone", "here")
    elsewhere.close()


def corrupted(data: RatingData, change: tuple[str, object]) -> bytes:
    lines = export_bytes(data, "jsonl").decode().split("\n")
    n = next(i for i, line in enumerate(lines) if '"status": "answered"' in line)
    row = json.loads(lines[n])
    row[change[0]] = change[1]
    lines[n] = json.dumps(row)
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "change",
    [
        ("rating", 11),
        ("rating", None),
        ("rating", "many"),
        ("rating", 2.5),
        ("rater", None),
        ("item", None),
        ("class.unheard_of", True),
        ("class.details", "perhaps"),
        ("status", "lost"),
        ("occurrence", 2),
        ("submitted_at", "yesterday"),
        ("metric.ca", "NaN"),
        ("query", 5),
        ("version", 0),
    ],
)
def test_a_damaged_export_is_refused(
    sqlite_store: RatingStore, clock: Clock, folder: Path, change: tuple[str, object]
) -> None:
    data = session_data(sqlite_store, rated(sqlite_store, clock).id)
    path = folder / "damaged.jsonl"
    path.write_bytes(corrupted(data, change))
    with pytest.raises(DataError, match=r"damaged\.jsonl: row"):
        read_export(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b""),
        ("x.csv", b"item,occurrence\r\n0,0\r\n"),
        ("x.csv", b"\xff\xfe"),
        ("x.jsonl", b"[]\n"),
        ("x.jsonl", b"{}\n"),
        ("x.jsonl", b'{"questions": {"name": "x"}, "vlmexplain_ratings": 99}\n'),
        ("x.jsonl", b"not json\n"),
        ("x.parquet", b"PAR1 not really"),
    ],
)
def test_what_is_no_export(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(DataError):
        read_export(folder / name)


def test_endings(folder: Path) -> None:
    with pytest.raises(UnknownName, match=r"\.csv"):
        read_export(folder / "x.xlsx")
    with pytest.raises(DataError, match="cannot be read"):
        read_export(folder / "missing.csv")


def test_results_only_when_revealed(store: RatingStore, clock: Clock) -> None:
    session = open_session(store, n=3)
    anna, ben = (ticket(store, session, name) for name in ("Anna", "Ben"))
    answer_next(store, anna, 9, comment="from Anna")
    with pytest.raises(NotRevealed):
        results_for_rater(store, ben)
    sessions.set_revealed(store, session.id, True)
    seen = results_for_rater(store, ben)
    assert seen.ratings is not None and seen.ratings.mean.value == 9
    assert "Anna" not in repr(seen)
    sessions.set_revealed(store, session.id, False)
    with pytest.raises(NotRevealed):
        results_for_rater(store, ben)
    assert current(store, ben).item is not None


def test_items_are_kept_exactly(store: RatingStore) -> None:
    session = open_session(store, n=4)
    rows = session_data(store, session.id).rows
    assert [row.metrics for row in rows] == [item.metrics for item in items(4)]
    assert {row.status for row in rows} == {"unrated"}
