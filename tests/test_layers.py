"""Imports go only downwards, and heavy libraries stay where they belong."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "vlmexplain"
LAYERS = [
    {"__main__"},
    {"ui", "cli"},
    {"handover"},
    {"report", "demo_setup", "run_items", "health", "kept"},
    {"reasons"},
    {"live", "overview", "ray_engine"},
    {"positives"},
    {"explain", "lgip"},
    {"example", "pairs_io", "wording"},
    {"scoring", "ratings"},
    {"metrics", "perturb", "models", "datasets"},
    {"concepts"},
    {"results"},
    {"records"},
    {"storage", "cache_sizes", "places"},
    {"errors"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
ROOMS = {  # inside a part, the upper rooms first; a room may import those below it
    "ui": [{"shell", "web"}, {"pages"}, {"shared"}, {"server"}],
    "ratings": [
        {"rater"},
        {"exchange"},
        {"organiser", "analysis"},
        {"access"},
        {"store"},
        {"plan"},
    ],
}
LEAVES = ("ui", "pages")  # of the folders in here none imports another
HOME_OF = {  # a library and the only parts that may import it
    "streamlit": {"ui"},
    "starlette": {"ui"},
    "torch": {"models"},
    "open_clip": {"models"},
    "sentence_transformers": {"models"},
    "nltk": {"concepts"},
    "wn": {"concepts"},
    "sqlalchemy": {"ratings"},
    "sklearn": {"positives"},
    "ray": {"ray_engine"},
    "fsspec": {"ray_engine"},
    "cv2": {"reasons"},
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


def pieces(path: Path) -> list[str]:
    return list(path.relative_to(PACKAGE).with_suffix("").parts)


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


@pytest.mark.parametrize("folder", sorted(ROOMS))
def test_every_room_has_its_level(folder: str) -> None:
    found = {path.name.removesuffix(".py") for path in (PACKAGE / folder).glob("*") if holds(path)}
    assert found == set().union(*ROOMS[folder])


def holds(path: Path) -> bool:
    """Whether it is a module or a folder of modules."""
    return (path.suffix == ".py" and path.stem != "__init__") or any(path.glob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_rooms_import_downwards_and_no_page_another(path: Path) -> None:
    own = pieces(path)
    level = {room: n for n, rooms in enumerate(ROOMS.get(own[0], ())) for room in rooms}
    for name in imports(path):
        other = name.split(".")[1:]
        if other[:1] != own[:1] or len(other) < 2 or len(own) < 2:
            continue
        if own[1] != other[1] and {own[1], other[1]} <= set(level):
            assert level[other[1]] > level[own[1]], f"{path}: {own[1]} imports {name}"
        if tuple(own[:2]) == tuple(other[:2]) == LEAVES and len(own) > 3 and len(other) > 2:
            assert own[2] == other[2], f"{path}: a page imports another: {name}"


def test_no_circle_between_modules() -> None:
    """Imports inside functions and those for type checking only count too."""
    name_of = {p: ".".join(("vlmexplain", *pieces(p))).removesuffix(".__init__") for p in MODULES}
    known = set(name_of.values())
    graph = {name_of[p]: (seen(p) & known) - {name_of[p]} for p in MODULES}
    graphlib.TopologicalSorter(graph).prepare()  # CycleError names the modules of a circle


def seen(path: Path) -> set[str]:
    """The modules it imports, those named as `from package import module` too."""
    found = imports(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


PAGES = sorted((PACKAGE.parent / "pages").glob("*.py"))


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_pages_see_only_the_ui(path: Path) -> None:
    for name in imports(path):
        top = name.split(".")[0]
        if top == "vlmexplain":
            assert name.startswith("vlmexplain.ui"), f"{path.name} imports {name}"
        else:
            assert top in {"streamlit", "__future__"}, f"{path.name} imports {name}"
