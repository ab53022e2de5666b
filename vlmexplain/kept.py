"""Everything that is kept: what there is of each kind of result, what it needs, what can go."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlmexplain.datasets.gallery_manifest import GALLERIES
from vlmexplain.errors import StoreError, UnknownName
from vlmexplain.lgip.result import LGIP
from vlmexplain.overview.gallery_mentions import MENTIONS
from vlmexplain.results.kind import Need, ResultKind
from vlmexplain.results.store import (
    Stored,
    dependents,
    list_results,
    open_result,
    remove_result,
    result_folders,
)
from vlmexplain.scoring.run_store import RUNS
from vlmexplain.scoring.shards import EMBEDDINGS, UNFINISHED_PREFIX
from vlmexplain.scoring.turns import is_busy
from vlmexplain.storage import PARTIAL_PREFIX, home, locked, refuse_read_only

KINDS: tuple[ResultKind[Any], ...] = (GALLERIES, EMBEDDINGS, RUNS, LGIP, MENTIONS)
"""Every kind of result, in the order of lists. A new one is declared in its part, and here."""

UNFINISHED, PARTIAL = "unfinished", "partial"
PRUNABLE = (*(kind.name for kind in KINDS if kind is not GALLERIES), UNFINISHED, PARTIAL)
"""What `prune` removes: embeddings that no result was made from, results whose gallery is gone,
work that was never finished, and what killed processes left."""


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """One folder that is kept.

    Attributes:
        kind: name of a kind of result, ``unfinished`` or ``partial``.
        name: its key.
        about: the model, and the gallery where there is one.
        size_bytes: of all its files.
        needed: False when `prune` may remove it.
        path: where it is.
    """

    kind: str
    name: str
    about: str
    size_bytes: int
    needed: bool
    path: Path


def find_kind(name: str) -> ResultKind[Any]:
    """A kind of result by its name or by what one of it is called.

    Raises:
        UnknownName: there is none.
    """
    for kind in KINDS:
        if name in (kind.name, kind.noun):
            return kind
    raise UnknownName("kind of result", name, [kind.name for kind in KINDS])


def list_kept() -> list[KeptEntry]:
    """Everything that is kept, by kind, the largest first."""
    order = (GALLERIES.name, *PRUNABLE)
    return sorted(_entries(), key=lambda e: (order.index(e.kind), -e.size_bytes, e.name))


def made_from(kind: ResultKind[Any], name: str) -> list[Stored[Any]]:
    """Everything that was made from a result, directly or not; nearest first.

    Raises:
        UnknownName, StoreError: as `results.store.open_result`.
    """
    return dependents(KINDS, Need(kind.name, open_result(kind, name).key))


def remove_kept(
    kind: ResultKind[Any], name: str, *, with_dependents: bool = False, dry_run: bool = False
) -> list[Path]:
    """Remove a result; raises as `results.store.remove_result`. The folders that went."""
    return remove_result(kind, name, KINDS, with_dependents=with_dependents, dry_run=dry_run)


def prune(kinds: Sequence[str] = PRUNABLE, *, dry_run: bool = False) -> list[KeptEntry]:
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
    removed: list[KeptEntry] = []
    tried: set[Path] = set()
    while True:  # what a removed result was made from may be needed no more after it
        gone = {Need(entry.kind, entry.name) for entry in removed}
        found = [
            entry
            for entry in _entries(gone)
            if entry.kind in kinds and not entry.needed and entry.path not in tried
        ]
        if not found:
            return removed
        tried |= {entry.path for entry in found}
        removed += [entry for entry in found if _remove(entry, dry_run)]


def _entries(gone: AbstractSet[Need] = frozenset()) -> Iterator[KeptEntry]:
    """What is kept, as if what is ``gone`` were so."""
    here = {Need(kind.name, f.name) for kind in KINDS for f in result_folders(kind)} - gone
    sound = [s for k in KINDS for s in list_results(k) if Need(k.name, s.key) in here]
    manifests = {(stored.kind.name, stored.key): stored for stored in sound}
    wanted = {need for stored in sound for need in stored.kind.needs(stored.manifest)}
    for kind in KINDS:
        for folder in result_folders(kind):
            own = Need(kind.name, folder.name)
            if own not in here:
                continue
            stored = manifests.get(own)
            about = kind.about(stored.manifest) if stored else "damaged"
            if kind.only_for_others:
                needed = own in wanted
            else:
                needed = stored is None or all(
                    need in here
                    for need in kind.needs(stored.manifest)
                    if not find_kind(need.kind).only_for_others
                )
            yield KeptEntry(kind.name, own.key, about, _size(folder), needed, folder)
        yield from _left_behind(kind.folder())


def _left_behind(parent: Path) -> Iterator[KeptEntry]:
    for kind, prefix in ((UNFINISHED, UNFINISHED_PREFIX), (PARTIAL, PARTIAL_PREFIX)):
        for path in sorted(parent.glob(f"{prefix}*")):
            if path.is_dir():
                yield KeptEntry(kind, path.name, "", _size(path), False, path)


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _remove(entry: KeptEntry, dry_run: bool) -> bool:
    """Remove an entry unless a process holds its lock; whether it went (or would go)."""
    if entry.kind == PARTIAL:
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
