"""What the files of an import have said so far, whatever their form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vlmexplain.datasets.caption_records import CaptionRecords
from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.gallery_manifest import SourceFile
from vlmexplain.datasets.importing import Kept
from vlmexplain.datasets.instance_records import InstanceRecords, Meaning
from vlmexplain.datasets.listed_images import ListedImage
from vlmexplain.datasets.segmentation_records import SegmentationRecords
from vlmexplain.records import ProgressCallback


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table that hold images and captions; None: known by their names."""

    image: str | None = None
    caption: str | None = None


@dataclass(slots=True)
class Draft:
    """The images, captions and annotations read so far; the reader of a form adds to it.

    Attributes:
        log, progress: as in every import.
        split: only this split of the files, None for all.
        columns: which columns of a table to take.
        listed: images by id.
        passed_over: ids of images that were not asked for.
        meanings: what the kinds of annotations stand for, called once all files are read.
        coco_categories: id -> name and synset, as one COCO file gave them.
        named: the images that Visual Genome's files name, in order.
        aliases: Visual Genome's names that stand for others.
        splits: the splits that records name.
    """

    log: CheckLog
    progress: ProgressCallback
    split: str | None = None
    columns: Columns = field(default_factory=Columns)
    listed: dict[str, ListedImage] = field(default_factory=dict)
    passed_over: set[str] = field(default_factory=set)
    captions: CaptionRecords = field(default_factory=CaptionRecords)
    instances: InstanceRecords[Any] = field(default_factory=InstanceRecords)
    meanings: Callable[[], Callable[[Any], Meaning | None]] = lambda: lambda kind: None
    segmentations: SegmentationRecords = field(default_factory=SegmentationRecords)
    sources: list[SourceFile] = field(default_factory=list)
    drawn: bool = False
    choose: Callable[[Kept], Kept] = lambda kept: kept
    coco_categories: dict[str, tuple[str, str]] = field(default_factory=dict)
    coco_meanings: dict[str, Meaning] = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    splits: set[str] = field(default_factory=set)

    def list_image(self, image: ListedImage) -> None:
        """Take an image that a file names; the first word about it counts."""
        self.listed.setdefault(image.image_id, image)

    def pass_over(self, image_id: str) -> None:
        """Leave out an image that was not asked for, and count it."""
        if image_id not in self.passed_over:
            self.passed_over.add(image_id)
            self.log.add("image-not-chosen", image_id)

    def keep_only(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """Pass over every image whose id and file name are not wanted; those wanted in vain."""
        left = set(wanted)
        asked = frozenset(left)
        for image_id, image in list(self.listed.items()):
            found = asked & {image_id, image.file_name}
            left -= found
            if not found:
                del self.listed[image_id]
                self.pass_over(image_id)
        return tuple(sorted(left))
