"""The command, from the example's TOML file to the analysis of an export."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from rating_worlds import answer_next, ticket

from vlmexplain.cli import rating
from vlmexplain.errors import DataError, StoreError, UnknownName, VlmexplainError
from vlmexplain.ratings.organiser.sessions import find_session
from vlmexplain.ratings.plan.spec_toml import ItemRequest, read_plan
from vlmexplain.ratings.store.store import open_store

EXAMPLE = Path(__file__).parents[2] / "examples" / "rating_session.toml"


@pytest.fixture(autouse=True)
def home(fresh_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("VLMEXPLAIN_DATABASE_URL", raising=False)
    return fresh_home


def call(*arguments: str) -> None:
    parser = argparse.ArgumentParser()
    rating.add_arguments(parser)
    args = parser.parse_args(arguments)
    assert rating.execute(args) == 0


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    call(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_from_the_example_to_the_analysis(
    capsys: pytest.CaptureFixture[str], home: Path, tmp_path: Path
) -> None:
    made = document(capsys, "create", str(EXAMPLE))
    assert (made["state"], made["n_items"], made["spec"]["raters_per_item"]) == ("draft", 4, 3)
    key = made["id"]
    assert document(capsys, "open", key)["state"] == "open"
    store = open_store()
    session = find_session(store, key)
    for n, name in enumerate(("Anna", "\x1b[31mBen".replace("\x1b", "ESC"))):
        who = ticket(store, session, name)
        for turn in range(4):
            answer_next(store, who, 2 + turn + n, classes=("details",))
    store.close()
    assert document(capsys, "pause", key[:6])["state"] == "paused"
    assert [one["n_answers"] for one in document(capsys, "list")] == [8]
    shown = document(capsys, "show", key)
    assert [event["what"] for event in shown["events"]] == ["created", "open", "paused"]
    assert document(capsys, "close", key)["state"] == "closed"
    assert document(capsys, "reveal", key)["revealed"] is True
    assert document(capsys, "hide", key)["revealed"] is False
    found = document(capsys, "analyse", key, "--resamples", "30")
    assert found["ratings"]["mean"] == {"value": 4.0, "n": 8, "undefined_because": None}
    for ending in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"export.{ending}"
        done = document(capsys, "export", key, "--out", str(out), "--history")
        assert done == {"file": str(out), "rows": 8}
        assert document(capsys, "analyse", str(out), "--resamples", "30") == found
    document(capsys, "backup", str(tmp_path / "copy.db"))
    (home / "ratings.db").unlink()
    (home / "ratings.db-wal").unlink(missing_ok=True)
    (home / "ratings.db-shm").unlink(missing_ok=True)
    imported = document(capsys, "import", str(tmp_path / "export.csv"))
    assert (imported["id"], imported["state"], imported["imported"]) == (key, "closed", True)
    assert document(capsys, "analyse", key, "--resamples", "30") == found


def test_plain_output(capsys: pytest.CaptureFixture[str]) -> None:
    call("create", str(EXAMPLE))
    said = capsys.readouterr().out
    assert "code for raters: " in said and "Open it with: vlmexplain rating open " in said
    call("list")
    assert "draft" in capsys.readouterr().out
    key = said.split()[0]
    call("show", key)
    assert "created" in capsys.readouterr().out
    call("analyse", key)
    assert "n/a (no answers with a rating)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (("open", "nosuch"), UnknownName, "rating session"),
        (("analyse", "nosuch.csv"), DataError, "cannot be read"),
        (("import", "nosuch.csv"), DataError, "cannot be read"),
        (("create", "nosuch.toml"), DataError, "TOML"),
    ],
)
def test_refusals(arguments: tuple[str, ...], kind: type[VlmexplainError], said: str) -> None:
    with pytest.raises(kind, match=said):
        call(*arguments)


def test_a_bad_ending_is_refused_before_anything(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="ending"):
        call("export", "nosuch", "--out", str(tmp_path / "x.xlsx"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = 'x'\nground_thruth = 'after'\n", "Did you mean 'ground_truth'"),
        ("name = 'x'\nrun = 'r'\nground_truth = 'never'\n", "shown, hidden, after"),
        ("name = 'x'\nrun = 'r'\nrepeats = 'many'\n", "expected int"),
        ("name = 'x'\nrun = 'r'\n[[classes]]\nkey = 'a'\n", "'label' is missing"),
        ("name = 'x'\nrun = 'r'\n[items]\nsampel = 3\n", "Did you mean 'sample'"),
        ("run = 'r'\n", "'name' is missing"),
        ("name = 'x'\n", "neither a run nor a file"),
        ("name = \n", "TOML"),
    ],
)
def test_a_spec_with_a_mistake(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text)
    with pytest.raises(VlmexplainError, match=said) as refused:
        read_plan(path)
    assert "spec.toml" in str(refused.value) or "run" in text


def test_the_example_reads_as_it_says() -> None:
    plan = read_plan(EXAMPLE)
    assert plan.items == ItemRequest("rating_items.jsonl", (), True, 4, 1, "ca", 2)
    assert plan.questions.class_keys() == ("details", "successful_alternative")


def test_an_unreachable_database_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATABASE_URL", "postgresql://u:secret@127.0.0.1:1/x")
    with pytest.raises(StoreError) as refused:
        call("list")
    assert "\n" not in str(refused.value) and "secret" not in str(refused.value)
