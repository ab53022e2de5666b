"""The health endpoint and the command: what works, what does not, and nothing secret."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from vlmexplain.cli import main
from vlmexplain.health import check_health, health_document

SECRET = "hush-hush"
NOBODY = f"postgresql://rater:{SECRET}@127.0.0.1:1/none"


def asked(address: str) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_healthy_server(serve: Any, gallery_home: Path, capsys: Any) -> None:
    server = serve(gallery_home)
    status, document = asked(server.address)
    assert status == 200 and document["status"] == "ok"
    assert document["store"]["found"] == {"galleries": 1, "demo": False, "runs": 0}
    assert document["ratings"]["found"] == {"database": "sqlite", "there": False}
    assert document["read_only"] is False and document["jobs_running"] == 0
    assert not server.events("draw")  # no session was opened
    assert not (gallery_home / "ratings.db").exists()  # looking changes nothing
    assert main(["health", "--url", server.address, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "ok"


def test_ratings_out_of_reach(serve: Any, serving_home: Path) -> None:
    server = serve(serving_home, VLMEXPLAIN_DATABASE_URL=NOBODY, VLMEXPLAIN_READONLY="1")
    status, document = asked(server.address)
    assert status == 503 and document["status"] == "failing" and document["read_only"] is True
    assert document["store"]["ok"] and not document["ratings"]["ok"]
    assert document["ratings"]["because"]
    for told in (json.dumps(document), server.log.read_text()):
        assert SECRET not in told and "127.0.0.1:1" not in told


def test_here(gallery_home: Path, capsys: Any) -> None:
    document = health_document(check_health())
    assert document["status"] == "ok" and document["store"]["found"]["galleries"] == 1
    assert main(["health"]) == 0
    told = capsys.readouterr().out
    assert "galleries 1, demo no, runs 0" in told and "there no" in told


def test_database_that_is_none(
    gallery_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (gallery_home / "ratings.db").write_bytes(b"no database at all" * 400)
    assert main(["health", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "failing" and "no database" in document["ratings"]["because"]


def test_malformed_address_of_the_database(
    gallery_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATABASE_URL", f"mysql://rater:{SECRET}@host/none")
    document = health_document(check_health())
    assert not document["ratings"]["ok"] and SECRET not in json.dumps(document)


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("http://127.0.0.1:1", "Is it running"),
        ("http://127.0.0.1:port", "Is it running"),
        ("http://[::1", "Is it running"),
        ("http://", "Expected http://host:port."),
        ("localhost:1", "Expected http://host:port."),
        ("ftp://127.0.0.1", "Expected http://host:port."),
        ("", "Expected http://host:port."),  # of an unset variable: not "here, then"
    ],
)
def test_no_server(address: str, remedy: str, capsys: Any) -> None:
    assert main(["health", "--url", address, "--timeout", "2"]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("vlmexplain:") and remedy in told.err and not told.out
