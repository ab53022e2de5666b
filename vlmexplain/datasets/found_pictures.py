"""Find the picture that an annotation file means, where its name needs an obvious repair."""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".avif"}
)

Entries = dict[str, list[str]]


class FoundName(NamedTuple):
    """A file that is there, relative to the folder, and the check codes of what was repaired."""

    file_name: str
    repairs: tuple[str, ...]


class PictureFinder:
    """The names of an image folder and of the folders in it, read once, when first needed.

    A name that fits several files alike is not repaired: nobody could say which is meant.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._lock = threading.Lock()

    def repaired(self, file_name: str) -> FoundName | None:
        """The one file that ``file_name`` obviously means; None when there is none.

        Tried in this order, each on top of the one before: the address's own path, ``/`` for
        ``\\``, leading folders left off, letter case and Unicode form, one level down.
        """
        name, repairs = _plain(file_name)
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if not parts or ".." in parts:
            return None
        with self._lock:
            index = self._index
        # An address's folders are no repair of their own.
        dropping = () if "name-address" in repairs else ("name-leading-folders",)
        for dropped in range(len(parts)):
            tail = "/".join(parts[dropped:])
            folders = dropping if dropped else ()
            found = _one(index, tail)
            if found is not None:
                return FoundName(found, (*repairs, *folders, *_spelling(tail, found)))
        below = self._below.get(_folded(parts[-1]), [])
        if len(below) != 1:
            return None
        last = below[0].rsplit("/", 1)[-1]
        folders = dropping if len(parts) > 1 else ()
        level = ("name-one-level-down",)
        return FoundName(below[0], (*repairs, *folders, *_spelling(parts[-1], last), *level))

    def some_picture(self) -> str | None:
        """A picture that is in the folder, for the error that nothing fits."""
        names = sorted(name for found in self._index.values() for name in found)
        return next((name for name in names if Path(name).suffix.lower() in PICTURE_SUFFIXES), None)

    @cached_property
    def _index(self) -> Entries:
        index: Entries = {}
        for name in names_in(self.folder):
            index.setdefault(_folded(name), []).append(name)
        return index

    @cached_property
    def _below(self) -> Entries:
        below: Entries = {}
        for names in self._index.values():
            for name in names:
                if "/" in name:
                    below.setdefault(_folded(name.rsplit("/", 1)[-1]), []).append(name)
        return below


def names_in(folder: Path) -> Iterator[str]:
    """The files of a folder and of the folders in it, relative; links to folders are left."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            try:
                inner = sorted(each.name for each in os.scandir(entry.path) if each.is_file())
            except OSError:
                continue
            yield from (f"{entry.name}/{name}" for name in inner)
        elif entry.is_file():
            yield entry.name


def _plain(file_name: str) -> tuple[str, tuple[str, ...]]:
    """The name as a path with ``/``, and what had to be done for it."""
    if file_name.lower().startswith(("http://", "https://", "file://", "s3://", "gs://")):
        try:
            return unquote(urlsplit(file_name).path), ("name-address",)
        except ValueError:
            return file_name, ()
    if "\\" in file_name:
        drive, colon, rest = file_name.partition(":")
        path = rest if colon and len(drive) == 1 else file_name
        return path.replace("\\", "/"), ("name-separator",)
    return file_name, ()


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _one(index: Entries, name: str) -> str | None:
    """The entry with exactly this name, else the only one that differs in spelling alone."""
    found = index.get(_folded(name), [])
    if name in found:
        return name
    return found[0] if len(found) == 1 else None


def _spelling(asked: str, found: str) -> tuple[str, ...]:
    """Which of letter case and Unicode form differ."""
    if asked == found:
        return ()
    same_form = unicodedata.normalize("NFC", asked), unicodedata.normalize("NFC", found)
    form = () if asked.casefold() == found.casefold() else ("name-unicode-form",)
    case = () if same_form[0] == same_form[1] else ("name-letter-case",)
    return (*case, *form)
