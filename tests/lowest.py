"""The lower bounds of pyproject.toml as constraints, a line each, for `make lowest`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(requirements: list[str]) -> list[str]:
    """Each requirement at its lower bound.

    >>> lowest(["numpy>=1.26", "ray[data]>=2.44", "wn==0.0.23", "types-tqdm"])
    ['numpy==1.26.*', 'ray==2.44.*', 'wn==0.0.23.*']
    """
    bounds = (re.fullmatch(r"([\w.-]+)(?:\[.*\])?[>=]=([\d.]+)", text) for text in requirements)
    return [f"{bound[1]}=={bound[2]}.*" for bound in bounds if bound]


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = project["dependencies"] + extras["ray"] + extras["postgres"]
    print(*lowest(declared), sep="\n")
