"""Nothing that is kept in memory grows without end: every cache of the code has a bound."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vlmexplain.cache_sizes import SIZES, check_sizes, size_of
from vlmexplain.cli import main
from vlmexplain.errors import StoreError, UnknownName

ROOT = Path(__file__).parents[2]
MODULES = sorted([*(ROOT / "vlmexplain").rglob("*.py"), *(ROOT / "pages").glob("*.py")])

CLOSED = {  # cached without a size: what can be asked is few, for the reason given
    "colours.rgb_distance": "pairs of the 148 named colours",
}
MODULE_STORES = {  # dicts that live as long as the process: what bounds each
    "mentions._finders": "one for each WordNet of the process",
    "wordnet._opened": "one for each folder that WordNet was opened from",
    "caches._wordnets": "one for each home of the process",
    "digests._known": "one for each state of a model's weight file on this machine",
    "database._turns": "one for each database of the process",
}


def names() -> Iterator[tuple[str, Path, ast.Module]]:
    for path in MODULES:
        yield path.stem, path, ast.parse(path.read_text(encoding="utf-8"))


def called(node: ast.expr) -> str:
    """The last name of what is called or used as a decorator."""
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def keyword(node: ast.expr, name: str) -> ast.expr | None:
    if isinstance(node, ast.Call):
        for each in node.keywords:
            if each.arg == name:
                return each.value
    return None


def cached_functions() -> Iterator[tuple[str, ast.FunctionDef, ast.expr]]:
    for stem, _, tree in names():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    kind = called(decorator)
                    if kind in ("cache_data", "cache_resource", "lru_cache", "cache"):
                        yield f"{stem}.{node.name}", node, decorator


def test_there_are_caches() -> None:
    assert len(list(cached_functions())) > 30


@pytest.mark.parametrize(
    ("name", "node", "decorator"), cached_functions(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_cached_function_has_a_bound(name: str, node: ast.FunctionDef, decorator: ast.expr) -> None:
    takes_nothing = not (node.args.args or node.args.kwonlyargs or node.args.vararg)
    if takes_nothing or name in CLOSED:
        return
    bound = keyword(decorator, "max_entries") or keyword(decorator, "maxsize")
    assert bound is not None, f"{name} is kept without a bound"
    assert not (isinstance(bound, ast.Constant) and bound.value is None), f"{name}: no bound"


def is_store(value: ast.expr | None) -> bool:
    """An empty dict or the like, to be filled later."""
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and called(value) in (
        "dict", "OrderedDict", "defaultdict", "list", "set", "deque",
    ) and not value.args  # fmt: skip


def test_module_stores_are_known() -> None:
    found = set()
    for stem, _, tree in names():
        for node in tree.body:
            targets: list[Any] = []
            if isinstance(node, ast.AnnAssign) and is_store(node.value):
                targets = [node.target]
            elif isinstance(node, ast.Assign) and is_store(node.value):
                targets = node.targets
            found |= {f"{stem}.{target.id}" for target in targets}
    assert found == set(MODULE_STORES)


def test_ordered_stores_let_the_oldest_go() -> None:
    """An `OrderedDict` of an object is how this code keeps the latest: something must pop."""
    n = 0
    for _, path, tree in names():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.AnnAssign)
                and node.value
                and called(node.value) == "OrderedDict"
            ):
                assert isinstance(node.target, ast.Attribute)
                assert f"{node.target.attr}.popitem(last=False)" in text, path
                n += 1
    assert n >= 6


# ---- sizes -------------------------------------------------------------------------------------


def test_size_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert size_of("thumbnails") == 600
    monkeypatch.setenv("VLMEXPLAIN_CACHE_THUMBNAILS", " 40 ")
    assert size_of("thumbnails") == 40
    check_sizes()


@pytest.mark.parametrize("text", ["many", "-3", "0", "4.5", "1e3"])
def test_size_that_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_CACHE_THUMBNAILS", text)
    with pytest.raises(StoreError, match="at least 20"):
        check_sizes()


def test_cache_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_CACHE_THUMBNAIL", "40")
    with pytest.raises(UnknownName, match="thumbnails"):
        check_sizes()


def test_sizes_are_obeyed_and_shown(tmp_path: Path) -> None:
    """In a process of its own, for sizes are read when modules are imported."""
    code = """
import json
import streamlit as st
from vlmexplain.ui import caches
from vlmexplain.ui.shared.cache_use import cache_use
from vlmexplain.ui.shared.memory_view import memory_view
from vlmexplain.ui.shared.scorers import text_cache
from vlmexplain.models.fake import FakeEncoder
from vlmexplain.models.load import load_model

class Pictures:
    def browser_bytes(self, index):
        return b"picture", "image/png"

for index in range(30):
    caches.picture(Pictures(), "folder", str(index), index)
    texts = [f"text {n}" for n in range(200 * index, 200 * index + 200)]
    text_cache().vectors(FakeEncoder(), texts)
for seed in range(4):
    load_model(f"fake:{seed}")
print(json.dumps({u.name: [u.used, u.limit] for u in cache_use()}))
print(str(memory_view()))
"""
    out = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, capture_output=True, text=True, timeout=240, check=False,
        env={
            **os.environ, "VLMEXPLAIN_HOME": str(tmp_path), "VLMEXPLAIN_CACHE_PICTURES": "7",
            "VLMEXPLAIN_CACHE_MODELS": "2", "VLMEXPLAIN_CACHE_TEXT_VECTORS": "1",
        },
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    document, page = out.stdout.split("\n", 1)
    use = json.loads(document)
    assert set(use) == {size.name for size in SIZES} | {"results"}
    assert use["pictures"] == [7, 7]
    assert use["models"] == [2, 2]
    held, limit = use["text_vectors"]
    assert limit == 1 and 0.9 < held <= 1  # 6,000 texts of 256 bytes do not fit
    assert "VLMEXPLAIN_CACHE_PICTURES" in page and "7 entries" in page


def test_the_docs_name_every_size() -> None:
    page = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    for size in SIZES:
        amount = f"{size.default} MiB" if size.unit == "MiB" else str(size.default)
        assert f"| `{size.variable}` | {amount} | {size.holds} |" in page


def test_limits_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_CACHE_GALLERIES", "9")
    assert main(["cache", "limits", "--json"]) == 0
    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["galleries"]["limit"] == 9 and listed["galleries"]["default"] == 4
    assert main(["cache", "limits"]) == 0
    assert "VLMEXPLAIN_CACHE_RUNS" in capsys.readouterr().out


def test_limits_of_a_cache_that_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_CACHE_RUN", "9")
    assert main(["cache", "limits"]) == 1
    assert "Did you mean 'runs'" in capsys.readouterr().err
