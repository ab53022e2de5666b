"""What takes seconds to import is imported only when a model is really needed.

Each page is drawn in a fresh process, over the drawn demo gallery with its finished runs, and the
modules of that process are counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from homes import new_home

ROOT = Path(__file__).parents[2]
HEAVY = (
    "torch", "torchvision", "open_clip", "timm", "transformers", "sentence_transformers", "nltk",
    "ray", "sklearn", "matplotlib",
)  # fmt: skip
WITHOUT_MODEL = (
    "explore", "overview", "lgip", "compare", "audit", "present", "gallery", "import", "run",
    "rate", "ratings", "rating_analysis",
)  # fmt: skip
"""Drawn one after the other; Perturb is not among them: it asks a model."""

DRAW = """
import json, sys
from streamlit.testing.v1 import AppTest

heavy, pages = json.loads(sys.argv[1])
app = AppTest.from_file("app.py", default_timeout=300)
found = {}
for page in pages:
    if page != "explore":
        app.switch_page(f"pages/{page}.py")
    app.run()
    assert not app.exception, (page, app.exception)
    here = sum(len(app.get(kind)) for kind in ("html", "markdown"))
    found[page] = [here, [name for name in heavy if name in sys.modules], len(sys.modules)]
print(json.dumps(found))
"""
READ_AHEAD = """
import json, sys
from vlmexplain.ui.server.reading_ahead import read_ahead

read_ahead().join()
print(json.dumps([name for name in json.loads(sys.argv[1])[0] if name in sys.modules]))
"""


@pytest.fixture(scope="module")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = new_home(tmp_path_factory.mktemp("heavy") / "home")
    run_python(["-m", "vlmexplain", "demo"], home)
    return home


def run_python(arguments: list[str], home: Path) -> str:
    environment = {**os.environ, "VLMEXPLAIN_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def last_line(text: str) -> Any:
    return json.loads(text.strip().splitlines()[-1])


@pytest.mark.timeout(600)
def test_no_page_imports_what_only_a_model_needs(demo_home: Path) -> None:
    asked = json.dumps([HEAVY, WITHOUT_MODEL])
    found = last_line(run_python(["-c", DRAW, asked], demo_home))
    assert set(found) == set(WITHOUT_MODEL)
    for page, (n_shown, heavy, n_modules) in found.items():
        assert n_shown > 1, f"{page} shows nothing"
        assert not heavy, f"{page} imports {heavy}"
        assert n_modules < 4000, f"{n_modules} modules after {page}"


@pytest.mark.timeout(600)
def test_a_model_does_import_it(demo_home: Path) -> None:
    """Else the test above could not fail."""
    load = "from vlmexplain.models.load import load_model; load_model('drawn-clip')"
    code = f"{load}; import json, sys; print(json.dumps('torch' in sys.modules))"
    assert last_line(run_python(["-c", code], demo_home)) is True


@pytest.mark.timeout(600)
def test_reading_ahead_imports_nothing_heavy(demo_home: Path) -> None:
    asked = json.dumps([HEAVY, []])
    assert last_line(run_python(["-c", READ_AHEAD, asked], demo_home)) == []
