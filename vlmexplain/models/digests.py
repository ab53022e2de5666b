"""sha256 of weight files, each read once as long as it is not changed."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

from vlmexplain.errors import ModelError, StoreError
from vlmexplain.storage import home, locked, write_file

_CACHE_NAME = "model_digests.json"
_CACHED_FROM_BYTES = 1 << 20  # hashing a small file is quicker than looking it up
_known: dict[str, str] = {}
_known_lock = threading.Lock()


def file_digest(path: Path) -> str:
    """sha256 hex of a file's content; remembered by path, size and time of change.

    What is remembered lies in ``model_digests.json`` in the program's folder. A damaged or
    unwritable memory only means that the file is read again.

    Raises:
        ModelError: the file cannot be read.
    """
    try:
        facts = path.stat()
        if facts.st_size < _CACHED_FROM_BYTES:
            return _read_digest(path)
        key = f"{path.resolve()}|{facts.st_size}|{facts.st_mtime_ns}"
        with _known_lock:
            found = _known.get(key) or _remembered().get(key)
        if found is None:
            found = _read_digest(path)
            _remember(key, found)
    except OSError as error:
        raise ModelError(
            f"cannot read this file ({error.strerror or error}).",
            where=str(path),
            remedy="Check that it exists and may be read.",
        ) from error
    with _known_lock:
        _known[key] = found
    return found


def _read_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remembered() -> dict[str, str]:
    try:
        content = json.loads((home() / _CACHE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {k: v for k, v in content.items() if isinstance(k, str) and _is_sha256(v)}


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _remember(key: str, digest: str) -> None:
    target = home() / _CACHE_NAME
    path = key.split("|", 1)[0]
    try:
        with locked(target, timeout_s=5):
            # Older states of the same file are of no more use.
            kept = {k: v for k, v in _remembered().items() if k.split("|", 1)[0] != path}
            kept[key] = digest
            write_file(target, json.dumps(kept, indent=0, sort_keys=True).encode())
    except (StoreError, OSError):
        return  # only a memory: the next process reads the file again
