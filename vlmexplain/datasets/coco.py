"""Import COCO: instances and captions JSON and an image folder become a gallery."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlmexplain.concepts.coco_categories import coco_synset_table
from vlmexplain.concepts.naming import synset_for_name
from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.datasets.caption_records import read_coco_captions
from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.file_kinds import (
    COCO_CAPTIONS,
    COCO_INSTANCES,
    kind_of_coco_annotation,
    require_file,
    require_folder,
    wrong_file,
)
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_manifest import SourceFile, checked_name
from vlmexplain.datasets.import_request import ImportRequest, Verify, one_at_a_time
from vlmexplain.datasets.importing import ReadData, finish
from vlmexplain.datasets.instance_records import InstanceRecords, Meaning
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.listed_images import ListedImage, link_or_empty, pixels_or_none
from vlmexplain.datasets.reading import read_stream
from vlmexplain.datasets.record_ids import clean_text, id_text, int64_or_none
from vlmexplain.datasets.segmentation_records import SegmentationRecords
from vlmexplain.errors import DataError
from vlmexplain.records import ProgressCallback, no_progress


def import_coco(
    instances: Path,
    captions: Path,
    images: Path,
    *,
    name: str,
    synset_table: Path | None = None,
    verify: Verify = "decode",
    progress: ProgressCallback = no_progress,
) -> Gallery:
    """Import COCO files; the pictures stay where they are.

    Args:
        instances, captions: the official JSON forms; any data set in these forms will do.
        images: the folder with the pictures; nothing outside it is read.
        name: what to call the gallery.
        synset_table: category name -> synset, over the built-in table.
        verify: decode every picture, or only read its header.
        progress: called now and then; may raise `Cancelled`. Nothing half-made stays.

    Raises:
        DataError: a file is not what it should be, or no picture can be read.
        StoreError: the gallery cannot be written.
    """
    name = checked_name(name)
    instances, captions, images = Path(instances), Path(captions), Path(images)
    require_file(instances, COCO_INSTANCES)
    require_file(captions, COCO_CAPTIONS)
    require_folder(images)
    synset_table = Path(synset_table) if synset_table else None
    if synset_table and not synset_table.is_file():
        raise DataError("no such file; expected a table of synsets.", where=str(synset_table))
    request = ImportRequest("coco", name, images, verify, (instances, captions, synset_table))
    key = request.key()
    with one_at_a_time(key) as made:
        if made:
            return open_gallery(made)
        log = CheckLog()
        data = _read(instances, captions, synset_table, log, progress)
        return finish(data, request, key, log, load_wordnet(), progress)


def _read(
    instances: Path,
    captions: Path,
    synset_table: Path | None,
    log: CheckLog,
    progress: ProgressCallback,
) -> ReadData:
    file, source = read_instances(instances, log, progress)
    synsets = coco_synset_table(synset_table, categories=file.category_names())
    records, captions_source = read_coco_captions(captions, log, progress)
    return ReadData(
        listed=file.listed_images(log),
        instances=file.instances,
        meaning_of=file.meanings(synsets, load_wordnet(), log).get,
        captions=records,
        sources=(source, captions_source),
        drawn=file.drawn,
        segmentations=file.segmentations,
    )


class InstancesFile:
    """What a COCO instances file says."""

    def __init__(self, path: Path):
        self.path = path
        self.drawn = False
        self.images: dict[str, dict[str, Any] | None] = {}
        self.instances: InstanceRecords[str] = InstanceRecords()
        self.segmentations = SegmentationRecords()
        self.categories: dict[str, tuple[str, str] | None] = {}
        self.licences: dict[str, tuple[str, str]] = {}

    def take(self, key: str, value: Any, log: CheckLog) -> None:
        """Take one record; the order of the file's sections does not matter."""
        if key == "annotations":
            self._take_annotation(value, log)
        elif key == "images":
            self._take_image(value, log)
        elif key == "categories":
            self._take_category(value, log)
        elif key == "licenses" and isinstance(value, dict):
            licence_id = id_text(value.get("id"))
            if licence_id is not None:
                self.licences[licence_id] = (_text(value, "name"), _text(value, "url"))
        elif key == "info" and isinstance(value, dict):
            self.drawn = value.get("drawn_world") is True

    def _take_image(self, value: Any, log: CheckLog) -> None:
        image_id = id_text(value.get("id")) if isinstance(value, dict) else None
        file_name = _file_name(value) if isinstance(value, dict) else ""
        if image_id is None or not file_name:
            log.add("image-incomplete", image_id or _short(value))
            return
        keys = ("width", "height", "license", "flickr_url", "coco_url")
        slim = {"file_name": file_name, "named": "file_name" in value}
        slim |= {key: value[key] for key in keys if key in value}
        if image_id not in self.images:
            self.images[image_id] = slim
        elif self.images[image_id] == slim:
            log.add("image-repeated", image_id)
        else:
            self.images[image_id] = None

    def _take_annotation(self, value: Any, log: CheckLog) -> None:
        kind = kind_of_coco_annotation(value)
        if kind not in (None, COCO_INSTANCES):
            raise wrong_file(self.path, COCO_INSTANCES, kind)
        image_id = id_text(value.get("image_id")) if isinstance(value, dict) else None
        if image_id is None:
            log.add("annotation-incomplete", _short(value))
            return
        category = id_text(value.get("category_id")) or ""
        crowd = value.get("iscrowd") in (1, True)
        self.instances.add(image_id, category, value.get("id"), value.get("bbox"), crowd=crowd)
        self.segmentations.add(value.get("id"), value.get("segmentation"), log)

    def _take_category(self, value: Any, log: CheckLog) -> None:
        category_id = id_text(value.get("id")) if isinstance(value, dict) else None
        name = _text(value, "name") if isinstance(value, dict) else ""
        if category_id is None or not name:
            log.add("category-incomplete", category_id or _short(value))
            return
        category = (name, _text(value, "synset"))
        if self.categories.setdefault(category_id, category) != category:
            self.categories[category_id] = None

    def category_names(self) -> list[str]:
        """The names of the categories."""
        return [category[0] for category in self.categories.values() if category]

    def listed_images(self, log: CheckLog) -> dict[str, ListedImage]:
        """The images by id; those whose id means two files are left out."""
        listed = {}
        for image_id, record in self.images.items():
            if record is None:
                log.add("image-id-conflict", image_id)
                continue
            licence, licence_url = self.licences.get(id_text(record.get("license")) or "", ("", ""))
            listed[image_id] = ListedImage(
                image_id=image_id,
                file_name=record["file_name"],
                other_names=_names_in_address(record),
                width_px=pixels_or_none(record.get("width")),
                height_px=pixels_or_none(record.get("height")),
                licence=licence,
                licence_url=link_or_empty(licence_url, image_id, log),
                source_url=link_or_empty(record.get("flickr_url"), image_id, log),
                coco_url=link_or_empty(record.get("coco_url"), image_id, log),
                coco_id=int64_or_none(image_id),
            )
        return listed

    def meanings(
        self, synsets: Mapping[str, str], wordnet: WordNet, log: CheckLog
    ) -> dict[str, Meaning]:
        """What each category id stands for: its own synset, else the table's, else by name."""
        meanings = {}
        for category_id, category in self.categories.items():
            if category is None:
                log.add("category-id-conflict", category_id)
                continue
            name, own = category
            thing = f"{category_id} ({name})"
            synset = own or synsets.get(name)
            if synset and not wordnet.has(synset):
                log.add("category-synset-unknown", f"{thing}: {synset}")
                synset = None
            elif not synset:
                synset = synset_for_name(name, wordnet)
                code = "category-synset-by-name" if synset else "category-synset-none"
                log.add(code, f"{thing}: {synset}" if synset else thing)
            canonical = wordnet.synset(synset).name if synset else None
            meanings[category_id] = Meaning(name, canonical)
        return meanings


