"""The data checks: every code once, with what it means, what becomes of the thing, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag
from typing import Any, Literal

Severity = Literal["taken", "flagged", "left-out"]
"""taken: used, after a harmless change. flagged: used, but look at it. left-out: not used."""

IDS_KEPT = 1000
"""So many ids are kept for each code; the count is always exact."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that can be found in the data.

    Attributes:
        code: stable name, for scripts.
        severity: what becomes of the thing found.
        about: what kind of thing its ids name.
        sentence: what was found and what becomes of it.
        remedy: what the user can do; empty when nothing needs doing.
    """

    code: str
    severity: Severity
    about: Literal["image", "annotation", "caption", "category"]
    sentence: str
    remedy: str = ""


_FETCH = "Fetch the file again."
CHECKS: dict[str, Check] = {
    check.code: check
    for check in (
        # pictures
        Check("image-missing", "left-out", "image", "There is no such file in the image folder.",
              "Put the file there, or give the right folder."),
        Check("image-outside-folder", "left-out", "image",
              "The file name leads out of the image folder, so it is not read.",
              "Give names relative to the folder, without '..' and links."),
        Check("image-empty", "left-out", "image", "The file has no bytes.", _FETCH),
        Check("image-not-a-picture", "left-out", "image",
              "The file is not a picture that can be read.",
              "Give JPEG, PNG, GIF, BMP, WebP, TIFF or AVIF."),
        Check("image-truncated", "left-out", "image", "The picture breaks off or is damaged.",
              _FETCH),
        Check("image-too-large", "left-out", "image",
              "The picture has too many pixels and was not decoded.", "Scale it down."),
        Check("image-pixel-format", "left-out", "image",
              "The picture has 32-bit pixels, whose range of values is unknown.",
              "Save it with 8 or 16 bits a channel."),
        Check("image-unreadable", "left-out", "image", "The file cannot be read.",
              "Check its permissions."),
        Check("image-none", "left-out", "image",
              "The gallery was imported without pictures.", "Import it again with --images."),
        Check("image-changed", "left-out", "image",
              "The file is not the one that was imported.",
              "Put the old file back, or import the data again."),
        Check("image-incomplete", "left-out", "image",
              "The record has no usable id or no file name."),
        Check("image-repeated", "left-out", "image",
              "The same record again; the image is taken once."),
        Check("image-id-conflict", "left-out", "image",
              "Two records with one id name different files, so nobody can say which of them the "
              "annotations mean.", "Give each image its own id."),
        Check("image-second-of-coco-image", "left-out", "image",
              "Another Visual Genome image with a lower id is the same COCO image; that one is "
              "taken."),
        Check("image-rotated", "taken", "image",
              "The picture carries an EXIF orientation: it is shown upright, and its boxes, given "
              "in the stored grid, are turned with it."),
        Check("image-converted", "taken", "image",
              "The picture is not plain RGB (gray, CMYK, palette, transparency, 16 bit): it is "
              "read as RGB, on white."),
        Check("image-boxes-upright", "flagged", "image",
              "The size given with the annotations is that of the upright picture, not of the "
              "stored grid, so the boxes are not turned."),
        Check("image-size-differs", "flagged", "image",
              "The picture has another size than its annotations say; boxes are scaled."),
        Check("image-same-picture", "flagged", "image",
              "Another image has exactly the same file content: no model can tell them apart."),
        Check("image-no-captions", "flagged", "image",
              "No caption: the image can be retrieved, but no query looks for it."),
        Check("image-no-annotations", "flagged", "image",
              "No annotated object: metrics are undefined for it."),
        Check("image-no-coco-image", "flagged", "image",
              "No COCO image belongs to it (coco_id is null, -1 or absent): no COCO captions."),
        Check("image-shares-coco-image", "flagged", "image",
              "Several Visual Genome images are this one's COCO image; this one, with the lowest "
              "id, is taken."),
        Check("image-coco-id-disagrees", "flagged", "image",
              "image_data.json and the COCO-id map name different COCO images; image_data.json "
              "counts."),
        Check("image-link-dropped", "flagged", "image",
              "The source link is not an http address and is not kept."),
        Check("image-not-chosen", "left-out", "image",
              "Not among the images asked for (a split, or a list of ids)."),
        Check("image-asked-in-vain", "left-out", "image",
              "Asked for in the list of images, and not in the data."),
        Check("image-size-unknown", "flagged", "image",
              "No picture was read and no size is given: the frame reaches as far as the boxes, "
              "so areas relative to the image say little."),
        Check("name-address", "taken", "image",
              "The file name is an address; the picture was found by the path in it."),
        Check("name-separator", "taken", "image",
              "The file name has backslashes; they were read as slashes."),
        Check("name-leading-folders", "taken", "image",
              "The picture was found without the leading folders of its name."),
        Check("name-letter-case", "taken", "image",
              "The picture was found under a name with other capitals."),
        Check("name-unicode-form", "taken", "image",
              "The picture was found under the same name in another Unicode form."),
        Check("name-one-level-down", "taken", "image",
              "The picture was found in a folder inside the image folder."),
        # annotations
        Check("annotation-incomplete", "left-out", "annotation",
              "The record is not an object, or has no image id."),
        Check("annotation-unlisted-image", "left-out", "annotation",
              "Its image is not listed."),
        Check("annotation-of-left-out-image", "left-out", "annotation",
              "Its image was left out."),
        Check("annotation-unknown-category", "left-out", "annotation",
              "Its category is not listed.", "Add the category to the file."),
        Check("annotation-repeated", "left-out", "annotation",
              "The same annotation again; it is counted once."),
        Check("annotation-id-reused", "flagged", "annotation",
              "Different annotations carry one id; all are taken."),
        Check("box-missing", "flagged", "annotation", "No box: it counts, but has no size."),
        Check("box-malformed", "flagged", "annotation",
              "The box is not four numbers: the object counts, but has no box and no size."),
        Check("box-out-of-range", "flagged", "annotation",
              "The box has numbers that are not finite or beyond ten million: the object counts, "
              "but has no box and no size."),
        Check("box-zero", "flagged", "annotation",
              "The box has no width or no height: the object counts, but has no size."),
        Check("box-negative", "flagged", "annotation",
              "The box has a negative width or height: the object counts, but has no size."),
        Check("box-past-edge", "flagged", "annotation",
              "The box runs more than half a pixel past the edge; only the part inside the "
              "picture counts for its area."),
        Check("box-outside", "flagged", "annotation",
              "The box lies outside the picture: the object counts, but has no size."),
        Check("box-of-crowd", "taken", "annotation",
              "A crowd region: the concept is present, how many there are is unknown, and the "
              "region has no size of its own."),
        Check("possible-duplicate", "flagged", "annotation",
              "Its box is almost the same (IoU at least 0.9) as another's of the same concept; "
              "both are counted, as annotated."),
        Check("mask-unusable", "flagged", "annotation",
              "The segmentation is neither polygons nor run lengths that fit: no mask; the box "
              "is taken."),
        Check("synset-several", "taken", "annotation",
              "Several synsets are given; the first is taken."),
        Check("synset-by-name", "taken", "annotation",
              "No synset is given; it was looked up by the object's name."),
        Check("synset-unknown", "flagged", "annotation",
              "The synset given is not in WordNet 3.0: no synset."),
        Check("synset-none", "flagged", "annotation",
              "No synset is given, and the name has none: the concept metrics cannot see it."),
        # captions
        Check("caption-trimmed", "taken", "caption", "Blanks at the ends were removed."),
        Check("caption-repeated", "left-out", "caption",
              "The image already has this very caption; it is kept once."),
        Check("caption-empty", "left-out", "caption", "The caption is empty."),
        Check("caption-not-text", "left-out", "caption", "The caption is not text."),
        Check("caption-incomplete", "left-out", "caption",
              "The record is not an object, or has no image id."),
        Check("caption-unlisted-image", "left-out", "caption", "Its image is not listed."),
        Check("caption-of-left-out-image", "left-out", "caption", "Its image was left out."),
        Check("caption-id-reused", "flagged", "caption",
              "Different captions carry one id; all are taken."),
        Check("caption-damaged-text", "flagged", "caption",
              "It holds halves of characters, which were replaced by U+FFFD."),
        # categories
        Check("category-incomplete", "left-out", "category", "No usable id or no name."),
        Check("category-id-conflict", "left-out", "category",
              "Two categories carry this id, so its annotations are of an unknown category."),
        Check("category-synset-unknown", "flagged", "category",
              "The synset given is not in WordNet 3.0: no synset.",
              "Name a WordNet 3.0 synset such as dog.n.01."),
        Check("category-synset-by-name", "flagged", "category",
              "Not in the table of synsets; it was looked up by name.",
              "Check it, or give a table of your own."),
        Check("category-synset-none", "flagged", "category",
              "No synset is known for it: the concept metrics cannot see its objects.",
              "Give a table of your own."),
    )
}  # fmt: skip


class InstanceFlag(IntFlag):
    """What was found about one instance; bits of the gallery's ``flags`` column."""

    BOX_MISSING = 1
    BOX_MALFORMED = 2
    BOX_OUT_OF_RANGE = 4
    BOX_ZERO = 8
    BOX_NEGATIVE = 16
    BOX_PAST_EDGE = 32
    BOX_OUTSIDE = 64
    BOX_OF_CROWD = 128
    POSSIBLE_DUPLICATE = 256
    SYNSET_SEVERAL = 512
    SYNSET_BY_NAME = 1024
    SYNSET_UNKNOWN = 2048
    SYNSET_NONE = 4096
    ANNOTATION_ID_REUSED = 8192

    @property
    def code(self) -> str:
        """The check code of a single flag.

        >>> InstanceFlag.BOX_ZERO.code
        'box-zero'
        """
        return (self.name or "").lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Finding:
    """How often a check was met: the exact ``count``, and the first `IDS_KEPT` ids."""

    code: str
    count: int
    ids: tuple[str, ...]

    @property
    def check(self) -> Check:
        """What the code means."""
        return CHECKS[self.code]


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import took, left out and flagged.

    Attributes:
        taken: how many images, captions, annotations and concepts the gallery has.
        findings: by code, in the order in which the codes are declared.
    """

    taken: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of one severity."""
        return tuple(f for f in self.findings if f.check.severity == severity)

    def count(self, code: str) -> int:
        """How often the check ``code`` was met."""
        assert code in CHECKS, code
        return sum(f.count for f in self.findings if f.code == code)

    def ids(self, code: str) -> tuple[str, ...]:
        """The first `IDS_KEPT` ids for which the check ``code`` was met."""
        assert code in CHECKS, code
        return tuple(i for f in self.findings if f.code == code for i in f.ids)

    def text(self, ids_shown: int = 5) -> str:
        """The summary for a terminal, one line a code."""
        numbers = ", ".join(f"{n:,} {what}" for what, n in self.taken)
        lines = [f"Taken: {numbers}."]
        headings: tuple[tuple[Severity, str], ...] = (
            ("left-out", "Left out"),
            ("flagged", "Taken, but look at"),
            ("taken", "Taken after a change"),
        )
        for severity, heading in headings:
            findings = self.of(severity)
            if findings:
                lines += [f"{heading}:", *(_line(f, ids_shown) for f in findings)]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """As a JSON value; `from_json` is the way back."""
        return {
            "taken": dict(self.taken),
            "findings": [
                {
                    "code": f.code,
                    "severity": f.check.severity,
                    "about": f.check.about,
                    "count": f.count,
                    "ids": list(f.ids),
                    "sentence": f.check.sentence,
                    "remedy": f.check.remedy,
                }
                for f in self.findings
            ],
        }

    @staticmethod
    def from_json(value: dict[str, Any]) -> ImportSummary:
        """From what `to_json` gave; codes that this version does not know are passed over."""
        return ImportSummary(
            tuple((str(k), int(n)) for k, n in value["taken"].items()),
            tuple(
                Finding(f["code"], int(f["count"]), tuple(map(str, f["ids"])))
                for f in value["findings"]
                if f["code"] in CHECKS
            ),
        )


