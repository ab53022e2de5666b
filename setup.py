"""The wheel carries what lies beside the package in a checkout; the rest is in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("app.py", "pages", "data", ".streamlit/config.toml")


class BuildWithShipped(build_py):
    """Copies it to ``vlmexplain/shipped``, where `vlmexplain.places` looks."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        inside = Path(self.build_lib) / "vlmexplain" / "shipped"
        shutil.rmtree(inside, ignore_errors=True)  # of an earlier build
        for name in SHIPPED:
            source = Path(__file__).parent / name
            (inside / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, inside / name, ignore=ignored)
            else:
                shutil.copy2(source, inside / name)


setup(cmdclass={"build_py": BuildWithShipped})
