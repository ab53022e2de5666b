"""A gallery: images, captions and annotated instances, read from memory-mapped columns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.datasets import images, masks
from vlmexplain.datasets.checks import ImportSummary
from vlmexplain.datasets.gallery_manifest import GALLERIES, GalleryManifest
from vlmexplain.errors import GalleryError
from vlmexplain.records import ImageAnnotations, Instance
from vlmexplain.results.store import list_results, open_result

__all__ = [
    "Gallery",
    "GalleryCaption",
    "GalleryImage",
    "GalleryManifest",
    "list_galleries",
    "open_gallery",
]

MASKS = "masks.arrow"
_MASK_DECIMALS = 2  # of a pixel, as COCO writes them; takes back what 32 bits rounded
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GalleryImage:
    """One image; sizes are those of the upright picture. Links are http(s) or ""."""

    index: int
    image_id: str
    file_name: str
    width_px: int
    height_px: int
    orientation: int
    content_sha256: str
    licence: str
    licence_url: str
    source_url: str
    coco_url: str
    coco_id: int | None


@dataclass(frozen=True, slots=True)
class GalleryCaption:
    """One caption; ``index`` is its place in the gallery, which queries are named by."""

    index: int
    image_index: int
    caption_id: str
    text: str


class Gallery:
    """The content of one gallery folder; safe to use from many threads.

    Gallery order: images by id (numbers by value), captions by image and id, instances by image.
    """

    def __init__(self, folder: Path, manifest: GalleryManifest):
        self.folder = folder
        self.manifest = manifest
        self.id = manifest.id
        self.name = manifest.name
        self.drawn = manifest.drawn
        self.has_pictures = bool(manifest.images_folder)
        # Without pictures: a folder that is never there, another one for each gallery.
        self.images_folder = Path(manifest.images_folder or folder / "no-pictures")
        self.n_images = manifest.n_images
        self.n_captions = manifest.n_captions
        self.n_instances = manifest.n_instances

    def __repr__(self) -> str:
        return f"Gallery({self.name!r}, {self.id[:12]})"

    @cached_property
    def images_table(self) -> pa.Table:
        """One row an image: image_id, file_name, width_px, height_px, orientation, ..."""
        return self._table("images")

    @cached_property
    def captions_table(self) -> pa.Table:
        """One row a caption: image_index, caption_id, text."""
        return self._table("captions")

    @cached_property
    def instances_table(self) -> pa.Table:
        """One row an instance: image_index, concept_index, name, x, y, w, h, area_px, ..."""
        return self._table("instances")

    @cached_property
    def concepts_table(self) -> pa.Table:
        """One row a concept: synset, gloss, lemma, n_images, n_instances; sorted by synset."""
        return self._table("concepts")

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        """The synsets that occur, sorted."""
        return tuple(self.concepts_table.column("synset").to_pylist())

    @cached_property
    def concept_index(self) -> NDArray[np.int32]:
        """The concept of each instance, int32 [n_instances]; -1 for none."""
        return self._numbers(self.instances_table, "concept_index")

    @cached_property
    def instance_offsets(self) -> NDArray[np.int64]:
        """Image i has the instances offsets[i] .. offsets[i + 1]; int64 [n_images + 1]."""
        return self._offsets(self._numbers(self.instances_table, "image_index"))

    @cached_property
    def caption_offsets(self) -> NDArray[np.int64]:
        """Image i has the captions offsets[i] .. offsets[i + 1]; int64 [n_images + 1]."""
        return self._offsets(self.image_of_caption)

    @cached_property
    def image_of_caption(self) -> NDArray[np.int32]:
        """The image of each caption, int32 [n_captions], ascending."""
        return self._numbers(self.captions_table, "image_index")

    @cached_property
    def path_lengths(self) -> NDArray[np.uint8]:
        """Shortest WordNet paths of all pairs of concepts, uint8 [V, V]; 255 for no path."""
        path = self.folder / "path_lengths.npy"
        with GALLERIES.reading(path):
            table: NDArray[np.uint8] = np.load(path, mmap_mode="r", allow_pickle=False)
        return table

    def image(self, index: int) -> GalleryImage:
        """The image at a place in gallery order."""
        row = self.images_table.slice(self._checked(index, self.n_images, "image"), 1)
        return GalleryImage(index=index, **row.to_pylist()[0])

    def caption(self, index: int) -> GalleryCaption:
        """The caption at a place in gallery order."""
        row = self.captions_table.slice(self._checked(index, self.n_captions, "caption"), 1)
        return GalleryCaption(index=index, **row.to_pylist()[0])

    def captions_of(self, image_index: int) -> tuple[GalleryCaption, ...]:
        """The captions of an image, by caption id."""
        self._checked(image_index, self.n_images, "image")
        first, end = self.caption_offsets[image_index : image_index + 2].tolist()
        rows = self.captions_table.slice(first, end - first).to_pylist()
        return tuple(GalleryCaption(index=first + n, **row) for n, row in enumerate(rows))

    def annotations(self, image_index: int) -> ImageAnnotations:
        """The annotated objects of an image, as the metrics take them."""
        image = self.image(image_index)
        first, end = self.instance_offsets[image_index : image_index + 2].tolist()
        rows = self.instances_table.slice(first, end - first).to_pylist()
        return ImageAnnotations(
            image.width_px, image.height_px, tuple(self._instance(row) for row in rows)
        )

    @cached_property
    def masks_table(self) -> pa.Table | None:
        """One row an instance: polygons, run_lengths; None when the data set had no masks."""
        return self._table("masks") if self.manifest.masks_sha256 else None

    def mask(self, instance: int) -> NDArray[np.bool_] | None:
        """Which pixels of the upright picture the object covers, bool [height_px, width_px].

        Args:
            instance: its row in ``instances_table``.

        Returns:
            None when the data set gives no mask of it; its box is then all there is.
        """
        self._checked(instance, self.n_instances, "instance")
        if self.masks_table is None:
            return None
        (row,) = self.masks_table.slice(instance, 1).to_pylist()
        image = self.image(self.instances_table.column("image_index")[instance].as_py())
        if row["run_lengths"] is not None:
            return masks.run_lengths_mask(row["run_lengths"], image.width_px, image.height_px)
        if row["polygons"] is None:
            return None
        rings = [np.round(np.array(ring), _MASK_DECIMALS).tolist() for ring in row["polygons"]]
        return masks.polygon_mask(rings, image.width_px, image.height_px)

    def read_rgb(self, image_index: int) -> Image.Image:
        """The picture upright and in RGB, if it still is the one that was imported.

        Raises:
            PictureError: the file is missing, damaged, or has changed since the import, or the
                gallery was imported without pictures.
            GalleryError: the image folder is not there any more.
        """
        image = self.image(image_index)
        if not self.has_pictures:
            raise images.NoPictures(
                "the gallery was imported without pictures.",
                where=self.name,
                remedy="Import it again with --images DIR.",
            )
        return self._with_folder(
            lambda: images.read_rgb(self.images_folder, image.file_name, image.content_sha256)
        )

    def browser_bytes(self, image_index: int) -> tuple[bytes, str]:
        """Bytes and MIME type for a browser, of the picture that was imported.

        Of a gallery without pictures: an empty frame of the right size.

        Raises:
            PictureError, GalleryError: as `read_rgb`.
        """
        image = self.image(image_index)
        if not self.has_pictures:
            return images.empty_frame(image.width_px, image.height_px), "image/png"
        return self._with_folder(
            lambda: images.browser_bytes(self.images_folder, image.file_name, image.content_sha256)
        )

    def shown_rgb(self, image_index: int) -> Image.Image:
        """The picture, or the empty frame that stands for it; raises as `read_rgb`."""
        if self.has_pictures:
            return self.read_rgb(image_index)
        frame = Image.open(io.BytesIO(self.browser_bytes(image_index)[0]))
        return frame.convert("RGB")

    def checks(self) -> ImportSummary:
        """What the import took, left out and flagged."""
        path = self.folder / "checks.json"
        with GALLERIES.reading(path):
            return ImportSummary.from_json(json.loads(path.read_bytes()))

    def _instance(self, row: dict[str, Any]) -> Instance:
        concept, x = row["concept_index"], row["x"]
        return Instance(
            synset=self.concepts[concept] if concept >= 0 else None,
            box_xywh_px=None if x != x else (x, row["y"], row["w"], row["h"]),  # NaN: no box
            crowd=row["crowd"],
            name=row["name"],
        )

    def _with_folder(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except images.MissingPicture as error:
            if self.images_folder.is_dir():
                raise
            raise GalleryError(
                f"the image folder of gallery {self.name!r} is not there any more.",
                where=str(self.images_folder),
                remedy=f"Say where it is now: vlmexplain gallery relocate {self.name} --images DIR",
            ) from error

    def _checked(self, index: int, total: int, kind: str) -> int:
        if not 0 <= index < total:
            raise GalleryError(
                f"no {kind} {index}: the gallery has {total:,} ({kind} 0 to {total - 1}).",
                where=self.name,
            )
        return index

    def _table(self, name: str) -> pa.Table:
        path = self.folder / f"{name}.arrow"
        with GALLERIES.reading(path):
            return pa.ipc.open_file(pa.memory_map(str(path), "r")).read_all()

    def _numbers(self, table: pa.Table, name: str) -> NDArray[np.int32]:
        column: NDArray[np.int32] = table.column(name).to_numpy()
        return column

    def _offsets(self, image_index: NDArray[np.int32]) -> NDArray[np.int64]:
        return np.searchsorted(image_index, np.arange(self.n_images + 1)).astype(np.int64)


def list_galleries() -> list[GalleryManifest]:
    """The manifests of all galleries that can be opened, the latest first."""
    return [stored.manifest for stored in list_results(GALLERIES)]


def open_gallery(name_or_id: str) -> Gallery:
    """The gallery of that id, that name, or id prefix.

    Raises:
        UnknownName: there is none; near matches are offered.
        GalleryError: it is damaged or of a newer format, or the name or prefix fits several.
    """
    stored = open_result(GALLERIES, name_or_id)
    return Gallery(stored.folder, stored.manifest)
