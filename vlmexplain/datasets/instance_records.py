"""Collect annotations as they stream by: a few numbers each, whatever the record held."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.boxes import read_box
from vlmexplain.datasets.checks import CheckLog, InstanceFlag
from vlmexplain.datasets.columns import NO_ID, InstanceColumns
from vlmexplain.datasets.record_ids import int64_or_none

Kind = TypeVar("Kind", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a kind of object (a category, or a name with its synsets) stands for."""

    name: str
    synset: str | None
    flags: int = 0


class InstanceRecords(Generic[Kind]):
    """Annotations in the order of the file; ``columns`` sorts out which can be used."""

    def __init__(self) -> None:
        self._image_codes: dict[str, int] = {}
        self._kind_codes: dict[Kind, int] = {}
        self._image = array("i")
        self._kind = array("i")
        self._id = array("q")
        self._box = array("d")
        self._crowd = array("b")
        self._flags = array("i")

    def __len__(self) -> int:
        return len(self._image)

    def add(
        self, image_id: str, kind: Kind, instance_id: Any, box: Any, *, crowd: bool = False
    ) -> None:
        """Take one annotation; ``box`` and ``instance_id`` as they stand in the JSON."""
        number = int64_or_none(instance_id)
        numbers, flags = read_box(box)
        self._image.append(self._image_codes.setdefault(image_id, len(self._image_codes)))
        self._kind.append(self._kind_codes.setdefault(kind, len(self._kind_codes)))
        self._id.append(NO_ID if number is None else number)
        self._box.extend(numbers)
        self._crowd.append(crowd)
        self._flags.append(flags)

    def take_as_crowds(self, kinds: Collection[Kind]) -> None:
        """Make crowds of all annotations of these kinds: how many there are is unknown."""
        codes = {self._kind_codes[kind] for kind in kinds if kind in self._kind_codes}
        for row, code in enumerate(self._kind):
            if code in codes:
                self._crowd[row] = 1

    def image_ids(self) -> tuple[str, ...]:
        """The images that the annotations name, in order of appearance."""
        return tuple(self._image_codes)

    def reach_px(self) -> dict[str, tuple[float, float]]:
        """How far right and down the boxes of each image reach, at least one pixel."""
        box = np.array(self._box, np.float64).reshape(-1, 4)
        ends = np.ones((len(self._image_codes), 2))
        sized = np.isfinite(box).all(axis=1)
        image = np.array(self._image, np.int64)
        np.maximum.at(ends, image[sized], (box[:, :2] + box[:, 2:])[sized])
        return {
            image: (across, down)
            for image, (across, down) in zip(self._image_codes, ends.tolist(), strict=True)
        }

    def columns(
        self,
        index_of: Mapping[str, int],
        listed_ids: Collection[str],
        meaning_of: Callable[[Kind], Meaning | None],
        log: CheckLog,
        passed_over: Collection[str] = frozenset(),
    ) -> InstanceColumns:
        """The annotations of kept images; boxes still as annotated.

        Args:
            index_of: image id -> index, of the images that are kept.
            listed_ids: ids of all images listed, kept or not.
            meaning_of: what a kind stands for; None for an unknown one.
            log: counts what is left out.
            passed_over: ids of images that were not asked for; what they show is no finding.
        """
        ids = np.array(self._id, np.int64)
        image, known_image = self._image_index(index_of, listed_ids, ids, log, passed_over)
        used = np.flatnonzero(known_image)
        kind = np.array(self._kind, np.int32)
        needed = np.unique(kind[used])
        kinds = list(self._kind_codes)
        meanings = {int(k): meaning_of(kinds[k]) for k in needed}
        unknown = np.zeros(len(kinds) + 1, bool)
        unknown[[k for k, meaning in meanings.items() if meaning is None]] = True
        dropped = used[unknown[kind[used]]]
        log.add_many("annotation-unknown-category", dropped.size, _names(ids[dropped]))
        used = used[~unknown[kind[used]]]
        box = np.array(self._box, np.float64).reshape(-1, 4)
        crowd = np.array(self._crowd, bool)
        flags = np.array(self._flags, np.int32)
        content = (image, kind, crowd, box)
        used = _without_repeated(used, ids, content, flags, log)
        synsets, names = _Codes(), _Codes()
        tables = np.full((3, len(kinds) + 1), -1, np.int32)
        for k, meaning in meanings.items():
            if meaning is not None:
                synset = -1 if meaning.synset is None else synsets.code(meaning.synset)
                tables[:, k] = synset, names.code(meaning.name), meaning.flags
        synset_code, name_code, meaning_flags = (table[kind[used]] for table in tables)
        return InstanceColumns(
            image_index=image[used],
            synset_code=synset_code,
            name_code=name_code,
            box=box[used],
            crowd=crowd[used],
            instance_id=ids[used],
            flags=flags[used] | meaning_flags,
            synsets=list(synsets.codes),
            names=list(names.codes),
        )

    def _image_index(
        self,
        index_of: Mapping[str, int],
        listed_ids: Collection[str],
        ids: NDArray[np.int64],
        log: CheckLog,
        passed_over: Collection[str],
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        codes = list(self._image_codes)
        index = np.array([index_of.get(image, -1) for image in codes] or [-1], np.int32)
        listed = np.array([image in listed_ids for image in codes] or [False], bool)
        passed = np.array([image in passed_over for image in codes] or [False], bool)
        image_code = np.array(self._image, np.int32)
        image = index[image_code]
        for code, where in (
            ("annotation-unlisted-image", ~listed[image_code]),
            ("annotation-of-left-out-image", listed[image_code] & (image < 0)),
        ):
            rows = np.flatnonzero(where & ~passed[image_code])
            log.add_many(code, rows.size, _names(ids[rows]))
        return image, image >= 0


class _Codes:
    """Numbers for texts, in order of appearance."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        return self.codes.setdefault(text, len(self.codes))


def instance_name(instance_id: int) -> str:
    """How a finding names an annotation."""
    return "(no id)" if instance_id == NO_ID else str(instance_id)


def _names(ids: NDArray[np.int64]) -> list[str]:
    return [instance_name(i) for i in ids[:1000].tolist()]


def _without_repeated(
    used: NDArray[np.intp],
    ids: NDArray[np.int64],
    content: tuple[NDArray[Any], ...],
    flags: NDArray[np.int32],
    log: CheckLog,
) -> NDArray[np.intp]:
    """Drop annotations that are there twice; flag different ones that share an id."""
    values, counts = np.unique(ids[used], return_counts=True)
    shared = values[(counts > 1) & (values != NO_ID)]
    if not shared.size:
        return used
    repeated: set[int] = set()
    seen: dict[int, dict[tuple[Any, ...], int]] = {}
    for row in used[np.isin(ids[used], shared)].tolist():
        key = tuple(column[row].tobytes() for column in content)
        same_id = seen.setdefault(int(ids[row]), {})
        if key in same_id:
            repeated.add(row)
            log.add("annotation-repeated", instance_name(int(ids[row])))
        else:
            same_id[key] = row
    for rows in seen.values():
        if len(rows) > 1:
            flags[list(rows.values())] |= InstanceFlag.ANNOTATION_ID_REUSED.value
    return used[~np.isin(used, list(repeated))] if repeated else used
