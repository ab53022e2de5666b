"""Results on disk: list them, open one by name or prefix, find what depends on one, remove it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from vlmexplain.errors import StoreError, UnknownName
from vlmexplain.results.kind import Need, ResultKind
from vlmexplain.storage import locked

SHORTEST_PREFIX = 4
SHOWN_DIGITS = 12
LONGEST_KEY = 64
MOST_NAMED = 8

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Stored(Generic[M]):
    """A result that is kept, with its manifest; its other files are read when asked for."""

    kind: ResultKind[M]
    folder: Path
    manifest: M

    @property
    def key(self) -> str:
        """What the folder is named by."""
        return self.folder.name

    @property
    def missing(self) -> tuple[Path, ...]:
        """The files that should be there and are not."""
        paths = (self.folder / name for name in self.kind.files)
        return tuple(path for path in paths if not path.is_file())

    @property
    def label(self) -> str:
        """One line for lists and errors: ``run 0123456789ab (ViT-B-32, val)``."""
        return f"{self.kind.noun} {self.key[:SHOWN_DIGITS]} ({self.kind.about(self.manifest)})"


def result_folders(kind: ResultKind[Any]) -> list[Path]:
    """The folders of all results of a kind, damaged ones among them, by key."""
    parent = kind.folder()
    found = parent.iterdir() if parent.is_dir() else ()
    return sorted(path for path in found if path.name[0] != "." and path.is_dir())


def list_results(kind: ResultKind[M]) -> list[Stored[M]]:
    """All results of a kind whose manifest can be read, the latest first."""
    found = []
    for folder in result_folders(kind):
        try:
            found.append(Stored(kind, folder, kind.read_manifest(folder)))
        except StoreError:
            continue  # damaged or of a newer format: `open_result` says so
    return sorted(found, key=lambda one: (-kind.created_s(one.manifest), one.key))


def open_result(kind: ResultKind[M], name: str) -> Stored[M]:
    """The result of that key, of that name, or key prefix.

    A prefix has four letters or more.

    Raises:
        UnknownName: there is none; near matches are offered.
        StoreError: several fit, all of which are named; or it is damaged or of a newer format.
    """
    exact = _folder_of_key(kind, name)
    if exact:
        return Stored(kind, exact, kind.read_manifest(exact))
    named = [
        (each, stored)
        for stored in (list_results(kind) if kind.names else ())
        for each in (kind.names(stored.manifest) if kind.names else ())
    ]
    called = [stored for each, stored in named if each == name]
    if len(called) > 1:  # of homes from before names were unique
        told_apart = _told_apart([stored.key for stored in called])
        raise kind.error(
            f"{name!r} is the name of {kind.several(len(called))}: {told_apart}.",
            remedy="Give the key, or another name to one of them.",
        )
    if called:
        return called[0]
    keys = [folder.name for folder in result_folders(kind)]
    fits = [key for key in keys if len(name) >= SHORTEST_PREFIX and key.startswith(name)]
    if len(fits) > 1:
        raise kind.error(
            f"{name!r} fits {kind.several(len(fits))}: {_told_apart(fits)}.",
            remedy="Give more of the key.",
        )
    if not fits:
        known = sorted({each for each, _ in named}) or [key[:SHOWN_DIGITS] for key in keys]
        raise UnknownName(kind.noun, name, known)
    folder = kind.folder() / fits[0]
    return Stored(kind, folder, kind.read_manifest(folder))


def intact_result(kind: ResultKind[M], key: str) -> Stored[M] | None:
    """The result of exactly this key, if it is there with all its files; else None.

    Raises:
        StoreError: it is of a newer format.
    """
    folder = kind.folder() / key
    try:
        found = Stored(kind, folder, kind.read_manifest(folder))
    except StoreError as error:
        if error.__cause__ is None:  # newer: nothing could be read wrong
            raise
        return None
    return None if found.missing else found


def dependents(kinds: Sequence[ResultKind[Any]], need: Need) -> list[Stored[Any]]:
    """Everything that was made from a result, and from that again; nearest first.

    Args:
        kinds: where to look; `vlmexplain.kept.KINDS` has them all.
        need: the kind's name and the whole key of the result.
    """
    every = [stored for kind in kinds for stored in list_results(kind)]
    found: dict[Need, Stored[Any]] = {}
    asked = [need]
    for one in asked:  # grows while it is walked
        for stored in every:
            own = Need(stored.kind.name, stored.key)
            if own not in found and one in stored.kind.needs(stored.manifest):
                found[own] = stored
                asked.append(own)
    return list(found.values())


def remove_result(
    kind: ResultKind[Any],
    name: str,
    kinds: Sequence[ResultKind[Any]] = (),
    *,
    with_dependents: bool = False,
    dry_run: bool = False,
) -> list[Path]:
    """Remove a result; what depends on it goes with it only when that is asked for.

    Args:
        kind, name: as for `open_result`; a damaged one is removed by its whole key.
        kinds: where dependents may be.
        dry_run: only say what would go.

    Returns:
        The folders that went, those of dependents first.

    Raises:
        UnknownName, StoreError: as `open_result`; others depend on it; a process works on it.
    """
    folder = _folder_of_key(kind, name) or open_result(kind, name).folder
    others = dependents(kinds, Need(kind.name, folder.name))
    if others and not with_dependents:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        raise kind.error(
            f"others were made from this {kind.noun}: "
            f"{', '.join(one.label for one in others[:MOST_NAMED])}{more}.",
            where=folder.name[:SHOWN_DIGITS],
            remedy="Remove these first, or all together (--dependents).",
        )
    lock_of = {one.folder: one.kind.lock_of(one.folder) for one in reversed(others)}
    lock_of[folder] = kind.lock_of(folder)
    targets = list(lock_of)
    for target in targets if not dry_run else ():
        with locked(lock_of[target], timeout_s=0):
            shutil.rmtree(target)
    return targets


def _folder_of_key(kind: ResultKind[Any], key: str) -> Path | None:
    """The folder of a whole key, which may be damaged."""
    folder = kind.folder() / key
    is_key = key.isalnum() and len(key) <= LONGEST_KEY
    return folder if is_key and folder.is_dir() else None


def _told_apart(keys: Sequence[str]) -> str:
    """The keys, with as many digits as tell them apart."""
    n = SHOWN_DIGITS
    while n < LONGEST_KEY and len({key[:n] for key in keys}) < len(keys):
        n += 4
    return ", ".join(key[:n] for key in keys)
