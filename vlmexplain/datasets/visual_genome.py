"""Import Visual Genome: objects or scene graphs, image data and pictures become a gallery."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vlmexplain.concepts.naming import read_aliases, synset_for_name
from vlmexplain.concepts.wordnet import WordNet, load_wordnet
from vlmexplain.datasets.caption_records import CaptionRecords, read_coco_captions
from vlmexplain.datasets.checks import CheckLog, InstanceFlag
from vlmexplain.datasets.file_kinds import (
    COCO_CAPTIONS,
    COCO_VG_MAP,
    VG_IMAGE_DATA,
    VG_OBJECTS,
    VG_SCENE_GRAPHS,
    kind_of_vg_record,
    require_file,
    require_folder,
    wrong_file,
)
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_manifest import SourceFile, checked_name
from vlmexplain.datasets.import_request import ImportRequest, Verify, one_at_a_time
from vlmexplain.datasets.importing import Kept, ReadData, finish
from vlmexplain.datasets.instance_records import InstanceRecords, Meaning
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.listed_images import ListedImage
from vlmexplain.datasets.reading import read_plain, read_stream
from vlmexplain.datasets.record_ids import clean_text, id_text
from vlmexplain.datasets.vg_image_data import read_coco_map, read_image_data
from vlmexplain.errors import DataError
from vlmexplain.records import ProgressCallback, no_progress

EXPECTED_OBJECTS = f"{VG_OBJECTS} or scene graphs"
ObjectKind = tuple[tuple[str, ...], tuple[str, ...]]
"""An object's names and its synsets, as annotated."""


def import_vg(
    objects: Path,
    image_data: Path,
    images: Path,
    *,
    aliases: Path | None = None,
    captions: Path | None = None,
    coco_map: Path | None = None,
    name: str,
    verify: Verify = "decode",
    progress: ProgressCallback = no_progress,
) -> Gallery:
    """Import Visual Genome files; the pictures stay where they are.

    Of several Visual Genome images that are one COCO image, the one with the lowest id (whose
    picture can be read) is taken, and flagged; the others are left out.

    Args:
        objects: ``objects.json`` or ``scene_graphs.json``, told apart by content.
        image_data: ``image_data.json``: sizes, links and COCO ids.
        images: the folder with the pictures, or with ``VG_100K`` and ``VG_100K_2``.
        aliases: ``object_alias.txt``, for objects without a synset.
        captions: a COCO captions file, joined by COCO id.
        coco_map: COCO id -> Visual Genome ids, for images without a ``coco_id``.
        name: what to call the gallery.
        verify: decode every picture, or only read its header.
        progress: called now and then; may raise `Cancelled`. Nothing half-made stays.

    Raises:
        DataError: a file is not what it should be, or no picture can be read.
        StoreError: the gallery cannot be written.
    """
    name = checked_name(name)
    objects, image_data, images = Path(objects), Path(image_data), Path(images)
    optional = (Path(path) if path else None for path in (aliases, captions, coco_map))
    files = (objects, image_data, *optional)
    request = ImportRequest("vg", name, images, verify, files)
    _require(request)
    key = request.key()
    with one_at_a_time(key) as made:
        if made:
            return open_gallery(made)
        log, wordnet = CheckLog(), load_wordnet()
        data = _read(request, wordnet, log, progress)
        return finish(data, request, key, log, wordnet, progress)


def _read(
    request: ImportRequest, wordnet: WordNet, log: CheckLog, progress: ProgressCallback
) -> ReadData:
    objects, image_data, aliases, captions, coco_map = request.files
    assert objects and image_data
    sources: list[SourceFile] = []
    vg_to_coco: Mapping[str, int] = {}
    if coco_map:
        vg_to_coco, map_source = read_coco_map(coco_map)
        sources.append(map_source)
    listed, image_source = read_image_data(image_data, vg_to_coco, log, progress)
    records, object_source = read_objects(objects, log, progress)
    sources = [object_source, image_source, *sources]
    spoken = CaptionRecords()
    if captions:
        spoken, caption_source = read_coco_captions(captions, log, progress)
        sources.append(caption_source)
    same_names: Mapping[str, tuple[str, ...]] = {}
    if aliases:
        content, aliases_source = read_plain("aliases", aliases)
        if b"\0" in content or content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
            raise DataError(
                "this is not a file of aliases; expected names between commas on each line.",
                where=str(aliases),
                remedy="Give Visual Genome's object_alias.txt.",
            )
        same_names = read_aliases(aliases)
        sources.append(aliases_source)
    return ReadData(
        listed=listed,
        instances=records,
        meaning_of=lambda kind: meaning_of(kind, wordnet, same_names),
        captions=spoken,
        sources=sources,
        caption_key=_coco_key,
        choose=lambda kept: one_for_each_coco_image(kept, log),
    )


