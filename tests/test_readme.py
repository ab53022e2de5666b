"""What the README names is there: files, make targets, commands and their options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from vlmexplain.cli import build_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^    make ([a-z]+)", README, re.MULTILINE))
    assert named == {"app", "test"}
    assert named <= targets


def commands() -> list[str]:
    text = README.replace("\\\n", " ")
    return [
        re.sub(r"\s+#.*", "", line).strip()
        for line in re.findall(r"^    (vlmexplain .*)$", text, re.MULTILINE)
    ]


def test_there_are_commands() -> None:
    assert len(commands()) >= 5


@pytest.mark.parametrize("line", commands())
def test_commands_of_the_readme_are_understood(line: str) -> None:
    build_parser().parse_args(shlex.split(line)[1:])


def test_ci_runs_the_test_command_and_nothing_softer() -> None:
    assert "exec make test" in (ROOT / ".ci" / "run").read_text()
