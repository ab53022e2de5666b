"""Where the program keeps things, and how they appear there: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

from vlmexplain.errors import ReadOnly, StoreError

PARTIAL_PREFIX = ".partial-"


def home() -> Path:
    """The folder under which everything is kept: ``VLMEXPLAIN_HOME``, else ``~/.vlmexplain``."""
    return Path(os.environ.get("VLMEXPLAIN_HOME") or Path.home() / ".vlmexplain").absolute()


def switched_on(variable: str) -> bool:
    """Whether a variable of the environment switches something on: it is set, and says no no.

    >>> os.environ["VLMEXPLAIN_SOMETHING"] = "False"
    >>> switched_on("VLMEXPLAIN_SOMETHING")
    False
    """
    return os.environ.get(variable, "").strip().lower() not in ("", "0", "false", "no", "off")


def read_only() -> bool:
    """Whether ``VLMEXPLAIN_READONLY=1``: nothing under the home folder may be changed."""
    return switched_on("VLMEXPLAIN_READONLY")


def refuse_read_only(target: Path) -> None:
    """Refuse to write ``target`` in read-only mode; every writer below calls this.

    WordNet's tables are no one's data and may still be set up, and a file outside the home
    folder, such as a table that someone saves for himself, is not the server's.

    Raises:
        ReadOnly: the mode is on and the target is under `home`.
    """
    if not read_only():
        return
    place = target.absolute()
    if place.is_relative_to(home()) and not place.is_relative_to(home() / "wordnet"):
        raise ReadOnly(
            "this server is read-only: no imports, no runs, no marks.",
            remedy="Start it without VLMEXPLAIN_READONLY to change something.",
        )


def content_key(parts: Any) -> str:
    """sha256 hex of a JSON value, the same whatever the order of its keys.

    >>> content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})
    True
    """
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def locked(target: Path, timeout_s: float = -1) -> Iterator[None]:
    """Hold the lock beside ``target``: between processes and threads one at a time.

    The operating system drops the lock of a process that is killed.

    Raises:
        StoreError: the folder cannot be written, or the lock was not had in ``timeout_s``.
        ReadOnly: in read-only mode.
    """
    refuse_read_only(target)
    lock = target.with_name(f".{target.name}.lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(lock, timeout=timeout_s):
            yield
    except filelock.Timeout as error:
        raise StoreError(
            "another process is working on this.", where=str(target), remedy="Try again later."
        ) from error
    except OSError as error:
        if not isinstance(error, PermissionError) and error.errno != errno.EROFS:
            raise
        raise StoreError(
            f"cannot write here ({error.strerror}).",
            where=str(target.parent),
            remedy="Set VLMEXPLAIN_HOME to a folder you may write to.",
        ) from error


@contextmanager
def publish_folder(target: Path) -> Iterator[Path]:
    """Give a scratch folder that becomes ``target`` when the block ends well.

    A reader sees the whole folder or none. If the block raises, or the process is killed,
    ``target`` does not appear; what a killed process left is swept by `sweep_partial`.
    An existing ``target`` is kept (content-addressed: it is the same).
    """
    refuse_read_only(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=PARTIAL_PREFIX, dir=target.parent))
    try:
        yield scratch
        for path in scratch.rglob("*"):
            if path.is_file():
                _sync(path)
        _sync(scratch)
        try:
            scratch.replace(target)
        except OSError:
            if not target.is_dir():
                raise
        _sync(target.parent)
    except OSError as error:
        raise StoreError(
            f"cannot write ({error.strerror or error}).",
            where=str(target),
            remedy="Check the free space and the permissions.",
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_file(target: Path, content: bytes) -> None:
    """Write a file whole or not at all (temporary file, fsync, rename)."""
    refuse_read_only(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=PARTIAL_PREFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except OSError as error:
        raise StoreError(
            f"cannot write ({error.strerror or error}).",
            where=str(target),
            remedy="Check the free space and the permissions.",
        ) from error
    finally:
        Path(name).unlink(missing_ok=True)
    _sync(target.parent)


@contextmanager
def scratch_beside(target: Path) -> Iterator[Path]:
    """Give an empty file, readable by its owner only, in the folder of a file a user asked for.

    It is gone when the block ends. What a killed process left beside the same target is removed
    first: a lock on it, which dies with its process, tells the two apart.

    Raises:
        OSError: the folder cannot be written to.
    """
    prefix = f"{PARTIAL_PREFIX}{target.name[:100]}-"
    _remove_dead(target.parent, prefix)
    handle, name = tempfile.mkstemp(prefix=prefix, dir=target.parent)
    try:
        with contextlib.suppress(OSError):  # a file system without locks: nothing is removed there
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Path(name)
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)


@contextmanager
def publish_file(target: Path) -> Iterator[Path]:
    """Give a scratch file that becomes ``target`` when the block ends well; as `scratch_beside`.

    For what is written piece by piece; `write_file` is for what is in memory.

    Raises:
        StoreError: it cannot be written.
    """
    refuse_read_only(target)
    try:
        with scratch_beside(target) as scratch:
            yield scratch
            mask = os.umask(0)
            os.umask(mask)
            scratch.chmod(0o666 & ~mask)  # as if it had been opened under its own name
            _sync(scratch)
            scratch.replace(target)
    except OSError as error:
        raise StoreError(
            f"cannot be written ({error.strerror or error}).",
            where=str(target),
            remedy="Check the folder, the free space and the permissions.",
        ) from error


def _remove_dead(folder: Path, prefix: str) -> None:
    for path in [path for path in folder.iterdir() if path.name.startswith(prefix)]:
        with contextlib.suppress(OSError):  # held by a process that lives, or gone meanwhile
            handle = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(handle)


def sweep_partial(folder: Path) -> int:
    """Remove what killed processes left half-made in ``folder``; the number removed.

    Call it only while holding the lock under which ``folder`` is written.
    """
    refuse_read_only(folder)
    left = list(folder.glob(f"{PARTIAL_PREFIX}*")) if folder.is_dir() else []
    for path in left:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(left)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
