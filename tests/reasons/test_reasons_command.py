"""`vlmexplain reasons --json`, to the letter of the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from colour_world import write_files
from homes import at_home, new_home

from vlmexplain.cli import main
from vlmexplain.datasets.coco import import_coco
from vlmexplain.reasons.kinds import KIND_BY_KEY, TEST_BY_KEY, VERDICTS
from vlmexplain.scoring.run import run


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["reasons", "--gallery", "reasons", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("model", ["fake", "fake-text"])
def test_the_document_is_as_agreed_and_is_read_the_second_time(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "home")
    with at_home(home):
        gallery = import_coco(**write_files(tmp_path / "files", [0, 1, 2, 3, 4]), name="reasons")
        made = run(gallery, model)
        found = answer(capsys, "--model", model, "--all")
        kept = sorted((home / "reasons").rglob("*.json"))
        times = [path.stat().st_mtime_ns for path in kept]
        assert answer(capsys, "--model", model, "--all") == found
        assert [path.stat().st_mtime_ns for path in kept] == times
        sample = answer(capsys, "--model", model, "--sample", "2", "--seed", "3")
    assert found["run"] == made.key and sample["seed"] == 3
    assert len(found["queries"]) == made.manifest.n_failures == len(kept) > 0
    assert len(sample["queries"]) == min(2, len(kept))
    assert all(one in found["queries"] for one in sample["queries"])
    for query in found["queries"]:
        assert query["sentence"] and query["rank"] > 1 and query["margin"] >= 0
        cause = query["first_cause"]
        assert cause is None or 0 <= cause < len(query["reasons"])
        for reason in query["reasons"]:
            check_reason(reason)
    if model == "fake-text":
        assert all("winning_caption" in kinds_of(query) for query in found["queries"])
        assert not any(test["test"] == "P" for q in found["queries"] for r in q["reasons"]
                       for test in r["tests"])  # fmt: skip


def kinds_of(query: dict[str, Any]) -> set[str]:
    return {reason["kind"] for reason in query["reasons"]}


def check_reason(reason: dict[str, Any]) -> None:
    assert reason["kind"] in KIND_BY_KEY and reason["verdict"] in VERDICTS
    assert reason["image"] in ("retrieved", "ground truth", None) and reason["subject"]
    for test in reason["tests"]:
        assert test["test"] in TEST_BY_KEY and test["test"] != "R"
        assert test["fill"] in (("mean", "inpaint") if test["test"] == "P" else (None,))
        assert isinstance(test["effect"], float) and isinstance(test["fixes"], bool)
        assert all(isinstance(value, float) for value in test["controls"])
        assert test["rank_after"] >= 1 and (not test["fixes"] or test["rank_after"] >= 1)


def test_a_model_without_a_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with at_home(new_home(tmp_path / "home")):
        gallery = import_coco(**write_files(tmp_path / "files", [0, 1, 2, 3, 4]), name="reasons")
        run(gallery, "fake")
        code = main(["reasons", "--gallery", "reasons", "--model", "fake:5", "--all"])
    assert code == 1 and "unknown run of model 'fake:5'" in capsys.readouterr().err
