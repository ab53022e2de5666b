"""Whether a gallery is, bit by bit, what was imported: its tables, and the pictures it names.

Nothing else is needed for it than the gallery: it is named by the hash of its columns, keeps
the hash of every picture, and WordNet gives the rest of it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from vlmexplain.datasets.gallery import MASKS, Gallery
from vlmexplain.datasets.gallery_concepts import (
    WordNetLike,
    concepts_table,
    path_length_blocks,
)
from vlmexplain.datasets.gallery_tables import Tables, content_id
from vlmexplain.datasets.images import PictureChanged, PictureError, safe_path
from vlmexplain.errors import GalleryError
from vlmexplain.records import Progress, ProgressCallback, no_progress

NONSENSE = (pa.ArrowException, ValueError, LookupError, TypeError, AttributeError)
"""What reading a column can end in when a bit of its file has changed."""
COLUMNS = ("images", "captions", "instances")


@dataclass(frozen=True, slots=True)
class Damage:
    """Something that is not as it was imported.

    Attributes:
        code: ``gallery-damaged``, or the check code of a picture, such as ``image-changed``.
        where: the file, and for a picture its image id.
        problem: what is wrong with it, a short phrase.
    """

    code: str
    where: str
    problem: str


def damaged_tables(
    gallery: Gallery, wordnet: WordNetLike, progress: ProgressCallback = no_progress
) -> Iterator[Damage]:
    """What of the gallery's own files is not what the import wrote.

    ``manifest.json`` and ``checks.json`` are only read and held against the tables: they may
    change, so no hash of them is kept.
    """
    try:
        gallery.checks()
        tables = _tables(gallery)
        named_by = content_id(tables)
    except GalleryError as error:
        yield Damage("gallery-damaged", error.where or str(gallery.folder), "missing or damaged")
        return
    except NONSENSE:
        named_by = None
    if named_by != gallery.id:
        yield _damage(gallery, "*.arrow", "not the content that the gallery is named by")
        return  # what is made from it says no more
    manifest = gallery.manifest
    said = (manifest.n_images, manifest.n_captions, manifest.n_instances, manifest.n_concepts)
    found = (*(getattr(tables, name).num_rows for name in COLUMNS), len(tables.concepts))
    if said != found:
        yield _damage(gallery, "manifest.json", f"counts {said}, the tables have {found}")
    if not gallery.concepts_table.equals(concepts_table(tables, wordnet)):
        yield _damage(gallery, "concepts.arrow", "not what WordNet and the instances give")
    if not _paths_are_right(gallery, wordnet, progress):
        yield _damage(gallery, "path_lengths.npy", "not the paths of WordNet")
    if not _masks_are_right(gallery):
        yield _damage(gallery, MASKS, "not the masks that were imported")


def damaged_pictures(
    gallery: Gallery, progress: ProgressCallback = no_progress
) -> Iterator[Damage]:
    """The pictures that are missing, cannot be read or have changed since the import."""
    if not gallery.has_pictures:
        return
    columns = ("image_id", "file_name", "content_sha256")
    rows = zip(*(gallery.images_table.column(name).to_pylist() for name in columns), strict=True)
    for done, (image_id, file_name, sha256) in enumerate(rows):
        progress(Progress("Comparing the pictures", done, gallery.n_images, "images"))
        where = f"{gallery.images_folder / file_name} (image {image_id})"
        try:
            found = _sha256(safe_path(gallery.images_folder, file_name))
        except PictureError as error:
            yield Damage(error.code, where, error.message)
        except OSError as error:
            yield Damage(PictureError.code, where, f"cannot be read ({error.strerror})")
        else:
            if found != sha256:
                yield Damage(PictureChanged.code, where, "has changed since the import")
    progress(Progress("Comparing the pictures", gallery.n_images, gallery.n_images, "images"))


def _tables(gallery: Gallery) -> Tables:
    """The columns as stored."""
    images, captions, instances, concepts = (
        getattr(gallery, f"{name}_table") for name in (*COLUMNS, "concepts")
    )
    for table in (images, captions, instances, concepts):
        table.validate(full=True)  # before a wrong offset is followed
    return Tables(images, captions, instances, list(gallery.concepts), gallery.drawn)


def _paths_are_right(gallery: Gallery, wordnet: WordNetLike, progress: ProgressCallback) -> bool:
    try:
        stored = gallery.path_lengths
    except GalleryError:
        return False
    total = len(gallery.concepts)
    return stored.shape == (total, total) and all(
        np.array_equal(stored[start : start + len(block)], block)
        for start, block in path_length_blocks(gallery.concepts, wordnet, progress)
    )


def _masks_are_right(gallery: Gallery) -> bool:
    said = gallery.manifest.masks_sha256
    try:
        return not said or _sha256(gallery.folder / MASKS) == said
    except OSError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _damage(gallery: Gallery, name: str, problem: str) -> Damage:
    return Damage("gallery-damaged", str(gallery.folder / name), problem)
