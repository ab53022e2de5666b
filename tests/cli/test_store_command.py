"""`vlmexplain store`: options on either side of the action, and what is said of what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fsspec")

from vlmexplain.cli import main
from vlmexplain.ray_engine.shared_store import SharedStore, object_name

GALLERY, RUN, OTHER = ("ab" + str(n) * 30 for n in range(3))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a gallery, a run, and a run whose manifest is no manifest."""
    url = (tmp_path / "store").as_uri()
    for kind, key, manifest in (
        ("galleries", GALLERY, {"names": ["val", "again"]}),
        ("runs", RUN, {"model": {"name": "some-clip"}, "gallery_name": "val"}),
        ("runs", OTHER, ["of another program"]),
    ):
        folder = tmp_path / key
        folder.mkdir()
        (folder / "manifest.json").write_text(json.dumps(manifest))
        SharedStore(url).publish(kind, key, folder)
    return url


@pytest.mark.parametrize("after", [True, False])
def test_list_says_what_it_is(url: str, after: bool, capsys: pytest.CaptureFixture[str]) -> None:
    option = ["--store", url]
    assert main(["store", "list", *option] if after else ["store", *option, "list"]) == 0
    told = capsys.readouterr().out
    rows = [line.split(maxsplit=4) for line in told.splitlines()]
    assert [row[0] for row in rows] == ["kind", "galleries", "runs", "runs", "3"]
    assert rows[1][4] == "val, again" and rows[2][4] == "some-clip, val" and len(rows[3]) == 4
    assert rows[4][1].startswith("published")


def test_empty_store_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "list", "--store", (tmp_path / "none").as_uri()]) == 0
    assert "0 published" in capsys.readouterr().out


def test_lost_manifest(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = SharedStore(url)
    listing = store.listing("runs", RUN)
    assert listing is not None
    store.remove(object_name(listing["manifest.json"].sha256))
    assert main(["store", "list", "--store", url]) == 0
    assert "damaged" in capsys.readouterr().out


def test_the_environment_names_the_store(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_STORE", url)
    assert main(["store", "list"]) == 0
    assert "3 published" in capsys.readouterr().out


def test_fetch(url: str, fresh_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "fetch", "ab", "--store", url]) == 1
    assert "'ab' is the start of 3 keys" in capsys.readouterr().err
    assert main(["store", "fetch", GALLERY[:8], "--store", url]) == 0
    assert "gallery relocate" in capsys.readouterr().out
    assert main(["store", "fetch", "ff", "--store", url]) == 1
    assert "unknown key 'ff'" in capsys.readouterr().err


@pytest.mark.parametrize("age", ["-1", "nan", "inf", "soon"])
def test_no_age_to_prune(url: str, age: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["store", "prune", "--older-than-h", age, "--store", url])
    assert ended.value.code == 2
    assert "no number of hours" in capsys.readouterr().err
