"""Every test run keeps its things in a folder of its own, WordNet included."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

# Set on import, before anything of the program runs; workers of one run share the folder.
if "VLMEXPLAIN_TEST_HOME" not in os.environ:
    os.environ["VLMEXPLAIN_TEST_HOME"] = tempfile.mkdtemp(prefix="vlmexplain-tests-")
    os.environ["VLMEXPLAIN_TEST_OWNER"] = str(os.getpid())
os.environ["VLMEXPLAIN_HOME"] = os.environ["VLMEXPLAIN_TEST_HOME"]
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "2")

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get("VLMEXPLAIN_TEST_OWNER") == str(os.getpid()):
        shutil.rmtree(os.environ["VLMEXPLAIN_TEST_HOME"], ignore_errors=True)


@pytest.fixture
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home that borrows the run's WordNet, which never changes once it is set up."""
    home = tmp_path / "home"
    home.mkdir()
    wordnet = Path(os.environ["VLMEXPLAIN_TEST_HOME"]) / "wordnet"
    wordnet.mkdir(parents=True, exist_ok=True)
    (home / "wordnet").symlink_to(wordnet)
    monkeypatch.setenv("VLMEXPLAIN_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("needs the real data in ../shared, which is not here")
    return SHARED
