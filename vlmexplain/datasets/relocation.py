"""Tell a gallery that its image folder has moved."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from vlmexplain import storage
from vlmexplain.datasets.file_kinds import require_folder
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_manifest import GALLERIES, read_manifest, write_manifest
from vlmexplain.datasets.images import PictureError, safe_path
from vlmexplain.errors import DataError

CONTENTS_COMPARED = 32


def relocate_gallery(name_or_id: str, images: Path) -> Gallery:
    """Let a gallery read its pictures from another folder that holds the same files.

    All pictures must be there; the content of up to 32 of them, spread over the gallery, is
    compared at once, and that of every picture whenever it is read.

    Raises:
        UnknownName: there is no such gallery.
        DataError: the folder, or a picture in it, is not there or is another one.
    """
    gallery, images = open_gallery(name_or_id), Path(images)
    require_folder(images)
    if not gallery.has_pictures:
        raise DataError(
            f"the gallery {gallery.name!r} was imported without pictures.",
            remedy="Import it again with --images DIR.",
        )
    names = gallery.images_table.column("file_name").to_pylist()
    digests = gallery.images_table.column("content_sha256")
    missing = [name for name in names if not _is_there(images, name)]
    if missing:
        raise _not_the_folder(images, f"{len(missing):,} of {len(names):,} are not there", missing)
    places = np.unique(np.linspace(0, len(names) - 1, CONTENTS_COMPARED).astype(int)).tolist()
    other = [
        names[i]
        for i in places
        if hashlib.sha256(safe_path(images, names[i]).read_bytes()).hexdigest()
        != digests[i].as_py()
    ]
    if other:
        raise _not_the_folder(images, "they have another content", other)
    with storage.locked(GALLERIES.lock_of(gallery.folder)):
        manifest = read_manifest(gallery.folder)
        write_manifest(gallery.folder, replace(manifest, images_folder=str(images.absolute())))
    return open_gallery(gallery.id)


def _is_there(images: Path, name: str) -> bool:
    try:
        safe_path(images, name)
    except PictureError:
        return False
    return True


def _not_the_folder(images: Path, problem: str, names: list[str]) -> DataError:
    return DataError(
        f"these are not the gallery's pictures: {problem} (such as {names[0]!r}).",
        where=str(images),
        remedy="Give the folder the pictures were moved to, or import the data again.",
    )