def read_instances(
    path: Path,
    log: CheckLog,
    progress: ProgressCallback = no_progress,
    file: InstancesFile | None = None,
) -> tuple[InstancesFile, SourceFile]:
    """Read a COCO instances file, record by record, into ``file`` if one is given.

    Raises:
        DataError: it is another kind of file, or damaged.
    """
    file = InstancesFile(path) if file is None else file
    stream = JsonStream(path)
    source = read_stream(
        stream, "instances", lambda key, value: file.take(key, value, log), COCO_INSTANCES, progress
    )
    if not {"images", "annotations", "categories"} <= set(stream.keys):
        raise wrong_file(path, f"{COCO_INSTANCES}, with images, annotations and categories")
    return file, source


def _file_name(record: Mapping[str, Any]) -> str:
    """The file name; LVIS gives none, but an address that ends in it."""
    given = record.get("file_name")
    if isinstance(given, str) and given.strip():
        return given
    return _text(record, "coco_url").rsplit("/", 1)[-1]


def _names_in_address(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Where the picture of an image without a file name lies, with the address's folder."""
    parts = _text(record, "coco_url").split("/")[-2:]
    return ("/".join(parts),) if len(parts) == 2 and not record["named"] else ()


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return clean_text(value).strip() if isinstance(value, str) else ""


def _short(value: Any) -> str:
    if isinstance(value, dict) and value.get("id") is not None:
        return str(value["id"])[:60]
    return repr(value)[:60]
