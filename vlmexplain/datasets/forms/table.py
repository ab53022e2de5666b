"""The forms of data, each once: how it is recognised and who reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from vlmexplain.datasets.file_kinds import (
    VG_ATTRIBUTES,
    VG_IMAGE_DATA,
    VG_OBJECTS,
    VG_REGIONS,
    VG_RELATIONSHIPS,
    VG_SCENE_GRAPHS,
    describe_file,
)
from vlmexplain.datasets.forms import coco_family, karpathy, text_tables, vg_family
from vlmexplain.datasets.forms.draft import Draft
from vlmexplain.datasets.forms.peek import Peek, peek
from vlmexplain.errors import DataError

Family = Literal["coco", "vg", "table"]


@dataclass(frozen=True, slots=True)
class Form:
    """One form of data file.

    Attributes:
        key: stable name, for scripts.
        title: what a reader calls it.
        family: forms of one family can be one gallery.
        recognise: whether a file looks like it; the first form of the table that says so is it.
        read: adds what the file says to a draft.
        gives: what comes of it.
        instead_of: forms whose files are passed over when one of this form lies beside them.
    """

    key: str
    title: str
    family: Family
    recognise: Callable[[Peek], bool]
    read: Callable[[Path, Draft], None]
    gives: str
    instead_of: tuple[str, ...] = ()


def _vg(*kinds: str) -> Callable[[Peek], bool]:
    return partial(_is_vg, kinds)


def _is_vg(kinds: tuple[str, ...], seen: Peek) -> bool:
    return vg_family.is_kind(seen, *kinds)


def _is_aliases(seen: Peek) -> bool:
    return seen.suffix == ".txt" and "alias" in seen.path.stem.lower()


FORMS: tuple[Form, ...] = (
    Form("coco-panoptic", "COCO panoptic", "coco", coco_family.is_panoptic,
         coco_family.take_panoptic, "segments as objects; stuff is there, without a count"),
    Form("coco-captions", "COCO captions", "coco", coco_family.is_captions,
         coco_family.take_captions, "captions"),
    Form("lvis", "LVIS instances", "coco", coco_family.is_lvis,
         coco_family.take_instances, "objects with the file's own synsets"),
    Form("coco-instances", "COCO instances (also stuff and keypoints)", "coco",
         coco_family.is_instances, coco_family.take_instances, "objects with boxes and masks",
         instead_of=("coco-panoptic",)),
    Form("karpathy", "Karpathy's data set (COCO, Flickr30k)", "coco", karpathy.is_karpathy,
         karpathy.take_karpathy, "captions, with splits", instead_of=("coco-captions",)),
    Form("coco-images", "COCO images alone", "coco", coco_family.is_images,
         coco_family.take_images, "images"),
    Form("vg-scene-graphs", VG_SCENE_GRAPHS, "vg", _vg(VG_SCENE_GRAPHS), vg_family.take_objects,
         "objects", instead_of=("vg-objects", "vg-attributes", "vg-relationships")),
    Form("vg-objects", VG_OBJECTS, "vg", _vg(VG_OBJECTS), vg_family.take_objects, "objects",
         instead_of=("vg-attributes", "vg-relationships")),
    Form("vg-attributes", VG_ATTRIBUTES, "vg", _vg(VG_ATTRIBUTES), vg_family.take_objects,
         "objects", instead_of=("vg-relationships",)),
    Form("vg-relationships", VG_RELATIONSHIPS, "vg", _vg(VG_RELATIONSHIPS),
         vg_family.take_relationships, "the objects at both ends"),
    Form("vg-regions", VG_REGIONS, "vg", _vg(VG_REGIONS), vg_family.take_regions, "captions"),
    Form("vg-image-data", VG_IMAGE_DATA, "vg", _vg(VG_IMAGE_DATA), vg_family.take_image_data,
         "sizes, links and COCO ids"),
    Form("vg-aliases", "Visual Genome object aliases", "vg", _is_aliases,
         vg_family.take_aliases, "which names stand for which"),
    Form("flickr-token", "Flickr's token file", "table", text_tables.is_token_file,
         text_tables.take_token_file, "captions"),
    Form("table", "a table (CSV, TSV, JSON Lines, Parquet, Hugging Face folder)", "table",
         text_tables.is_table, text_tables.take_table, "captions"),
)  # fmt: skip

IMAGES_ALONE = "images"
"""The form of a folder that holds pictures and nothing about them."""


def recognise(path: Path) -> Form:
    """The form of a file.

    Raises:
        DataError: it is none of the table, or cannot be read.
    """
    seen = peek(path)
    for form in FORMS:
        if form.recognise(seen):
            return form
    what = describe_file(path)
    raise DataError(
        f"this is {what}, none of the forms that can be imported.",
        where=str(path),
        remedy="Known: " + "; ".join(form.title for form in FORMS) + ".",
    )
