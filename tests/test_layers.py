"""Imports go only downwards, and heavy libraries stay where they belong."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "vlmexplain"
LAYERS = [
    {"__main__"},
    {"ui", "cli"},
    {"handover"},
    {"report", "demo_setup", "run_items", "health"},
    {"live", "overview", "ray_engine"},
    {"explain", "lgip"},
    {"example", "pairs_io", "wording"},
    {"scoring", "ratings"},
    {"metrics", "perturb", "models", "datasets", "demo"},
    {"concepts"},
    {"records"},
    {"storage", "cache_sizes"},
    {"errors"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
HOME_OF = {  # a library and the only parts that may import it
    "streamlit": {"ui"},
    "starlette": {"ui"},
    "torch": {"models", "demo"},
    "open_clip": {"models", "demo"},
    "sentence_transformers": {"models"},
    "nltk": {"concepts"},
    "wn": {"concepts"},
    "sqlalchemy": {"ratings"},
    "ray": {"ray_engine"},
    "fsspec": {"ray_engine"},
}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            if node.module == "vlmexplain":
                found |= {f"vlmexplain.{alias.name}" for alias in node.names}
    return found


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downwards(path: Path) -> None:
    own = part(path)
    for name in imports(path):
        pieces = name.split(".")
        if pieces[0] == "vlmexplain" and len(pieces) > 1 and pieces[1] in LEVEL:
            other = pieces[1]
            same = other == own
            assert same or LEVEL[other] > LEVEL[own], f"{path}: {own} imports {other}"
        if pieces[0] in HOME_OF:
            assert own in HOME_OF[pieces[0]], f"{path}: {own} imports {pieces[0]}"


PAGES = sorted((PACKAGE.parent / "pages").glob("*.py"))


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_pages_see_only_the_ui(path: Path) -> None:
    for name in imports(path):
        top = name.split(".")[0]
        if top == "vlmexplain":
            assert name.startswith("vlmexplain.ui"), f"{path.name} imports {name}"
        else:
            assert top in {"streamlit", "__future__"}, f"{path.name} imports {name}"
