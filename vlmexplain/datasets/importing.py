"""What every import does once its files are read: look at the pictures, put it all together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlmexplain.datasets.boxes import edge_flags, possible_duplicates
from vlmexplain.datasets.caption_records import CaptionRecords
from vlmexplain.datasets.checks import CheckLog, InstanceFlag
from vlmexplain.datasets.columns import GalleryColumns, ImageColumns, InstanceColumns
from vlmexplain.datasets.found_pictures import PictureFinder
from vlmexplain.datasets.gallery import Gallery, open_gallery
from vlmexplain.datasets.gallery_concepts import WordNetLike
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.gallery_writer import write_gallery
from vlmexplain.datasets.images import PictureFacts
from vlmexplain.datasets.import_request import ImportRequest
from vlmexplain.datasets.instance_records import InstanceRecords, Meaning, instance_name
from vlmexplain.datasets.listed_images import ListedImage, frames, readable_pictures, shown_grid
from vlmexplain.datasets.orientation import upright_boxes
from vlmexplain.datasets.record_ids import id_order
from vlmexplain.datasets.segmentation_records import SegmentationRecords, write_masks
from vlmexplain.errors import DataError
from vlmexplain.records import Progress, ProgressCallback

Kept = list[tuple[ListedImage, PictureFacts]]


@dataclass(frozen=True, slots=True)
class ReadData:
    """What the annotation files of an import say, whatever their format.

    Attributes:
        listed: the images by id.
        instances, meaning_of: the annotations, and what their kinds stand for.
        captions: the captions; ``caption_key`` is by what they name their image.
        sources: the files that were read.
        drawn: True for the drawn demo world.
        choose: which of the images with a readable picture (sorted by id) are taken.
        passed_over: ids of images that were not asked for; what belongs to them is no finding.
        segmentations: of the annotations, where the format has any.
    """

    listed: Mapping[str, ListedImage]
    instances: InstanceRecords[Any]
    meaning_of: Callable[[Any], Meaning | None]
    captions: CaptionRecords
    sources: Sequence[SourceFile]
    drawn: bool = False
    caption_key: Callable[[ListedImage], str | None] = lambda image: image.image_id
    choose: Callable[[Kept], Kept] = lambda kept: kept
    passed_over: Collection[str] = frozenset()
    segmentations: SegmentationRecords | None = None


def finish(
    data: ReadData,
    request: ImportRequest,
    request_key: str,
    log: CheckLog,
    wordnet: WordNetLike,
    progress: ProgressCallback,
) -> Gallery:
    """Look at the pictures, put images, instances and captions together, write the gallery.

    Raises:
        DataError: no picture can be read.
    """
    if not data.listed:
        raise DataError("the files list no image.", where=data.sources[0].path)
    in_order = [data.listed[i] for i in sorted(data.listed, key=id_order)]
    if request.images is None:
        kept = frames(in_order, log, data.instances.reach_px())
    else:
        kept = readable_pictures(
            in_order, request.images, verify=request.verify, log=log, progress=progress
        )
        if not kept:
            raise _nothing_readable(in_order, request.images, log)
    progress(Progress("Checking the annotations", 0, len(data.instances), "annotations"))
    kept = data.choose(kept)
    columns = gallery_columns(data, kept, log)
    summary = log.summary(
        images=len(columns.images.image_id),
        captions=len(columns.captions.text),
        annotations=len(columns.instances.image_index),
        concepts=len(np.unique(columns.instances.synset_code[columns.instances.synset_code >= 0])),
    )
    gallery_id = write_gallery(
        columns,
        name=request.name,
        images_folder=request.images,
        summary=summary,
        wordnet=wordnet,
        sources=data.sources,
        options=request.options(),
        request_key=request_key,
        write_masks=_mask_writer(data, kept),
        progress=progress,
    )
    return open_gallery(gallery_id)


def _mask_writer(data: ReadData, kept: Kept) -> Callable[[Path, pa.Table], None] | None:
    """Writes the masks of a gallery's instances; None where the files have none."""
    records = data.segmentations
    if not records:
        return None
    in_order = sorted(kept, key=lambda one: id_order(one[0].image_id))
    grids = [shown_grid(listed, facts) for listed, facts in in_order]
    return lambda path, instances: write_masks(path, records, instances, grids)


