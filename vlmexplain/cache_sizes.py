"""How much a process keeps in memory: every size that can be set, in one table.

A size is set by the environment, ``VLMEXPLAIN_CACHE_`` and the name in capitals, before the
process starts. What is bounded and cannot be set stands beside the code that keeps it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from vlmexplain.errors import StoreError, UnknownName

Unit = Literal["entries", "MiB", "threads"]
PREFIX = "VLMEXPLAIN_CACHE_"


@dataclass(frozen=True, slots=True)
class CacheSize:
    """One size.

    Attributes:
        name: as in the environment, in small letters.
        default: how much, in ``unit``.
        unit: of what.
        least: the least that works.
        holds: what it is that is kept.
    """

    name: str
    default: int
    unit: Unit
    least: int
    holds: str

    @property
    def variable(self) -> str:
        """The variable of the environment that sets it."""
        return PREFIX + self.name.upper()


SIZES = (
    CacheSize("galleries", 4, "entries", 1, "open galleries; their tables are mapped, not read"),
    CacheSize("runs", 4, "entries", 1, "open runs, and the tables of their queries"),
    CacheSize("pictures", 48, "entries", 4, "pictures as the browser gets them"),
    CacheSize("thumbnails", 600, "entries", 20, "small JPEGs of pictures, some 10 KiB each"),
    CacheSize("models", 3, "entries", 1, "loaded models; the largest part by far"),
    CacheSize("scorers", 4, "entries", 1, "a model on a gallery, for captions as they are typed"),
    CacheSize("text_vectors", 64, "MiB", 1, "embeddings of typed captions"),
    CacheSize("duckdb", 1024, "MiB", 64, "DuckDB's buffers while it filters and sorts queries"),
    CacheSize("duckdb_threads", 0, "threads", 0, "DuckDB's threads; 0 is one for each core"),
)
_BY_NAME = {size.name: size for size in SIZES}


def size_of(name: str) -> int:
    """How much of a cache is kept: what the environment says, else the default.

    Raises:
        StoreError: the environment's value is no whole number, or too small.
    """
    size = _BY_NAME[name]
    text = os.environ.get(size.variable, "").strip()
    if not text:
        return size.default
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < size.least:
        raise StoreError(
            f"{text!r} is no size for {size.holds}.",
            where=size.variable,
            remedy=f"Expected a whole number of {size.unit}, at least {size.least}.",
        )
    return value


def check_sizes() -> None:
    """Read all sizes, so that a mistake is told at the start and not on a page.

    Raises:
        StoreError: as `size_of`.
        UnknownName: the environment names a cache that is not in the table.
    """
    for size in SIZES:
        size_of(size.name)
    for variable in os.environ:
        if variable.startswith(PREFIX):
            name = variable.removeprefix(PREFIX).lower()
            if name not in _BY_NAME:
                raise UnknownName("cache", name, _BY_NAME, where=variable)
