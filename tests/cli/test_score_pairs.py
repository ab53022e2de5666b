"""`vlmexplain score-pairs` and `example`: the contract for scripts, through the real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ZEBRA = {"synset": "zebra.n.01", "box_xywh_px": [0, 0, 100, 100], "crowd": False}


def vlmexplain(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vlmexplain", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )


def image(*instances: dict[str, Any]) -> dict[str, Any]:
    return {"width": 640, "height": 480, "instances": list(instances)}


def pair(pair_id: object, left: dict[str, Any], right: dict[str, Any]) -> str:
    return json.dumps({"id": pair_id, "query": "a zebra", "ground_truth": left, "retrieved": right})


def test_example_has_the_papers_numbers() -> None:
    done = vlmexplain("example", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["ca"] == 3 / 11
    assert document["ncs"] == pytest.approx((1 / 9 + 1 / 6) / 2, abs=1e-12)
    assert document["ce"] == 2 + 0 + 4
    assert document["sd"] == 2 / 6
    assert document["rank_1based"] == 294
    assert document["recall"] == {"r1": 0, "r5": 0, "r10": 0}
    assert document["evidence"]["ncs_pairs"] == [
        ["hill.n.01", "grassland.n.01", pytest.approx(1 / 9)],
        ["tree.n.01", "grass.n.01", pytest.approx(1 / 6)],
    ]


def test_a_pair_with_its_evidence() -> None:
    small = {"synset": "zebra.n.01", "box_xywh_px": [0, 0, 50, 100]}
    line = pair("a", image(ZEBRA, {"synset": "dog.n.01", "box_xywh_px": None}), image(small))
    done = vlmexplain("score-pairs", "-", stdin=line + "\n")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)
    assert (scores["id"], scores["ca"], scores["ncs"], scores["ce"]) == ("a", 0.5, None, 0)
    assert scores["sd"] == 1.0  # D_A = (100 - 50) / 50 = 1, which reaches T_D = 1
    assert set(scores["undefined"]) == {"ncs"}
    assert scores["evidence"]["common"] == ["zebra.n.01"]
    assert scores["evidence"]["only_ground_truth"] == ["dog.n.01"]
    assert scores["evidence"]["multiplicities"] == {"zebra.n.01": [1, 1]}
    [[concept, left, right, difference, exceeds]] = scores["evidence"]["size_pairs"]
    assert (concept, difference, exceeds) == ("zebra.n.01", 1.0, True)
    assert left == pytest.approx(100 * 100 / (640 * 480))
    assert right == pytest.approx(50 * 100 / (640 * 480))


def test_options_change_the_size_disagreement() -> None:
    small = {"synset": "zebra.n.01", "box_xywh_px": [0, 0, 50, 100]}
    line = pair(1, image(ZEBRA), image(small))
    above = vlmexplain("score-pairs", "-", "--size-threshold", "1.01", stdin=line)
    assert json.loads(above.stdout)["sd"] == 0
    by_ground_truth = vlmexplain("score-pairs", "-", "--relative-to", "ground-truth", stdin=line)
    scores = json.loads(by_ground_truth.stdout)
    assert scores["sd_raw"] == 0.5
    assert scores["sd"] == 0


def test_a_bad_line_is_named_and_the_others_are_scored(tmp_path: Path) -> None:
    good = pair("good", image(ZEBRA), image(ZEBRA))
    unknown = pair("bad", image({"synset": "zebbra.n.01"}), image(ZEBRA))
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(f"{good}\nnot json\n\n{unknown}\n{good}\n", encoding="utf-8")
    done = vlmexplain("score-pairs", str(source), "--out", str(out))
    assert done.returncode == 1
    assert "line 2" in done.stderr and "line 4" in done.stderr
    assert "zebra.n.01" in done.stderr, "a near match is offered"
    assert done.stdout == ""
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["good", "good"]


def test_undecodable_bytes_are_an_error_of_their_line(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    good = pair("good", image(ZEBRA), image(ZEBRA))
    source.write_bytes(b'{"id": "\xff\xfe"}\n' + good.encode() + b"\n")
    done = vlmexplain("score-pairs", str(source))
    assert done.returncode == 1
    assert "line 1" in done.stderr
    assert json.loads(done.stdout)["id"] == "good"


def test_a_missing_file_is_one_line_on_stderr(tmp_path: Path) -> None:
    done = vlmexplain("score-pairs", str(tmp_path / "none.jsonl"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "none.jsonl" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["score-pairs"],
        ["score-pairs", "-", "--size-threshold", "-1"],
        ["score-pairs", "-", "--size-threshold", "nan"],
        ["score-pairs", "-", "--relative-to", "moon"],
        ["nonsense"],
        [],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    assert vlmexplain(*arguments).returncode == 2


def test_the_reader_may_go_away() -> None:
    line = pair("x", image(ZEBRA), image(ZEBRA)) + "\n"
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m vlmexplain score-pairs - | head -n 1"],
        input=line * 3000,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert json.loads(done.stdout)["id"] == "x"
    assert "Traceback" not in done.stderr


def test_the_input_is_not_replaced(tmp_path: Path) -> None:
    source, link = tmp_path / "in.jsonl", tmp_path / "link.jsonl"
    source.write_text(pair(1, image(ZEBRA), image(ZEBRA)) + "\n")
    link.symlink_to(source)
    before = source.read_bytes()
    for out in (source, link):
        done = vlmexplain("score-pairs", str(source), "--out", str(out))
        assert done.returncode == 1 and "would replace the input" in done.stderr
    assert source.read_bytes() == before


def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(pair(1, image(ZEBRA), image(ZEBRA)) + "\n")
    folder = vlmexplain("score-pairs", str(source), "--out", str(tmp_path))
    assert (folder.returncode, folder.stderr.count("\n")) == (1, 1)
    assert "folder" in folder.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["example --json", "score-pairs IN", "score-pairs IN --out -"])
def test_a_full_disk_is_one_line(tmp_path: Path, command: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(pair(1, image(ZEBRA), image(ZEBRA)) + "\n")
    arguments = [str(source) if word == "IN" else word for word in command.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "vlmexplain", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert done.returncode == 1
    assert done.stderr == "vlmexplain: No space left on device.\n"


def test_a_closed_stdout_is_no_crash(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(pair(1, image(ZEBRA), image(ZEBRA)) + "\n")
    call = 'exec "$0" -m vlmexplain score-pairs "$1" >&-'
    done = subprocess.run(
        ["sh", "-c", call, sys.executable, str(source)],
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_line_that_is_no_json_says_where_in_the_line() -> None:
    done = vlmexplain("score-pairs", "-", stdin='\n{"id": 1,\n')
    assert "line 2: is not JSON" in done.stderr
    assert "line 1" not in done.stderr and "(character " in done.stderr


def test_json_for_a_stdout_that_is_not_utf8() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vlmexplain", "perturb", "--text", "a dog 🎈 é", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert "🎈" in json.dumps(json.loads(done.stdout), ensure_ascii=False)
