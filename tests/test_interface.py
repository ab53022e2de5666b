"""The interface of the package: every name resolves, none is a module's, and it loads nothing."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import vlmexplain
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.errors import DataError
from vlmexplain.pairs_io import score_stream
from vlmexplain.records import MetricOptions

PACKAGE = Path(vlmexplain.__file__).parent


def test_names_resolve_and_are_no_modules() -> None:
    modules = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()}
    for name in vlmexplain.__all__:
        assert name not in modules
        assert callable(getattr(vlmexplain, name))
    assert set(vlmexplain.__all__) <= set(dir(vlmexplain))
    with pytest.raises(AttributeError):
        vlmexplain.no_such_name  # noqa: B018
    assert (PACKAGE / "py.typed").is_file()


def test_what_type_checkers_see_is_what_is_loaded() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name: f"{node.module}:{alias.name}".removeprefix("vlmexplain.")
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == vlmexplain._HOME_OF and sorted(seen) == sorted(vlmexplain.__all__)


def test_importing_loads_nothing_heavy() -> None:
    code = "import vlmexplain, sys; print([m for m in ('numpy', 'torch') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_scored_pairs_are_the_commands() -> None:
    instances = [{"synset": "zebra.n.01", "box_xywh_px": [10, 20, 200, 150], "crowd": False}]
    image = {"width": 640, "height": 480, "instances": instances}
    other = {**image, "instances": [*instances, {"synset": "horse.n.01", "box_xywh_px": None}]}
    pair = {"id": "a", "query": "zebras", "ground_truth": image, "retrieved": other}
    out = io.StringIO()
    score_stream([json.dumps(pair)], out, MetricOptions(), load_wordnet(), pytest.fail)
    assert vlmexplain.score_pairs([pair]) == [json.loads(out.getvalue())]
    with pytest.raises(DataError, match="2"):
        vlmexplain.score_pairs([pair, {"id": 2}])


def test_an_explanation_is_one_line() -> None:
    shown = repr(vlmexplain.explain_example())
    assert "\n" not in shown and len(shown) < 200 and "failure, rank" in shown