def _require(request: ImportRequest) -> None:
    objects, image_data, aliases, captions, coco_map = request.files
    assert objects and image_data
    require_file(objects, EXPECTED_OBJECTS)
    assert request.images
    require_file(image_data, VG_IMAGE_DATA)
    require_folder(request.images)
    if captions:
        require_file(captions, COCO_CAPTIONS)
    if coco_map:
        require_file(coco_map, COCO_VG_MAP)
    if aliases and not aliases.is_file():
        raise DataError("no such file; expected object aliases.", where=str(aliases))


def read_objects(
    path: Path, log: CheckLog, progress: ProgressCallback = no_progress
) -> tuple[InstanceRecords[ObjectKind], SourceFile]:
    """Read ``objects.json`` or ``scene_graphs.json``, image by image.

    Raises:
        DataError: it is another kind of file, or damaged.
    """
    records: InstanceRecords[ObjectKind] = InstanceRecords()

    def take(_: str, value: Any) -> None:
        kind = kind_of_vg_record(value)
        if kind not in (None, VG_OBJECTS, VG_SCENE_GRAPHS):
            raise wrong_file(path, EXPECTED_OBJECTS, kind)
        image_id = None
        if isinstance(value, dict):
            image_id = id_text(value.get("image_id", value.get("id")))
        entries = value.get("objects") if kind else None
        if image_id is None or not isinstance(entries, list):
            log.add("annotation-incomplete", f"image {image_id or repr(value)[:60]}")
            return
        for entry in entries:
            take_object(records, image_id, entry, log)

    source = read_stream(JsonStream(path), "objects", take, EXPECTED_OBJECTS, progress, "[")
    return records, source


def take_object(
    records: InstanceRecords[ObjectKind], image_id: str, entry: Any, log: CheckLog
) -> None:
    """Take one object of an image as it stands in the JSON."""
    if not isinstance(entry, dict):
        log.add("annotation-incomplete", f"image {image_id}: {repr(entry)[:60]}")
        return
    names = _texts(entry.get("names", entry.get("name")))
    kind = (names, _texts(entry.get("synsets")))
    box = [entry.get(axis) for axis in "xywh"]
    has_box = any(number is not None for number in box)
    object_id = entry.get("object_id", entry.get("id"))
    records.add(image_id, kind, object_id, box if has_box else None)


def _texts(value: Any) -> tuple[str, ...]:
    """The distinct texts of a JSON list (or the one text), trimmed, in their order."""
    values = value if isinstance(value, list) else [value]
    texts = (clean_text(v).strip() for v in values if isinstance(v, str))
    return tuple(dict.fromkeys(filter(None, texts)))


def meaning_of(
    kind: ObjectKind, wordnet: WordNet, aliases: Mapping[str, tuple[str, ...]]
) -> Meaning:
    """The first synset given; without one, that of the first name that has one; else none."""
    names, synsets = kind
    name = names[0] if names else ""
    if not synsets:
        for each in names:
            found = synset_for_name(each, wordnet, aliases)
            if found:
                return Meaning(name, found, InstanceFlag.SYNSET_BY_NAME.value)
        return Meaning(name, None, InstanceFlag.SYNSET_NONE.value)
    flags = InstanceFlag.SYNSET_SEVERAL.value if len(synsets) > 1 else 0
    if wordnet.has(synsets[0]):
        return Meaning(name, wordnet.synset(synsets[0]).name, flags)
    return Meaning(name, None, flags | InstanceFlag.SYNSET_UNKNOWN.value)


def meanings_of(
    records: InstanceRecords[ObjectKind],
    wordnet: WordNet,
    aliases: Mapping[str, tuple[str, ...]],
) -> Callable[[ObjectKind], Meaning]:
    """What each object stands for, decided with all that the file says."""
    return lambda kind: meaning_of(kind, wordnet, aliases)


def one_for_each_coco_image(kept: Kept, log: CheckLog) -> Kept:
    """Of the images (sorted by id) that are one COCO image, the first."""
    chosen: Kept = []
    first: dict[int, str] = {}
    shared: set[str] = set()
    for image, facts in kept:
        coco_id, image_id = image.coco_id, image.image_id
        if coco_id is None:
            log.add("image-no-coco-image", image_id)
        elif coco_id in first:
            log.add("image-second-of-coco-image", f"{image_id} (COCO {coco_id})")
            if first[coco_id] not in shared:
                shared.add(first[coco_id])
                log.add("image-shares-coco-image", f"{first[coco_id]} (COCO {coco_id})")
            continue
        else:
            first[coco_id] = image_id
        chosen.append((image, facts))
    return chosen


def _coco_key(image: ListedImage) -> str | None:
    return None if image.coco_id is None else str(image.coco_id)
