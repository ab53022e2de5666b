"""Visual Genome's forms: objects, scene graphs, attributes, relationships, regions, image data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlmexplain.concepts.naming import read_aliases
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.file_kinds import (
    VG_ATTRIBUTES,
    VG_OBJECTS,
    VG_REGIONS,
    VG_RELATIONSHIPS,
    VG_SCENE_GRAPHS,
    kind_of_vg_record,
    wrong_file,
)
from vlmexplain.datasets.forms.draft import Draft
from vlmexplain.datasets.forms.peek import Peek
from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.datasets.listed_images import ListedImage
from vlmexplain.datasets.reading import read_plain, read_stream
from vlmexplain.datasets.record_ids import id_text
from vlmexplain.datasets.vg_image_data import picture_names, read_image_data
from vlmexplain.datasets.visual_genome import meanings_of, one_for_each_coco_image, take_object


def is_kind(seen: Peek, *kinds: str) -> bool:
    """Whether the first record is of one of these kinds of Visual Genome file."""
    return seen.top == "[" and kind_of_vg_record(seen.record()) in kinds


def take_image_data(path: Path, draft: Draft) -> None:
    """Read sizes, links and COCO ids; of several images that are one COCO image, one is taken."""
    listed, source = read_image_data(path, {}, draft.log, draft.progress)
    draft.sources.append(source)
    draft.listed |= listed
    draft.choose = lambda kept: one_for_each_coco_image(kept, draft.log)


def take_objects(path: Path, draft: Draft) -> None:
    """Read objects, from a file of objects, of scene graphs or of attributes."""
    expected = f"{VG_OBJECTS}, scene graphs or attributes"

    def take(image_id: str, value: dict[str, Any]) -> None:
        for entry in _entries(value, "objects", "attributes"):
            take_object(draft.instances, image_id, entry, draft.log)

    _read(path, draft, "objects", expected, (VG_OBJECTS, VG_SCENE_GRAPHS, VG_ATTRIBUTES), take)
    _decide_names(draft)


def take_relationships(path: Path, draft: Draft) -> None:
    """Read the subjects and objects of relationships, each object once."""

    def take(image_id: str, value: dict[str, Any]) -> None:
        ends: dict[str, Any] = {}
        for entry in _entries(value, "relationships"):
            for role in ("subject", "object"):
                end = entry.get(role) if isinstance(entry, dict) else None
                if isinstance(end, dict):
                    ends.setdefault(str(end.get("object_id")), end)
        for end in ends.values():
            take_object(draft.instances, image_id, end, draft.log)

    _read(path, draft, "objects", VG_RELATIONSHIPS, (VG_RELATIONSHIPS,), take)
    _decide_names(draft)


def take_regions(path: Path, draft: Draft) -> None:
    """Read region descriptions as captions of their image."""

    def take(image_id: str, value: dict[str, Any]) -> None:
        for entry in _entries(value, "regions"):
            region = id_text(entry.get("region_id", entry.get("id"))) if entry else None
            phrase = entry.get("phrase") if isinstance(entry, dict) else None
            if isinstance(phrase, str):
                draft.captions.add(image_id, region or "", phrase)
            else:
                draft.log.add("caption-incomplete", region or f"image {image_id}")

    _read(path, draft, "captions", VG_REGIONS, (VG_REGIONS,), take)


def take_aliases(path: Path, draft: Draft) -> None:
    """Read which names stand for which, for objects without a synset."""
    _, source = read_plain("aliases", path)
    draft.sources.append(source)
    _decide_names(draft, read_aliases(path))


def _decide_names(draft: Draft, aliases: Mapping[str, tuple[str, ...]] | None = None) -> None:
    draft.aliases = draft.aliases if aliases is None else aliases
    draft.meanings = lambda: meanings_of(draft.instances, load_wordnet(), draft.aliases)


def _read(
    path: Path,
    draft: Draft,
    role: str,
    expected: str,
    kinds: tuple[str, ...],
    take_record: Any,
) -> None:
    def take(_: str, value: Any) -> None:
        kind = kind_of_vg_record(value)
        if kind not in (None, *kinds):
            raise wrong_file(path, expected, kind)
        image_id = None
        if isinstance(value, dict):
            image_id = id_text(value.get("image_id", value.get("id")))
        if image_id is None or kind is None:
            draft.log.add("annotation-incomplete", f"image {image_id or repr(value)[:60]}")
            return
        draft.named.setdefault(image_id, None)
        take_record(image_id, value)

    draft.sources.append(read_stream(JsonStream(path), role, take, expected, draft.progress, "["))


def list_named_images(draft: Draft) -> None:
    """Without image data, the images are those that the other files name."""
    for image_id in draft.named:
        names = picture_names(image_id, "")
        draft.list_image(ListedImage(image_id, names[0], other_names=names[1:]))


def _entries(value: dict[str, Any], *keys: str) -> list[Any]:
    for key in keys:
        entries = value.get(key)
        if isinstance(entries, list):
            return entries
    return []
