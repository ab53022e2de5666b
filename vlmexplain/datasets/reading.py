"""Read one source file through, with progress, and keep what it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vlmexplain.datasets.file_kinds import wrong_file
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.errors import DataError
from vlmexplain.records import Progress, ProgressCallback

LARGEST_PLAIN_BYTES = 256 << 20


def read_stream(
    stream: JsonStream,
    role: str,
    take: Callable[[str, Any], None],
    expected: str,
    progress: ProgressCallback,
    top: str = "{",
) -> SourceFile:
    """Hand every record of a file to ``take``; what the file was, for the manifest.

    Raises:
        DataError: its top level is not ``top``, or it is damaged.
    """
    total = stream.path.stat().st_size
    stage = f"Reading {stream.path.name}"
    stream.on_bytes = lambda done: progress(Progress(stage, done, total, "bytes"))
    for key, value in stream:
        if stream.top != top:
            raise wrong_file(stream.path, expected)
        take(key, value)
    if stream.top != top:
        raise wrong_file(stream.path, expected)
    return source_file(role, stream.path, stream.size_bytes, stream.sha256)


def source_file(role: str, path: Path, size_bytes: int, sha256: str) -> SourceFile:
    """A manifest's entry for a file."""
    return SourceFile(role, str(path.absolute()), size_bytes, sha256)


def read_plain(role: str, path: Path) -> tuple[bytes, SourceFile]:
    """A small file whole, and its entry for the manifest.

    Raises:
        DataError: it cannot be read, or is far too large for what it should be.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_PLAIN_BYTES:
            raise DataError(f"has {size:,} bytes; a file of {role} has far fewer.", where=str(path))
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    return content, source_file(role, path, len(content), hashlib.sha256(content).hexdigest())
