"""Read a large JSON file record by record, in memory that does not grow with the file.

``json.load`` of COCO's train2017 instances keeps every polygon as Python floats (gigabytes);
here each record is parsed by the standard library's C scanner and let go. See
docs/decisions/0002-streaming-json.md.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from vlmexplain.errors import DataError

CHUNK_BYTES = 1 << 20
LARGEST_RECORD_CHARS = 64 << 20
_BLANKS = re.compile(r"[ \t\n\r]*")
_AFTER_VALUE = frozenset(",]}: \t\n\r")
_NEAR_END = 32  # an error this close to the end of what was read may only mean "read on"


class JsonStream:
    """The records of a JSON file: those of a top-level array, or of the arrays in an object.

    Iterating gives ``(key, value)``: each element of an array under its key (`""` for a
    top-level array), any other value whole. Afterwards ``keys``, ``size_bytes`` and ``sha256``
    tell of the whole file. Each stream can be iterated once.

    Attributes:
        path: the file.
        top: ``"{"`` or ``"["`` once iteration has begun.
        keys: the keys of the top-level object met so far.
    """

    def __init__(self, path: Path, on_bytes: Callable[[int], None] | None = None):
        self.path = path
        self.top = ""
        self.keys: list[str] = []
        self.size_bytes = 0
        self.on_bytes = on_bytes
        self._digest = hashlib.sha256()
        self._text = ""
        self._at = 0
        self._dropped_chars = 0
        self._ended = False
        self._decode = json.JSONDecoder().raw_decode

    @property
    def sha256(self) -> str:
        """Hex digest of the bytes read; of the file, once iteration has ended."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        try:
            with self.path.open("rb") as file:
                self._file = file
                self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
                yield from self._document()
        except OSError as error:
            raise DataError(f"cannot be read ({error.strerror}).", where=str(self.path)) from error

    def _document(self) -> Iterator[tuple[str, Any]]:
        self.top = self._peek()
        if self.top == "[":
            yield from self._array("")
        elif self.top == "{":
            yield from self._object()
        else:
            raise self._not_json("does not begin with { or [")
        if self._peek():
            raise self._not_json("goes on after its end")

    def _object(self) -> Iterator[tuple[str, Any]]:
        self._at += 1
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            if self._peek() != '"':
                raise self._not_json("lacks a key in quotes")
            key = self._value()
            self.keys.append(key)
            if self._peek() != ":":
                raise self._not_json("lacks a colon")
            self._at += 1
            if self._peek() == "[":
                yield from self._array(key)
            else:
                yield key, self._value()
            if self._separator("}"):
                return

    def _array(self, key: str) -> Iterator[tuple[str, Any]]:
        self._at += 1
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            self._peek()
            yield key, self._value()
            if self._separator("]"):
                return

    def _separator(self, end: str) -> bool:
        """Step over a comma (False) or the end sign (True)."""
        sign = self._peek()
        if sign not in (",", end) or not sign:
            raise self._not_json(f"lacks a comma or {end}")
        self._at += 1
        return sign == end

    def _value(self) -> Any:
        want = 2 * CHUNK_BYTES
        while True:
            try:
                value, end = self._decode(self._text, self._at)
                if self._ended or self._is_whole(end):
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                near_end = error.pos >= len(self._text) - _NEAR_END
                if not near_end and not error.msg.startswith("Unterminated string"):
                    raise self._not_json(error.msg, error.pos) from error
                if self._ended:
                    raise self._not_json(error.msg, error.pos) from error
            except (RecursionError, ValueError) as error:
                raise self._not_json(f"has a value that cannot be read ({error})") from error
            if len(self._text) - self._at > LARGEST_RECORD_CHARS:
                raise self._not_json("has a record of more than 64 million characters")
            while len(self._text) - self._at < want and not self._ended:
                self._read_on()
            want *= 2

    def _is_whole(self, end: int) -> bool:
        """Whether a value that ends here is all there: of 1.5 only "1" or "1." may be read yet."""
        return self._text[end : end + 1] in _AFTER_VALUE or end + _NEAR_END < len(self._text)

    def _peek(self) -> str:
        """The next sign that is not blank, without stepping over it; empty at the end."""
        while True:
            match = _BLANKS.match(self._text, self._at)
            assert match
            self._at = match.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._read_on()

    def _read_on(self) -> None:
        chunk = self._file.read(CHUNK_BYTES)
        self._digest.update(chunk)
        self.size_bytes += len(chunk)
        self._ended = not chunk
        self._dropped_chars += self._at
        try:
            self._text = self._text[self._at :] + self._utf8.decode(chunk, final=self._ended)
        except UnicodeDecodeError as error:
            raise self._not_json("is not UTF-8 text") from error
        self._at = 0
        if self.on_bytes:
            self.on_bytes(self.size_bytes)

    def _not_json(self, problem: str, at: int | None = None) -> DataError:
        place = self._dropped_chars + (self._at if at is None else at)
        if self._ended and (self._at if at is None else at) >= len(self._text) - _NEAR_END:
            return DataError(
                f"the JSON breaks off after {place:,} characters ({problem}).",
                where=str(self.path),
                remedy="The file is cut short: fetch it again.",
            )
        return DataError(f"is not JSON: character {place + 1:,}: {problem}.", where=str(self.path))