def gallery_columns(data: ReadData, kept: Kept, log: CheckLog) -> GalleryColumns:
    """The columns of the images taken, with their instances and captions, checked."""
    images = image_columns(kept, log)
    instances = instance_columns(data, kept, log)
    keys = {key: n for n, (image, _) in enumerate(kept) if (key := data.caption_key(image))}
    listed_keys = {key for image in data.listed.values() if (key := data.caption_key(image))}
    captions = data.captions.columns(keys, listed_keys, log, data.passed_over)
    for code, used in (
        ("image-no-annotations", instances.image_index),
        ("image-no-captions", captions.image_index),
    ):
        without = np.flatnonzero(np.bincount(used, minlength=len(kept)) == 0)
        log.add_many(code, without.size, (kept[i][0].image_id for i in without))
    return GalleryColumns(images, captions, instances, data.drawn)


def image_columns(kept: Kept, log: CheckLog) -> ImageColumns:
    """Columns of the images whose pictures can be read, sorted by nothing in particular."""
    grids = [shown_grid(listed, facts) for listed, facts in kept]
    seen: dict[str, str] = {}
    for (listed, facts), grid in zip(kept, grids, strict=True):
        for code in grid.codes:
            log.add(code, listed.image_id)
        if facts.converted:
            log.add("image-converted", listed.image_id)
        first = seen.setdefault(facts.content_sha256, listed.image_id)
        if facts.content_sha256 and first != listed.image_id:
            log.add("image-same-picture", f"{listed.image_id} = {first}")
    return ImageColumns(
        image_id=[listed.image_id for listed, _ in kept],
        file_name=[listed.file_name for listed, _ in kept],
        width_px=np.array([g.width_px for g in grids], np.int32),
        height_px=np.array([g.height_px for g in grids], np.int32),
        orientation=np.array([facts.orientation for _, facts in kept], np.int8),
        content_sha256=[facts.content_sha256 for _, facts in kept],
        licence=[listed.licence for listed, _ in kept],
        licence_url=[listed.licence_url for listed, _ in kept],
        source_url=[listed.source_url for listed, _ in kept],
        coco_url=[listed.coco_url for listed, _ in kept],
        coco_id=[listed.coco_id for listed, _ in kept],
    )


def instance_columns(data: ReadData, kept: Kept, log: CheckLog) -> InstanceColumns:
    """The instances of the kept images, in the upright grid, checked and flagged."""
    index_of = {listed.image_id: n for n, (listed, _) in enumerate(kept)}
    columns = data.instances.columns(index_of, data.listed, data.meaning_of, log, data.passed_over)
    grids = [shown_grid(listed, facts) for listed, facts in kept]
    image = columns.image_index

    def of_image(value: Callable[[Any], float]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = np.array([value(g) for g in grids], np.float64)[image]
        return values

    box = columns.box.copy()
    box[:, [0, 2]] *= of_image(lambda g: g.scale_x)[:, None]
    box[:, [1, 3]] *= of_image(lambda g: g.scale_y)[:, None]
    turned = of_image(lambda g: g.box_orientation).astype(np.int8)
    box = upright_boxes(
        box, of_image(lambda g: g.grid_width_px), of_image(lambda g: g.grid_height_px), turned
    )
    flags = columns.flags | edge_flags(
        box, of_image(lambda g: g.width_px), of_image(lambda g: g.height_px)
    )
    concept = np.where(columns.crowd, -1, columns.synset_code)
    flags[possible_duplicates(box, image, concept)] |= InstanceFlag.POSSIBLE_DUPLICATE.value
    flags[columns.crowd] |= InstanceFlag.BOX_OF_CROWD.value
    for flag in InstanceFlag:
        rows = np.flatnonzero(flags & flag.value)
        log.add_many(flag.code, rows.size, map(instance_name, columns.instance_id[rows]))
    return replace(columns, box=box, flags=flags)


def _nothing_readable(listed: Sequence[ListedImage], images: Path, log: CheckLog) -> DataError:
    findings = log.summary().of("left-out")
    reasons = ", ".join(
        f"{f.code} {f.count:,}"
        for f in findings
        if f.check.about == "image" and f.code != "image-not-chosen"
    )
    there = PictureFinder(images).some_picture()
    exists = f"a picture that is there: {there!r}" if there else "no picture is there"
    return DataError(
        f"none of the {len(listed):,} pictures listed can be read ({reasons}): tried "
        f"{listed[0].file_name!r}; {exists}.",
        where=str(images),
        remedy="Is it the right image folder?",
    )
