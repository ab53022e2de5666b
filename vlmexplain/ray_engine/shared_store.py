"""Finished work on a path that several machines reach: a shared disk, S3, anything of fsspec.

    ROOT/objects/ab/ab12...                     what files hold, named by its sha256
    ROOT/runs/KEY.json                          the files of a finished folder, by their objects
    ROOT/unfinished/embeddings/KEY/NAME.json    the same of a shard, while others are missing

A folder is published by one small file that is written last, so a reader sees all of it or
nothing; objects never change under their name, so two writers cannot mix theirs.
"""

from __future__ import annotations

import hashlib
import json
import math
import posixpath
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fsspec.implementations.local import LocalFileSystem

from vlmexplain.errors import StoreError
from vlmexplain.ray_engine.remote_files import names_under, reach, remote_errors
from vlmexplain.records import Progress, ProgressCallback, no_progress
from vlmexplain.scoring.turns import take_turn
from vlmexplain.storage import home, publish_folder, write_file

FORMAT = 1
KINDS = ("galleries", "embeddings", "runs", "lgip")
UNFINISHED = "unfinished"
_CHUNK = 1 << 20
_KEY = re.compile(r"[a-z]+/[0-9a-f]{16,64}\.json")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a published folder: its content's sha256 hex, and how many bytes that has."""

    sha256: str
    n_bytes: int


class DamagedObject(StoreError):
    """An object of a store is missing, or is not what its name says."""


Listing = dict[str, StoredFile]
"""The files of a folder by name."""


