"""Read one source file through, with progress, and keep what it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from vlmexplain.datasets.file_kinds import wrong_file
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.records import Progress, ProgressCallback


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
