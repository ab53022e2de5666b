"""Every command has help, and import, run and explain work end to end on a gallery made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from vlmexplain.cli import COMMANDS, build_parser, main


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.NAME)
def test_every_command_has_help(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command.NAME, "--help"])
    assert stop.value.code == 0
    assert command.HELP and command.__doc__
    assert "usage: vlmexplain" in capsys.readouterr().out


def test_help_names_every_command_once() -> None:
    names = [command.NAME for command in COMMANDS]
    assert len(names) == len(set(names))
    text = build_parser().format_help()
    assert all(name in text for name in names)


@pytest.fixture
def small_coco(tmp_path: Path) -> Path:
    """Six pictures with two captions each, in COCO's form."""
    folder = tmp_path / "coco"
    (folder / "images").mkdir(parents=True)
    images, annotations, captions = [], [], []
    things = [("dog", 18), ("cat", 17), ("horse", 19), ("bus", 6), ("boat", 9), ("bird", 16)]
    for number, (name, category) in enumerate(things, start=1):
        Image.new("RGB", (64, 48), (40 * number, 90, 120)).save(folder / f"images/{number}.png")
        images.append({"id": number, "file_name": f"{number}.png", "width": 64, "height": 48})
        for copy in range(number % 3 + 1):
            annotations.append(
                {
                    "id": 10 * number + copy,
                    "image_id": number,
                    "category_id": category,
                    "bbox": [copy * 5, 4, 10 + number, 12],
                    "iscrowd": 0,
                }
            )
        for copy, text in enumerate((f"a {name} in a field", f"one {name}, seen from afar")):
            captions.append({"id": 100 * number + copy, "image_id": number, "caption": text})
    categories = [{"id": category, "name": name} for name, category in things]
    (folder / "instances.json").write_text(
        json.dumps({"images": images, "annotations": annotations, "categories": categories})
    )
    (folder / "captions.json").write_text(json.dumps({"images": images, "annotations": captions}))
    return folder


def test_import_run_explain(
    small_coco: Path, fresh_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    imported = answer(
        "import",
        "coco",
        *("--instances", str(small_coco / "instances.json")),
        *("--captions", str(small_coco / "captions.json")),
        *("--images", str(small_coco / "images")),
        *("--name", "small"),
    )
    assert imported["n_images"] == 6 and imported["n_captions"] == 12
    assert [g["name"] for g in answer("gallery", "list")] == ["small"]

    finished = answer("run", "--gallery", "small", "--model", "fake")
    assert finished["n_queries"] == 12
    assert finished["figures"]["r1"]["n_cases"] == 12
    again = answer("run", "--gallery", "small", "--model", "fake")
    assert again["key"] == finished["key"] and again["created_s"] == finished["created_s"]
    assert [r["key"] for r in answer("runs")] == [finished["key"]]

    explained = answer("explain", "--run", finished["key"][:12], "--query", "3")
    assert explained["caption_index"] == 3
    assert explained["query"] == "one cat, seen from afar"
    assert {"ca", "ncs", "ce", "sd", "undefined", "evidence", "rank_1based"} <= set(explained)

    kept = answer("cache")
    assert {"galleries", "runs", "embeddings"} <= {entry["kind"] for entry in kept}


@pytest.mark.parametrize("order", [["--json", "prune"], ["prune", "--json"], ["--json", "list"]])
def test_json_before_and_after_the_action(
    order: list[str], fresh_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", *order]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--gallery", "nowhere", "--model", "fake"], "nowhere"),
        (["explain", "--run", "ffff", "--query", "0"], "ffff"),
        (["gallery", "show", "nowhere"], "nowhere"),
        (["cache", "prune", "--kind", "runz"], "runs"),
    ],
)
def test_an_error_is_one_line(
    arguments: list[str], said: str, fresh_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err and told.err.count("\n") == 1 and told.err.startswith("vlmexplain: ")


def test_unknown_model_offers_near_names(
    small_coco: Path, fresh_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [
        *("--instances", str(small_coco / "instances.json")),
        *("--captions", str(small_coco / "captions.json")),
        *("--images", str(small_coco / "images")),
    ]
    assert main(["import", "coco", *files, "--name", "small"]) == 0
    capsys.readouterr()
    assert main(["run", "--gallery", "small", "--model", "all-MiniLM-L6-v3"]) == 1
    assert "all-MiniLM-L6-v2" in capsys.readouterr().err
