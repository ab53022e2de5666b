"""What comes with the program beside its code: pages, images, weights."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """A file or folder at the top of a checkout, such as ``pages``.

    A wheel carries them in ``vlmexplain/shipped`` (`setup.py` puts them there); a checkout has no
    such folder.
    """
    inside = _PACKAGE / "shipped"
    return (inside if inside.is_dir() else _PACKAGE.parent) / name


def data_folder() -> Path:
    """The drawn world and its models: ``VLMEXPLAIN_DATA``, else what came with the program."""
    chosen = os.environ.get("VLMEXPLAIN_DATA")
    return Path(chosen).absolute() if chosen else shipped("data")
