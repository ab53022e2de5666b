"""What LGIP results and their parts are called on pages."""

from __future__ import annotations

from vlmexplain.lgip.result import LgipManifest

TYPE_NAMES = {"color": "colour", "number": "number", "object": "object"}


def source_name(result: LgipManifest) -> str:
    """Where a result's perturbations came from, in a few words."""
    found = result.perturbations
    if "mode" in found:
        seed = f", seed {found['seed']}" if found.get("seed") else ""
        return f"{found['mode']}{seed}"
    return str(found.get("file", "a file"))
