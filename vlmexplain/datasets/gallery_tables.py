"""A gallery's columns as Arrow tables: one order and one hash, whatever order they came in."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.datasets.boxes import areas_px
from vlmexplain.datasets.columns import (
    NO_ID,
    CaptionColumns,
    GalleryColumns,
    ImageColumns,
    InstanceColumns,
    taken_in_order,
)
from vlmexplain.datasets.record_ids import id_order


class Tables(NamedTuple):
    """The tables in gallery order; ``concepts`` are the synsets, sorted."""

    images: pa.Table
    captions: pa.Table
    instances: pa.Table
    concepts: list[str]
    drawn: bool


def build(columns: GalleryColumns) -> Tables:
    """Sort images by id, captions and instances by image and id, concepts and names by letters."""
    ids = columns.images.image_id
    order = np.array(sorted(range(len(ids)), key=lambda i: id_order(ids[i])), np.intp)
    assert len(set(ids)) == len(ids), "image ids are unique"
    place = np.empty(len(ids), np.int32)
    place[order] = np.arange(len(ids), dtype=np.int32)
    images = _images(columns.images, order)
    instances, concepts = _instances(columns.instances, columns.images, place)
    return Tables(images, _captions(columns.captions, place), instances, concepts, columns.drawn)


def concept_counts(tables: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """In how many images, and in how many instances, each concept occurs: two int64 [V]."""
    concept = tables.instances.column("concept_index").to_numpy().astype(np.int64)
    image = tables.instances.column("image_index").to_numpy().astype(np.int64)
    known, total = concept >= 0, len(tables.concepts)
    pairs = np.unique(image[known] * max(total, 1) + concept[known]) % max(total, 1)
    return np.bincount(pairs, minlength=total), np.bincount(concept[known], minlength=total)


def content_id(tables: Tables) -> str:
    """sha256 hex over names, types and values of all columns (not over how Arrow stores them)."""
    digest = hashlib.sha256(b"vlmexplain gallery 1")
    for table in (tables.images, tables.captions, tables.instances):
        for name in table.column_names:
            column = table.column(name).combine_chunks()
            digest.update(f"{name} {column.type} {len(column)}\n".encode())
            _hash_values(digest, column)
    _hash_values(digest, pa.array(tables.concepts, pa.string()))
    digest.update(b"drawn" if tables.drawn else b"")
    return digest.hexdigest()


def _hash_values(digest: Any, column: Any) -> None:
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(column.type):
        _hash_values(digest, column.dictionary)
        _hash_values(digest, column.indices)
    elif pa.types.is_string(column.type):
        for text in column.to_pylist():
            raw = text.encode()
            digest.update(len(raw).to_bytes(4, "little") + raw)
    else:
        digest.update(column.is_null().to_numpy(zero_copy_only=False).tobytes())
        filled = column.fill_null(False if pa.types.is_boolean(column.type) else 0)
        values = filled.to_numpy(zero_copy_only=False)
        digest.update(np.ascontiguousarray(values).tobytes())


def _images(images: ImageColumns, order: NDArray[np.intp]) -> pa.Table:
    def texts(values: list[str]) -> Any:
        return pa.array(taken_in_order(values, order), pa.string())

    return pa.table(
        {
            "image_id": texts(images.image_id),
            "file_name": texts(images.file_name),
            "width_px": images.width_px[order].astype(np.int32),
            "height_px": images.height_px[order].astype(np.int32),
            "orientation": images.orientation[order].astype(np.int8),
            "content_sha256": texts(images.content_sha256),
            "licence": texts(images.licence),
            "licence_url": texts(images.licence_url),
            "source_url": texts(images.source_url),
            "coco_url": texts(images.coco_url),
            "coco_id": pa.array(taken_in_order(images.coco_id, order), pa.int64()),
        }
    )


def _captions(captions: CaptionColumns, place: NDArray[np.int32]) -> pa.Table:
    image = place[captions.image_index]
    keys = zip(image.tolist(), map(id_order, captions.caption_id), captions.text, strict=True)
    keyed = list(keys)
    order = np.array(sorted(range(len(keyed)), key=keyed.__getitem__), np.intp)
    return pa.table(
        {
            "image_index": image[order],
            "caption_id": pa.array(taken_in_order(captions.caption_id, order), pa.string()),
            "text": pa.array(taken_in_order(captions.text, order), pa.string()),
        }
    )


def _compact(codes: NDArray[np.int32], values: list[str]) -> tuple[NDArray[np.int32], list[str]]:
    """Codes into the sorted list of the values that occur; -1 stays."""
    used = np.unique(codes[codes >= 0]).tolist()
    kept = sorted({values[code] for code in used})
    new_of = {value: n for n, value in enumerate(kept)}
    table = np.full(len(values) + 1, -1, np.int32)  # the last entry serves the code -1
    for code in used:
        table[code] = new_of[values[code]]
    return table[codes], kept


def _instances(
    instances: InstanceColumns, images: ImageColumns, place: NDArray[np.int32]
) -> tuple[pa.Table, list[str]]:
    concept, concepts = _compact(instances.synset_code, instances.synsets)
    name, names = _compact(instances.name_code, instances.names)
    image, box = place[instances.image_index], instances.box + 0.0  # no negative zeros
    columns = (box[:, 3], box[:, 2], box[:, 1], box[:, 0], instances.crowd, name, concept)
    order = np.lexsort((instances.flags, *columns, instances.instance_id, image))
    width, height = (
        size[instances.image_index].astype(np.float64)
        for size in (images.width_px, images.height_px)
    )
    area = areas_px(box, width, height)
    area[instances.crowd] = np.nan
    identity = instances.instance_id[order]
    dictionary = pa.DictionaryArray.from_arrays(
        pa.array(name[order], pa.int32()), pa.array(names, pa.string())
    )
    table = pa.table(
        {
            "image_index": image[order],
            "concept_index": concept[order],
            "name": dictionary,
            **{axis: box[order, n] for n, axis in enumerate("xywh")},
            "area_px": area[order],
            "crowd": instances.crowd[order],
            "instance_id": pa.array(identity, pa.int64(), mask=identity == NO_ID),
            "flags": instances.flags[order].astype(np.int32),
        }
    )
    return table, concepts
