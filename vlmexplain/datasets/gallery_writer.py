"""Write a gallery: sort its columns, name it by their content, publish it whole."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from vlmexplain import storage
from vlmexplain.datasets import gallery_tables
from vlmexplain.datasets.checks import ImportSummary
from vlmexplain.datasets.columns import GalleryColumns
from vlmexplain.datasets.gallery import MASKS, Gallery
from vlmexplain.datasets.gallery_concepts import WordNetLike, concepts_table, write_path_lengths
from vlmexplain.datasets.gallery_manifest import (
    PUBLISH_LOCK,
    GalleryManifest,
    SourceFile,
    checked_name,
    galleries_folder,
    now_s,
    read_manifest,
    write_manifest,
)
from vlmexplain.datasets.gallery_names import refuse_taken_name, with_name
from vlmexplain.datasets.integrity import damaged_tables
from vlmexplain.errors import GalleryError
from vlmexplain.records import Progress, ProgressCallback, no_progress


def write_gallery(
    columns: GalleryColumns,
    *,
    name: str,
    images_folder: Path | None,
    summary: ImportSummary,
    wordnet: WordNetLike,
    sources: Sequence[SourceFile] = (),
    options: dict[str, Any] | None = None,
    request_key: str = "",
    write_masks: Callable[[Path, pa.Table], None] | None = None,
    progress: ProgressCallback = no_progress,
) -> str:
    """Write a gallery and give its id, the sha256 of its columns' content.

    The same content again, under whatever name, is the same gallery: it keeps its name, gets the
    new one beside it, and the summary, the image folder and the masks of this import.

    Args:
        write_masks: writes ``masks.arrow`` for the instances in gallery order.

    Raises:
        DataError: the name cannot be used, or is another gallery's.
        StoreError: it cannot be written.
    """
    name = checked_name(name)
    tables = gallery_tables.build(columns)
    manifest = GalleryManifest(
        id=gallery_tables.content_id(tables),
        names=(name,),
        images_folder=str(Path(images_folder).absolute()) if images_folder else "",
        drawn=columns.drawn,
        n_images=tables.images.num_rows,
        n_captions=tables.captions.num_rows,
        n_instances=tables.instances.num_rows,
        n_concepts=len(tables.concepts),
        created_s=now_s(),
        sources=tuple(sources),
        options=options or {},
        request_key=request_key,
    )
    folder = galleries_folder()
    with storage.locked(folder / PUBLISH_LOCK):
        storage.sweep_partial(folder)
        target = folder / manifest.id
        refuse_taken_name(name, manifest.id)
        known = _manifest_of_intact(target, wordnet, progress)
        if known is None:
            with storage.publish_folder(target) as scratch:
                _write_content(scratch, tables, wordnet, progress)
                masks = _write_masks(scratch, tables, write_masks)
                _write_about(scratch, replace(manifest, masks_sha256=masks), summary)
        else:
            names = with_name(known.names, name)
            masks = _write_masks(target, tables, write_masks) or known.masks_sha256
            _write_about(target, replace(manifest, names=names, masks_sha256=masks), summary)
    return manifest.id


def _manifest_of_intact(
    target: Path, wordnet: WordNetLike, progress: ProgressCallback
) -> GalleryManifest | None:
    """The manifest of the gallery if it is there already; a damaged one is removed."""
    if not target.exists():
        return None
    try:
        manifest = read_manifest(target)
        intact = not any(damaged_tables(Gallery(target, manifest), wordnet, progress))
    except GalleryError:
        intact = False
    if intact:
        return manifest
    shutil.rmtree(target)
    return None


def _write_masks(
    folder: Path, tables: gallery_tables.Tables, write: Callable[[Path, pa.Table], None] | None
) -> str:
    """Write the masks, if there are any; their sha256 hex, else an empty text."""
    if write is None:
        return ""
    with storage.publish_file(folder / MASKS) as scratch:
        write(scratch, tables.instances)
        with scratch.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def _write_about(folder: Path, manifest: GalleryManifest, summary: ImportSummary) -> None:
    text = json.dumps(summary.to_json(), indent=1, ensure_ascii=False)
    storage.write_file(folder / "checks.json", text.encode())
    write_manifest(folder, manifest)


def _write_content(
    folder: Path,
    tables: gallery_tables.Tables,
    wordnet: WordNetLike,
    progress: ProgressCallback,
) -> None:
    progress(Progress("Writing the gallery", 0, 1))
    _write_table(folder / "images.arrow", tables.images)
    _write_table(folder / "captions.arrow", tables.captions)
    _write_table(folder / "instances.arrow", tables.instances)
    _write_table(folder / "concepts.arrow", concepts_table(tables, wordnet))
    write_path_lengths(folder / "path_lengths.npy", tables.concepts, wordnet, progress)


def _write_table(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