def _line(finding: Finding, ids_shown: int) -> str:
    shown = ", ".join(finding.ids[:ids_shown])
    more = ", ..." if finding.count > min(len(finding.ids), ids_shown) else ""
    remedy = f" {finding.check.remedy}" if finding.check.remedy else ""
    ids = f" [{finding.check.about} {shown}{more}]" if shown else ""
    return f"  {finding.count:>7,}  {finding.code}: {finding.check.sentence}{remedy}{ids}"


class CheckLog:
    """Collects findings while an import runs; ``summary`` freezes them."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._ids: dict[str, list[str]] = {}

    def add(self, code: str, thing: object) -> None:
        """Count one thing, named by its id."""
        assert code in CHECKS, code
        self._counts[code] = self._counts.get(code, 0) + 1
        ids = self._ids.setdefault(code, [])
        if len(ids) < IDS_KEPT:
            ids.append(_printable(thing))

    def add_many(self, code: str, count: int, things: Iterable[object]) -> None:
        """Count ``count`` things at once; no more of ``things`` are read than are kept."""
        assert code in CHECKS, code
        if count:
            self._counts[code] = self._counts.get(code, 0) + count
            ids = self._ids.setdefault(code, [])
            for thing in things:
                if len(ids) >= IDS_KEPT:
                    break
                ids.append(_printable(thing))

    def summary(self, **taken: int) -> ImportSummary:
        """What was found so far, in the order in which the codes are declared."""
        return ImportSummary(
            tuple(taken.items()),
            tuple(
                Finding(code, self._counts[code], tuple(self._ids[code]))
                for code in CHECKS
                if code in self._counts
            ),
        )


def _printable(thing: object) -> str:
    """An id as text of bounded length that any encoding can carry."""
    text = str(thing)
    text = text if len(text) <= 100 else text[:97] + "..."
    return text.encode("utf-8", "replace").decode("utf-8")
