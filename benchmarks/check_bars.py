"""Run every benchmark that has a bar, and fail when one does not hold it: ``make bench-check``.

Each runs in a process of its own with ``--check``, one after the other, on a machine that does
nothing else. At the end: a line a benchmark, and what it ran on. The synthetic gallery of full size
is made once, for all that need it.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HOME = "{home}"
"""Stands in arguments for a folder that several benchmarks share."""


@dataclass(frozen=True, slots=True)
class Check:
    """A benchmark and the bar it is held to.

    Attributes:
        script: in this folder.
        bar: in words.
        arguments: beside ``--check``.
    """

    script: str
    bar: str
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The script without beginning and ending."""
        return self.script.removeprefix("bench_").removesuffix(".py")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a check came out."""

    check: Check
    code: int
    seconds: float

    def line(self) -> str:
        """For the table at the end."""
        verdict = "holds" if self.code == 0 else f"FAILS ({self.code})"
        return f"{verdict:10} {self.check.name:15} {self.seconds:7.0f} s  {self.check.bar}"


CHECKS = (
    Check("bench_scoring.py", "at least 500 x NLTK + NetworkX, equal to 1e-12"),
    Check("bench_ranking.py", "at least 0.7 of the bare matrix product"),
    Check("bench_lgip.py", "LGIP in bulk at least 5 x the per-caption loop"),
    Check("bench_embedding.py", "embedding at least 0.8 of the bare forward pass"),
    Check("bench_live.py", "a typed caption at most 2.0 x bare encoding"),
    Check("bench_queries.py", "filter, sort, first page of 591,753 queries in 500 ms"),
    Check("bench_import.py", "full-size import under 4 GiB",
          ("--fraction", "1", "--verify", "header")),
    Check("bench_full_size.py", "a run of full size under 4 GiB, cost linear in queries"),
    Check("bench_rating_submit.py", "p95 of a submit with 50 raters at most 250 ms"),
    Check("bench_concurrency.py", "30 sessions: no error, p95 under 1 s, memory flat"),
    Check("bench_pages.py", "first draw at most 2 s, interaction at most 500 ms", ("--home", HOME)),
    Check("bench_memory.py", "server under 2 GiB, flat over 500 page loads", ("--home", HOME)),
    Check("bench_redraw.py", "a redraw of Explore at most 3 x that of streamlit hello"),
    Check("bench_startup.py", "first usable page at most 3 x that of streamlit hello"),
)  # fmt: skip


def machine() -> str:
    """Cores, memory, Python and the version of the program measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    asked = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, commit {commit or 'unknown'}, "
        f"load {os.getloadavg()[0]:.1f} at the start"
    )


def run_checks(checks: Sequence[Check], folder: Path, home: Path) -> list[Outcome]:
    """Run the scripts of a folder one after the other; one that fails does not stop the others."""
    found = []
    for check in checks:
        print(f"--- {check.name}: {check.bar}", flush=True)
        arguments = [str(home) if each == HOME else each for each in check.arguments]
        command = [sys.executable, str(folder / check.script), "--check", *arguments]
        start = time.perf_counter()
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        code = subprocess.run(command, cwd=HERE.parent, env=environment, check=False).returncode
        found.append(Outcome(check, code, time.perf_counter() - start))
    return found


def main() -> int:
    """Run them all, list how they came out; 1 when any bar is not held."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help=", ".join(check.name for check in CHECKS))
    parser.add_argument("--home", type=Path, help="keep the synthetic gallery here")
    args = parser.parse_args()
    unknown = set(args.only) - {check.name for check in CHECKS}
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")
    chosen = [check for check in CHECKS if not args.only or check.name in args.only]
    about = machine()
    kept = nullcontext(args.home) if args.home else tempfile.TemporaryDirectory()
    with kept as home:
        found = run_checks(chosen, HERE, Path(home))
    print(f"\n{about}", *(outcome.line() for outcome in found), sep="\n")
    failed = sum(outcome.code != 0 for outcome in found)
    print(f"{len(found) - failed} of {len(found)} bars are held.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
