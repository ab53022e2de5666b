"""Say what a data file is, for the error that tells a user which file was expected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlmexplain.datasets.json_stream import JsonStream
from vlmexplain.errors import DataError

COCO_INSTANCES = "COCO instances (objects with boxes)"
COCO_CAPTIONS = "COCO captions"
COCO_OTHER = "a COCO file without annotations"
VG_OBJECTS = "Visual Genome objects"
VG_SCENE_GRAPHS = "Visual Genome scene graphs"
VG_ATTRIBUTES = "Visual Genome attributes"
VG_RELATIONSHIPS = "Visual Genome relationships"
VG_REGIONS = "Visual Genome region descriptions"
VG_IMAGE_DATA = "Visual Genome image_data"
COCO_VG_MAP = "a map of COCO ids to Visual Genome ids"

_BINARY = {
    b"PK\x03\x04": "a ZIP archive (unpack it first)",
    b"\x1f\x8b": "a gzip archive (unpack it first)",
    b"\xff\xd8\xff": "a JPEG picture",
    b"\x89PNG": "a PNG picture",
}


def kind_of_coco_annotation(record: Any) -> str | None:
    """Which COCO file an annotation comes from; None when it does not show."""
    if not isinstance(record, Mapping):
        return None
    if "caption" in record:
        return COCO_CAPTIONS
    return COCO_INSTANCES if "category_id" in record or "bbox" in record else None


def kind_of_vg_record(record: Any) -> str | None:
    """Which Visual Genome file a record comes from; None when it does not show."""
    if not isinstance(record, Mapping):
        return None
    if "objects" in record:
        return VG_SCENE_GRAPHS if "relationships" in record else VG_OBJECTS
    for key, kind in (
        ("relationships", VG_RELATIONSHIPS),
        ("attributes", VG_ATTRIBUTES),
        ("regions", VG_REGIONS),
        ("qas", "Visual Genome questions and answers"),
    ):
        if key in record:
            return kind
    return VG_IMAGE_DATA if "image_id" in record and "width" in record else None


def describe_file(path: Path) -> str:
    """What the file is, as far as its first records tell."""
    if path.is_dir():
        return "a folder"
    if path.suffix.lower() == ".txt":
        return "a text file"
    with path.open("rb") as file:
        head = file.read(64)
    if not head.strip():
        return "an empty file"
    for magic, kind in _BINARY.items():
        if head.startswith(magic):
            return kind
    try:
        return _describe_json(JsonStream(path))
    except DataError:
        return "not a JSON file, or a damaged one"


def _describe_json(stream: JsonStream) -> str:
    for n, (key, value) in enumerate(stream):
        if stream.top == "[":
            return kind_of_vg_record(value) or f"a JSON list of {_shape(value)}"
        if key == "annotations" and (kind := kind_of_coco_annotation(value)):
            return kind
        if n >= 20 and _are_ids(stream.keys):
            return COCO_VG_MAP
    if stream.top == "[":
        return "an empty JSON list"
    keys = stream.keys
    if _are_ids(keys):
        return COCO_VG_MAP
    if "categories" in keys:
        return COCO_INSTANCES
    if "images" in keys:
        return COCO_OTHER
    shown = ", ".join(keys[:6])
    return f"a JSON object with {shown}" if shown else "an empty JSON object"


def _are_ids(keys: list[str]) -> bool:
    return bool(keys) and all(key.lstrip("-").isdigit() for key in keys)


def _shape(value: Any) -> str:
    if isinstance(value, Mapping):
        return "objects with " + (", ".join(map(str, list(value)[:6])) or "no keys")
    return {"str": "texts", "list": "lists", "dict": "objects"}.get(
        type(value).__name__, "numbers or other values"
    )


def wrong_file(path: Path, expected: str, found: str | None = None) -> DataError:
    """The error for a file of another kind: what it is, and what was expected."""
    return DataError(
        f"this is {found or describe_file(path)}; expected {expected}.",
        where=str(path),
        remedy="Give the right file.",
    )


def require_file(path: Path, expected: str) -> None:
    """Refuse what cannot be a JSON file of the kind expected, before any work is done.

    Raises:
        DataError: the path does not exist, is a folder, is empty or is a binary file.
    """
    if not path.exists():
        raise DataError(f"no such file; expected {expected}.", where=str(path))
    if not path.is_file():
        raise wrong_file(path, expected)
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start not in (b"{", b"["):
        raise wrong_file(path, expected)


def require_folder(folder: Path) -> None:
    """Refuse what is not a folder of pictures.

    Raises:
        DataError: the path does not exist or is not a folder.
    """
    if not folder.exists():
        raise DataError("no such folder; expected the image folder.", where=str(folder))
    if not folder.is_dir():
        raise DataError("this is a file; expected the image folder.", where=str(folder))
