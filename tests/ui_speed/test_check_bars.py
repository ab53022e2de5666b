"""`make bench-check` fails when a benchmark falls under its bar, and only then."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
FAKE = """
import sys
ratio, bar = {ratio}, 0.8
print("ratio", ratio)
sys.exit(1 if "--check" in sys.argv and ratio < bar else 0)
"""


@pytest.fixture
def check_bars(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import check_bars

    return check_bars


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    for name, ratio in (("good", 0.9), ("bad", 0.79), ("last", 0.81)):
        (tmp_path / f"bench_{name}.py").write_text(FAKE.format(ratio=ratio))
    (tmp_path / "bench_broken.py").write_text("raise RuntimeError('no')")
    return tmp_path


def test_a_bad_ratio_and_an_error_fail_and_the_others_still_run(
    check_bars: Any, scripts: Path
) -> None:
    checks = [check_bars.Check(f"bench_{n}.py", n) for n in ("good", "bad", "broken", "last")]
    found = check_bars.run_checks(checks, scripts, scripts)
    assert [outcome.code == 0 for outcome in found] == [True, False, False, True]
    assert "FAILS" in found[1].line() and "holds" in found[3].line()


@pytest.mark.parametrize(("names", "code"), [(("good", "last"), 0), (("good", "bad"), 1)])
def test_the_command_fails_with_them_and_lists_every_result(
    check_bars: Any, scripts: Path, monkeypatch: Any, capsys: Any, names: Any, code: int
) -> None:
    checks = tuple(check_bars.Check(f"bench_{name}.py", f"bar of {name}") for name in names)
    monkeypatch.setattr(check_bars, "CHECKS", checks)
    monkeypatch.setattr(check_bars, "HERE", scripts)
    monkeypatch.setattr(sys, "argv", ["check_bars.py", "--home", str(scripts)])
    assert check_bars.main() == code
    said = capsys.readouterr().out
    assert all(f"bar of {name}" in said.split("cores,")[1] for name in names)
    assert "GiB, Python 3" in said and "commit" in said


def test_the_shared_folder_is_given_to_those_that_ask(check_bars: Any, tmp_path: Path) -> None:
    (tmp_path / "bench_home.py").write_text(
        "import sys; sys.exit(sys.argv[1:] != ['--check', '--home', '/somewhere'])"
    )
    check = check_bars.Check("bench_home.py", "", ("--home", check_bars.HOME))
    assert check_bars.run_checks([check], tmp_path, Path("/somewhere"))[0].code == 0


def test_every_benchmark_of_the_list_is_there_and_has_its_check(check_bars: Any) -> None:
    for check in check_bars.CHECKS:
        text = (BENCHMARKS / check.script).read_text()
        if "from against_hello import compare" in text:
            text = (BENCHMARKS / "against_hello.py").read_text()
        assert '"--check"' in text, check.script


def test_make_runs_it() -> None:
    rules = (ROOT / "Makefile").read_text()
    assert "bench-check:" in rules and "benchmarks/check_bars.py" in rules
