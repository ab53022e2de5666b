"""What the caches of this process hold now, against what they may."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlmexplain.cache_sizes import SIZES, size_of
from vlmexplain.models.load import models_loaded
from vlmexplain.scoring.queries import duckdb_bytes
from vlmexplain.ui.server.streamlit_insides import data_bytes, resource_entries
from vlmexplain.ui.shared import caches, scorers

MIB = 1 << 20
_STATM = Path("/proc/self/statm")
_RESOURCES = {  # the cached functions behind a size
    "galleries": caches.gallery,
    "runs": caches.run,
    "pictures": caches.picture,
    "thumbnails": caches.thumbnail,
    "scorers": scorers.scorer_cache,
}


@dataclass(frozen=True, slots=True)
class CacheUse:
    """One cache.

    Attributes:
        name: as in `cache_sizes.SIZES`, or "results" for all that is computed for pages.
        holds: what it is that is kept.
        used: how much there is now, in ``unit``; None where nothing tells.
        limit: how much there may be; None where each part has a bound of its own.
        unit: of what.
        variable: what of the environment sets the limit; "" when nothing does.
    """

    name: str
    holds: str
    used: float | None
    limit: float | None
    unit: str
    variable: str


def cache_use() -> tuple[CacheUse, ...]:
    """Every cache whose size can be set, and the small ones together."""
    entries, computed = resource_entries(), data_bytes()
    used: dict[str, float | None] = {
        name: None if entries is None else float(entries.get(_display_name(function), 0))
        for name, function in _RESOURCES.items()
    }
    used["models"] = float(models_loaded())
    used["text_vectors"] = scorers.text_cache().n_bytes / MIB
    used["duckdb"] = duckdb_bytes() / MIB
    listed = [
        CacheUse(
            size.name, size.holds, used.get(size.name), float(size_of(size.name)) or None,
            size.unit, size.variable,
        )
        for size in SIZES
    ]  # fmt: skip
    results = CacheUse(
        "results", "figures and tables computed for pages, each with a bound of its own",
        None if computed is None else computed / MIB, None, "MiB", "",
    )  # fmt: skip
    return (*listed, results)


def resident_bytes() -> int | None:
    """Memory of the whole process now; None where the system does not tell."""
    if not _STATM.exists():
        return None
    pages = int(_STATM.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _display_name(function: Any) -> str:
    wrapped = function.__wrapped__
    return f"{wrapped.__module__}.{wrapped.__qualname__}"
