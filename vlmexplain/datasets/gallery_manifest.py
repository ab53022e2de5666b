"""A gallery's manifest: what it is, where its pictures lie, what it was made from."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vlmexplain.errors import DataError, GalleryError
from vlmexplain.results.kind import MANIFEST, ResultKind
from vlmexplain.storage import write_file

FORMAT = 1
PUBLISH_LOCK = "publish"
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file an import read: its ``role`` (``instances``, ``captions``, ...) and content."""

    role: str
    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class GalleryManifest:
    """What a gallery says of itself without its columns being opened.

    Attributes:
        id: sha256 hex over the content of its columns; the folder is named by it.
        names: what users call it; ``name`` is the last, which pages show.
        images_folder: absolute; the pictures stay there. Empty: imported without pictures.
        drawn: True for the drawn demo world.
        created_s: Unix time of the last import that gave it.
        request_key: which request made it; see `vlmexplain.datasets.importing`.
        masks_sha256: hex digest of ``masks.arrow``; empty without one.
    """

    id: str
    names: tuple[str, ...]
    images_folder: str
    drawn: bool
    n_images: int
    n_captions: int
    n_instances: int
    n_concepts: int
    created_s: float
    sources: tuple[SourceFile, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    request_key: str = ""
    masks_sha256: str = ""

    @property
    def name(self) -> str:
        """The name that pages show."""
        return self.names[-1]


def galleries_folder() -> Path:
    """Where galleries are kept."""
    return GALLERIES.folder()


def checked_name(name: str) -> str:
    """A gallery name that can be shown and typed.

    Raises:
        DataError: it is empty, too long, or holds control characters.
    """
    text = name.strip()
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        raise DataError(
            f"{name[:120]!r} cannot be a gallery's name.",
            remedy=f"Give 1 to {LONGEST_NAME} printable characters.",
        )
    return text


def write_manifest(folder: Path, manifest: GalleryManifest) -> None:
    """Write the manifest into a gallery's folder, whole or not at all."""
    value = {"format": FORMAT} | asdict(manifest)
    text = json.dumps(value, indent=1, ensure_ascii=False)
    write_file(folder / MANIFEST, text.encode("utf-8", "surrogateescape"))


def read_manifest(folder: Path) -> GalleryManifest:
    """The manifest of the gallery in ``folder``.

    Raises:
        GalleryError: it is missing, damaged, or of a newer format.
    """
    return GALLERIES.read_manifest(folder)


def _manifest(value: dict[str, Any]) -> GalleryManifest:
    value["sources"] = tuple(SourceFile(**source) for source in value["sources"])
    value["names"] = tuple(value["names"])
    return GalleryManifest(**value)


GALLERIES = ResultKind(
    name="galleries",
    noun="gallery",
    plural="galleries",
    format=FORMAT,
    files=(
        "images.arrow",
        "captions.arrow",
        "instances.arrow",
        "concepts.arrow",
        "path_lengths.npy",
        "checks.json",
    ),
    read=_manifest,
    created_s=lambda manifest: manifest.created_s,
    needs=lambda _: (),
    about=lambda manifest: manifest.name,
    names=lambda manifest: manifest.names,
    remedy="Import the data again.",
    error=GalleryError,
    lock=PUBLISH_LOCK,
)


def now_s() -> float:
    """Unix time, seconds."""
    return time.time()
