"""The list of known models, read from ``catalogue.toml``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache(maxsize=1)
def _catalogue() -> tuple[dict[str, Any], ...]:
    content = Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(content)["model"])


def catalogue_kinds() -> dict[str, str]:
    """Spec -> kind of every known model, in the order of the list."""
    return {str(entry["spec"]): str(entry["kind"]) for entry in _catalogue()}