class SharedStore:
    """A store under an fsspec URL.

    Args:
        url: such as ``s3://bucket/prefix`` or ``file:///mnt/shared/vlmexplain``. Credentials
            come from the surroundings, as the file system's own library reads them.

    Raises:
        MissingPackage: the file system needs a package that is not installed.
        StoreError: no such kind of file system, or nothing in it is named.
    """

    def __init__(self, url: str):
        self.url = url
        self.files, root = reach(url)
        self.root = root.rstrip("/")
        self._sent: set[str] = set()

    def require_writable(self) -> None:
        """Write and remove a file: better to fail now than after hours of work.

        Raises:
            StoreError: one of it cannot be done.
        """
        name = f"{UNFINISHED}/probe-{uuid.uuid4().hex}"
        try:
            self._write(name, b"")
            self.remove(name)
        except StoreError as error:
            raise StoreError(error.message, where=self.url, remedy=error.remedy) from error

    def publish(self, kind: str, key: str, folder: Path, *, replace: bool = False) -> bool:
        """Publish a finished folder under its key; whether it was written.

        Args:
            replace: take the place of what is there if that differs; else the first one stays.
        """
        there = self.listing(kind, key)
        if there is not None and not replace:
            return False
        files = _listing_of(folder)
        if there == files:
            self._drop_parts(kind, key)
            return False
        for name, stored in files.items():
            self._send(folder / name, stored)
        self._write(f"{kind}/{key}.json", _manifest(files))
        self._drop_parts(kind, key)
        return True

    def fetch(self, kind: str, key: str, progress: ProgressCallback = no_progress) -> bool:
        """Bring a published folder under the program's own folder; False when there is none.

        Raises:
            StoreError: an object is missing or damaged.
        """
        files = self.listing(kind, key)
        if files is None:
            return False
        target = home() / kind / key
        if target.is_dir():
            return True
        with take_turn(target, f"fetch {kind}", progress):
            if not target.is_dir():
                progress(Progress(f"fetch {kind}", 0, 1))
                with publish_folder(target) as scratch:
                    for name, stored in files.items():
                        self._receive(stored, scratch / name)
        return True

    def publish_part(self, kind: str, key: str, part: str, files: Iterable[Path]) -> None:
        """Keep a part of a folder that is not finished, for whoever goes on with it."""
        listing = {}
        for path in files:
            listing[path.name] = _stored_file(path)
            self._send(path, listing[path.name])
        self._write(f"{UNFINISHED}/{kind}/{key}/{part}.json", _manifest(listing))

    def fetch_parts(self, kind: str, key: str, folder: Path) -> int:
        """Bring the sound parts of an unfinished folder; how many there were."""
        n = 0
        folder.mkdir(parents=True, exist_ok=True)
        for path in self.names_under(f"{UNFINISHED}/{kind}/{key}"):
            try:
                for name, stored in (self.read_listing(path) or {}).items():
                    self._receive(stored, folder / name)
            except DamagedObject:
                continue  # it is made again
            n += 1
        return n

    def published(self) -> list[tuple[str, str]]:
        """The kind and key of every folder that is published whole."""
        return [
            (kind, name.rpartition("/")[2].removesuffix(".json"))
            for kind in KINDS
            for name in self.names_under(kind)
            if _KEY.fullmatch(name) and self.read_listing(name) is not None
        ]

    def size_bytes(self, kind: str, key: str) -> int:
        """The size of a published folder's files."""
        return sum(file.n_bytes for file in (self.listing(kind, key) or {}).values())

    def listing(self, kind: str, key: str) -> Listing | None:
        """The files of a published folder; None when it is not there."""
        return self.read_listing(f"{kind}/{key}.json")

    def names_under(self, folder: str) -> list[str]:
        """The files under a folder of the store, relative to its root."""
        with self._errors(folder):
            found = names_under(self.files, self._path(folder))
        return [path[len(self.root) :].lstrip("/") for path in found]

    def remove(self, name: str) -> None:
        """Remove a file of the store, if nobody else has."""
        with suppress(FileNotFoundError), self._errors(name):
            self.files.rm_file(self._path(name))

    def modified_s(self, name: str) -> float:
        """When a file was written, Unix time; infinity when it is gone."""
        with suppress(FileNotFoundError), self._errors(name):
            return float(self.files.modified(self._path(name)).timestamp())
        return math.inf

    def _drop_parts(self, kind: str, key: str) -> None:
        for name in self.names_under(f"{UNFINISHED}/{kind}/{key}"):
            self.remove(name)

    def _send(self, path: Path, stored: StoredFile) -> None:
        """Write the object of a file. One that is there from others may be about to be swept."""
        if stored.sha256 in self._sent:
            return
        name = object_name(stored.sha256)
        with self._errors(name, write=True):
            if isinstance(self.files, LocalFileSystem):
                _copy_whole(path, Path(self._path(name)))
            else:
                self.files.put_file(str(path), self._path(name))
        self._sent.add(stored.sha256)

    def _receive(self, stored: StoredFile, target: Path) -> None:
        name = object_name(stored.sha256)
        digest = hashlib.sha256()
        with write_errors(target.parent), target.open("wb") as file:
            for chunk in self._chunks(name):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != stored.sha256:
            raise DamagedObject(
                "is missing or is not what was stored.",
                where=posixpath.join(self.url, name),
                remedy="Remove what lists it, and make the work again.",
            )

    def _chunks(self, name: str) -> Iterator[bytes]:
        """What a file of the store holds; nothing when it is not there."""
        with (
            suppress(FileNotFoundError),
            self._errors(name),
            self.files.open(self._path(name), "rb") as source,
        ):
            while chunk := source.read(_CHUNK):
                yield chunk

    def _write(self, name: str, content: bytes) -> None:
        with self._errors(name, write=True):
            if isinstance(self.files, LocalFileSystem):
                write_file(Path(self._path(name)), content)
            else:  # an object store shows an object when all of it is there
                self.files.pipe_file(self._path(name), content)

    def read_listing(self, name: str) -> Listing | None:
        """The files that a file of the store lists; None when it is not there, or torn."""
        try:
            with self._errors(name):
                content = self.files.cat_file(self._path(name))
            value = json.loads(content)
            files = {file: StoredFile(*entry) for file, entry in value["files"].items()}
            return files if all(map(_is_plain, files)) else None
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            return None  # torn by a file system that is no object store: as if it were not there

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _errors(self, name: str, *, write: bool = False) -> AbstractContextManager[None]:
        return remote_errors(posixpath.join(self.url, name), write=write)


def object_name(sha256: str) -> str:
    """Where the object of this content lies under the root."""
    return f"objects/{sha256[:2]}/{sha256}"


@contextmanager
def write_errors(folder: Path) -> Iterator[None]:
    """What goes wrong on this machine's disk, as a `StoreError` that says so."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot be written ({error.strerror or error}).",
            where=str(folder),
            remedy="Check the free space and the permissions.",
        ) from error


def _is_plain(name: str) -> bool:
    """Whether a name that came from a store stays in the folder it is put in."""
    return PurePosixPath(name).name == name and "\\" not in name and name not in ("", ".", "..")


def _listing_of(folder: Path) -> Listing:
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: _stored_file(path) for path in paths if not path.name.startswith(".")}


def _stored_file(path: Path) -> StoredFile:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return StoredFile(digest.hexdigest(), path.stat().st_size)


def _manifest(files: Listing) -> bytes:
    entries = {name: [stored.sha256, stored.n_bytes] for name, stored in files.items()}
    return json.dumps({"format": FORMAT, "files": entries}, indent=1, sort_keys=True).encode()


def _copy_whole(source: Path, target: Path) -> None:
    """Copy a file so that the target appears whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".partial-{uuid.uuid4().hex}")
    try:
        shutil.copyfile(source, partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
