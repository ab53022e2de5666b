"""The names of galleries: one name is one gallery."""

from __future__ import annotations

from dataclasses import replace

from vlmexplain import storage
from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
from vlmexplain.datasets.gallery_manifest import (
    checked_name,
    galleries_folder,
    read_manifest,
    write_manifest,
)
from vlmexplain.errors import DataError


def refuse_taken_name(name: str, gallery_id: str) -> None:
    """Refuse a name that another gallery has.

    Raises:
        DataError: another gallery has it.
    """
    other = next((m for m in list_galleries() if name in m.names and m.id != gallery_id), None)
    if other is not None:
        raise DataError(
            f"the name {name!r} is taken by another gallery, {other.id[:12]} "
            f"({other.n_images:,} images, {other.n_captions:,} captions).",
            remedy=f"Give another name, or rename that gallery: vlmexplain gallery rename "
            f"{other.id[:12]} NAME.",
        )


def with_name(names: tuple[str, ...], new: str) -> tuple[str, ...]:
    """The names with another one beside them; the one that pages show stays.

    >>> with_name(("val",), "again")
    ('again', 'val')
    """
    return names if new in names else (*names[:-1], new, names[-1])


def rename_gallery(name_or_id: str, new: str) -> Gallery:
    """Put a new name in the place of the one that pages show; other names of it stay.

    Raises:
        UnknownName, GalleryError: as `open_gallery`.
        DataError: the new name cannot be used, or is another gallery's.
    """
    new, gallery = checked_name(new), open_gallery(name_or_id)
    with storage.locked(galleries_folder() / "publish"):
        refuse_taken_name(new, gallery.id)
        manifest = read_manifest(gallery.folder)
        others = tuple(name for name in manifest.names[:-1] if name != new)
        write_manifest(gallery.folder, replace(manifest, names=(*others, new)))
    return open_gallery(gallery.id)
