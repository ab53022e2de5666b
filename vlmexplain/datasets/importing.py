"""What every import does once its files are read: look at the pictures, put it all together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlmexplain import storage
from vlmexplain.datasets.boxes import edge_flags, possible_duplicates
from vlmexplain.datasets.caption_records import CaptionRecords
from vlmexplain.datasets.checks import CheckLog, InstanceFlag
from vlmexplain.datasets.columns import GalleryColumns, ImageColumns, InstanceColumns
from vlmexplain.datasets.gallery import Gallery, list_galleries, open_gallery
from vlmexplain.datasets.gallery_manifest import SourceFile, galleries_folder
from vlmexplain.datasets.gallery_writer import WordNetLike, write_gallery
from vlmexplain.datasets.images import PictureFacts
from vlmexplain.datasets.instance_records import InstanceRecords, Meaning, instance_name
from vlmexplain.datasets.listed_images import ListedImage, readable_pictures, shown_grid
from vlmexplain.datasets.orientation import upright_boxes
from vlmexplain.datasets.record_ids import id_order
from vlmexplain.errors import DataError
from vlmexplain.records import Progress, ProgressCallback

Kept = list[tuple[ListedImage, PictureFacts]]
Verify = Literal["decode", "header"]


@contextmanager
def one_at_a_time(request: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Hold the lock of a request; gives its key, and the gallery another process just made of it.

    Two processes that ask for the same import at once do it once: the second waits, and finds
    the gallery that the first published meanwhile.
    """
    key = storage.content_key(request)
    before = _made_by(key)
    with storage.locked(galleries_folder() / f"import-{key[:16]}"):
        meanwhile = _made_by(key) - before
        yield key, max(meanwhile)[1] if meanwhile else None


def _made_by(request_key: str) -> set[tuple[float, str]]:
    """When the request was last carried out, and the gallery that came of it."""
    return {(m.created_s, m.id) for m in list_galleries() if m.request_key == request_key}


def file_stamp(path: Path | None) -> list[Any] | None:
    """What tells a file from another or from an older one: path, size and time of change."""
    if path is None:
        return None
    about = path.stat()
    return [str(path.absolute()), about.st_size, about.st_mtime_ns]


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
        if first != listed.image_id:
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


def instance_columns(
    records: InstanceRecords[Any],
    meaning_of: Callable[[Any], Meaning | None],
    kept: Kept,
    listed_ids: Collection[str],
    log: CheckLog,
) -> InstanceColumns:
    """The instances of the kept images, in the upright grid, checked and flagged."""
    index_of = {listed.image_id: n for n, (listed, _) in enumerate(kept)}
    columns = records.columns(index_of, listed_ids, meaning_of, log)
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


def finish(
    listed: Mapping[str, ListedImage],
    instances: InstanceRecords[Any],
    meaning_of: Callable[[Any], Meaning | None],
    captions: CaptionRecords,
    *,
    images: Path,
    name: str,
    verify: Verify,
    log: CheckLog,
    wordnet: WordNetLike,
    drawn: bool,
    sources: Sequence[SourceFile],
    request: tuple[str, dict[str, Any]],
    progress: ProgressCallback,
    choose: Callable[[Kept], Kept] = lambda kept: kept,
    caption_key: Callable[[ListedImage], str | None] = lambda image: image.image_id,
) -> Gallery:
    """Look at the pictures, put images, instances and captions together, write the gallery.

    Args:
        listed: the images by id.
        instances, meaning_of: the annotations, and what their kinds stand for.
        captions: the captions; ``caption_key`` is by what they name their image.
        choose: which of the images with a readable picture are taken.
        request: the request's key and options, for the manifest.

    Raises:
        DataError: no picture can be read.
    """
    if not listed:
        raise DataError("the files list no image.", where=sources[0].path)
    in_order = [listed[i] for i in sorted(listed, key=id_order)]
    kept = readable_pictures(in_order, images, verify=verify, log=log, progress=progress)
    if not kept:
        raise _nothing_readable(len(listed), images, log)
    kept = choose(kept)
    progress(Progress("Checking the annotations", 0, len(instances), "annotations"))
    image_part = image_columns(kept, log)
    instance_part = instance_columns(instances, meaning_of, kept, listed, log)
    keys = {key: n for n, (image, _) in enumerate(kept) if (key := caption_key(image))}
    listed_keys = {key for image in in_order if (key := caption_key(image))}
    caption_part = captions.columns(keys, listed_keys, log)
    for code, used in (
        ("image-no-annotations", instance_part.image_index),
        ("image-no-captions", caption_part.image_index),
    ):
        without = np.flatnonzero(np.bincount(used, minlength=len(kept)) == 0)
        log.add_many(code, without.size, (kept[i][0].image_id for i in without))
    summary = log.summary(
        images=len(kept),
        captions=len(caption_part.text),
        annotations=len(instance_part.image_index),
        concepts=len(set(instance_part.synset_code.tolist()) - {-1}),
    )
    gallery_id = write_gallery(
        GalleryColumns(image_part, caption_part, instance_part, drawn),
        name=name,
        images_folder=images,
        summary=summary,
        wordnet=wordnet,
        sources=sources,
        options=request[1],
        request_key=request[0],
        progress=progress,
    )
    return open_gallery(gallery_id)


def _nothing_readable(n_listed: int, images: Path, log: CheckLog) -> DataError:
    findings = log.summary().of("left-out")
    reasons = ", ".join(f"{f.code} {f.count:,}" for f in findings if f.check.about == "image")
    return DataError(
        f"none of the {n_listed:,} pictures listed can be read ({reasons}).",
        where=str(images),
        remedy="Is it the right image folder?",
    )
