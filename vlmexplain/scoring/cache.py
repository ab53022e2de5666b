"""What the program keeps of models' work: how much there is, and what can go."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlmexplain.datasets.gallery import list_galleries
from vlmexplain.errors import StoreError, UnknownName
from vlmexplain.scoring.run_store import list_runs, open_run, runs_folder
from vlmexplain.scoring.shards import UNFINISHED_PREFIX
from vlmexplain.scoring.turns import is_busy
from vlmexplain.storage import PARTIAL_PREFIX, home, locked, refuse_read_only

Kind = Literal["galleries", "embeddings", "runs", "unfinished", "partial"]

PRUNABLE: tuple[Kind, ...] = ("embeddings", "runs", "unfinished", "partial")
"""What `prune` removes: embeddings that no run was made from, runs whose gallery is gone,
embeddings that were never finished, and what killed processes left."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One folder or file that is kept.

    Attributes:
        kind: what it is.
        name: its key.
        about: the model, and the gallery where there is one.
        size_bytes: of all its files.
        needed: False when `prune` may remove it.
        path: where it is.
    """

    kind: Kind
    name: str
    about: str
    size_bytes: int
    needed: bool
    path: Path


def list_cache() -> list[CacheEntry]:
    """Everything that is kept, by kind, the largest first."""
    galleries = {manifest.id: manifest.name for manifest in list_galleries()}
    entries = [*_galleries(galleries), *_runs(galleries), *_embeddings(), *_left_behind()]
    order = ("galleries", *PRUNABLE)
    return sorted(entries, key=lambda e: (order.index(e.kind), -e.size_bytes, e.name))


def prune(kinds: Sequence[str] = PRUNABLE, *, dry_run: bool = False) -> list[CacheEntry]:
    """Remove what is not needed; nothing that a process works on now is touched.

    Args:
        kinds: which of `PRUNABLE`.
        dry_run: only say what would go.

    Returns:
        What was removed.

    Raises:
        UnknownName: a kind that there is not, or that is never pruned.
    """
    if not dry_run:
        refuse_read_only(home())
    for kind in kinds:
        if kind not in PRUNABLE:
            raise UnknownName("kind of cache entry", kind, PRUNABLE)
    # Runs first: what they were made from may be needed no more after them.
    removed = []
    for kind in sorted(kinds, key=lambda kind: kind != "runs"):
        for entry in list_cache():
            if entry.kind == kind and not entry.needed and _remove(entry, dry_run):
                removed.append(entry)
    return removed


def remove_run(key: str) -> None:
    """Remove a run; its embeddings stay until they are pruned.

    Raises:
        UnknownName, StoreError: as `run_store.open_run`; or a process works on it.
    """
    folder = open_run(key).folder
    with locked(folder, timeout_s=0):
        shutil.rmtree(folder)


def _galleries(galleries: dict[str, str]) -> Iterator[CacheEntry]:
    for key, name in galleries.items():
        path = home() / "galleries" / key
        yield CacheEntry("galleries", key, name, _size(path), True, path)


def _runs(galleries: dict[str, str]) -> Iterator[CacheEntry]:
    for manifest in list_runs():
        path = runs_folder() / manifest.key
        about = f"{manifest.model.name}, {manifest.gallery_name}"
        needed = manifest.gallery_id in galleries
        yield CacheEntry("runs", manifest.key, about, _size(path), needed, path)


def _embeddings() -> Iterator[CacheEntry]:
    used = {key for manifest in list_runs() for key in manifest.embeddings}
    for path in _folders(home() / "embeddings", ""):
        if not path.name.startswith("."):
            about = _about_embeddings(path)
            yield CacheEntry("embeddings", path.name, about, _size(path), path.name in used, path)


def _left_behind() -> Iterator[CacheEntry]:
    for path in _folders(home() / "embeddings", UNFINISHED_PREFIX):
        yield CacheEntry("unfinished", path.name, "", _size(path), False, path)
    for parent in (home() / "embeddings", runs_folder()):
        for path in _folders(parent, PARTIAL_PREFIX):
            yield CacheEntry("partial", path.name, "", _size(path), False, path)


def _folders(parent: Path, prefix: str) -> list[Path]:
    if not parent.is_dir():
        return []
    return [path for path in parent.iterdir() if path.is_dir() and path.name.startswith(prefix)]


def _about_embeddings(path: Path) -> str:
    try:
        manifest = json.loads((path / "manifest.json").read_bytes())
        return f"{manifest['kind']}, {manifest['model']['name']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "damaged"


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _remove(entry: CacheEntry, dry_run: bool) -> bool:
    """Remove an entry unless a process holds its lock; whether it went (or would go)."""
    if entry.kind == "partial":
        # Who makes it cannot be told from its name: it is left while anyone works there.
        parent = entry.path.parent
        if any(is_busy(parent / lock.name[1:-5]) for lock in parent.glob(".*.lock")):
            return False
        if not dry_run:
            shutil.rmtree(entry.path, ignore_errors=True)
        return True
    target = entry.path.with_name(entry.name.removeprefix(UNFINISHED_PREFIX))
    if is_busy(target):
        return False
    if not dry_run:
        try:
            with locked(target, timeout_s=0):
                shutil.rmtree(entry.path, ignore_errors=True)
        except StoreError:
            return False  # someone began to work on it just now
    return True
