"""`vlmexplain perturb` on a text, a file, and a broken file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vlmexplain.cli import main


def test_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perturb", "--text", "A red car", "--mode", "paper", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rules = {rule["rule"]: rule for rule in document["rules"]}
    [flip] = rules["paper-object"]["perturbations"]
    assert flip["text"].startswith("A red ") and flip["text"] != "A red car"
    assert rules["paper-number"]["perturbations"] == []
    assert rules["paper-number"]["not_applicable_because"]


def test_one_rule_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perturb", "--text", "two dogs", "--rule", "paper-number"]) == 0
    assert "dogs" in capsys.readouterr().out


def test_a_captions_file_gives_a_line_an_image(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "captions.json", tmp_path / "out.jsonl"
    images = [{"id": i, "file_name": f"{i}.jpg"} for i in (1, 2)]
    captions = [
        {"id": 1, "image_id": 1, "caption": "a red bus"},
        {"id": 2, "image_id": 2, "caption": "two cats"},
    ]
    source.write_text(json.dumps({"images": images, "annotations": captions}))
    arguments = ["perturb", "--captions", str(source), "--mode", "paper"]
    assert main([*arguments, "--out", str(out), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert (counts["images"], counts["captions"], counts["paraphrases"]) == (2, 2, 12)
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["image_path"] for line in written] == ["1.jpg", "2.jpg"]
    assert set(written[0]["diff_caps"]) == {"0"}
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines() == out.read_text().splitlines()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--text", "a dog", "--rule", "objekt"], "object"),
        (["--captions", "nowhere.json"], "nowhere.json"),
        (["--captions", "nowhere.json", "--rule", "object"], "--text"),
    ],
)
def test_errors_say_what_to_do(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perturb", *arguments]) == 1
    assert said in capsys.readouterr().err
