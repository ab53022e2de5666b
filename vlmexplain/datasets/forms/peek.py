"""Look into a file as far as is needed to tell what it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.errors import DataError

JSON_SUFFIXES = frozenset({".json"})
_FIRST_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Peek:
    """The beginning of a file.

    Attributes:
        path: the file.
        suffix: of its name, in small letters.
        top: ``{`` or ``[`` of a JSON file, else empty.
        first: the first record under each key; of a top-level array under "".
        keys: the keys of a JSON object, as far as it was read.
        lines: the first lines of any other text.
    """

    path: Path
    suffix: str
    top: str = ""
    first: dict[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    def record(self, key: str = "") -> dict[str, Any]:
        """The first record under a key; empty when there is none or it is no object."""
        value = self.first.get(key)
        return value if isinstance(value, dict) else {}


def peek(path: Path) -> Peek:
    """The beginning of a file.

    Raises:
        DataError: it cannot be read, or is damaged JSON.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return Peek(path, suffix)
    try:
        with path.open("rb") as file:
            head = file.read(_FIRST_BYTES)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    if not head.strip():
        raise DataError("the file is empty.", where=str(path))
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if suffix in JSON_SUFFIXES and start in (b"{", b"["):
        return _peek_json(path, suffix)
    if b"\0" in head:
        raise DataError("is neither text nor a form that is known.", where=str(path))
    text = head.decode("utf-8-sig", "replace")
    return Peek(path, suffix, lines=tuple(text.splitlines()[:20]))


def _peek_json(path: Path, suffix: str) -> Peek:
    stream = JsonStream(path)
    first: dict[str, Any] = {}
    for key, value in stream:
        first.setdefault(key, value)
        karpathy = isinstance(value, dict) and "sentences" in value
        if stream.top == "[" or key == "annotations" or karpathy:
            break
    return Peek(path, suffix, stream.top, first, tuple(stream.keys))
