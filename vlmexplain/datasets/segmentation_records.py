"""Keep segmentations while annotations stream by, and write them beside a gallery's instances.

They are most of a COCO file, so they wait in a temporary file, not in memory. What is written is
``masks.arrow``: one row an instance, in the grid of the shown picture: the rings of its polygons,
or packed run lengths, or nothing. Drawing them all at the import would take minutes on train2017
and more room; a mask is drawn when it is asked for.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from vlmexplain.datasets.checks import CheckLog
from vlmexplain.datasets.listed_images import ShownGrid
from vlmexplain.datasets.masks import (
    Polygons,
    RunLengths,
    Segmentation,
    mask_of_run_lengths,
    pack_run_lengths,
    read_segmentation,
)
from vlmexplain.datasets.orientation import TRANSPOSES, upright_boxes
from vlmexplain.datasets.record_ids import int64_or_none

SCHEMA = pa.schema(
    {"polygons": pa.list_(pa.list_(pa.float32())), "run_lengths": pa.binary()},
)
_BATCH = 5_000


class SegmentationRecords:
    """Segmentations by annotation id, in a temporary file that is gone with the process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._ids = array("q")
        self._ends = array("q", [0])
        self._decoder = msgspec.msgpack.Decoder(Segmentation)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, instance_id: Any, value: Any, log: CheckLog) -> None:
        """Take an annotation's segmentation as it stands in the JSON; none is none."""
        number = int64_or_none(instance_id)
        if not value or number is None:
            return
        segmentation = read_segmentation(value)
        if segmentation is None:
            log.add("mask-unusable", str(number))
            return
        written = self._file.write(msgspec.msgpack.encode(segmentation))
        self._ids.append(number)
        self._ends.append(self._ends[-1] + written)

    def rows_of(self, instance_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each id, int64 [n]; -1 where none, or where the id stands for several."""
        ids, first, counts = np.unique(
            np.array(self._ids, np.int64), return_index=True, return_counts=True
        )
        if not len(ids):
            return np.full(len(instance_ids), -1, np.int64)
        at = np.minimum(np.searchsorted(ids, instance_ids), len(ids) - 1)
        known = (ids[at] == instance_ids) & (counts[at] == 1)
        return np.where(known, first[at], -1)

    def read(self, row: int) -> Segmentation:
        """The segmentation in a row."""
        self._file.seek(self._ends[row])
        kept = self._file.read(self._ends[row + 1] - self._ends[row])
        return self._decoder.decode(kept)


def write_masks(
    path: Path, records: SegmentationRecords, instances: pa.Table, grids: Sequence[ShownGrid]
) -> None:
    """Write the masks of a gallery's instances.

    Args:
        instances: the gallery's table, in its order.
        grids: of each image in gallery order.
    """
    ids = instances.column("instance_id").fill_null(0).to_numpy()
    known = instances.column("instance_id").is_valid().to_numpy()
    values, counts = np.unique(ids[known], return_counts=True)
    shared = values[counts > 1]  # two objects under one id: nobody can say whose it is
    rows = np.where(known & ~np.isin(ids, shared), records.rows_of(ids), -1)
    image = instances.column("image_index").to_numpy()
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
        for start in range(0, len(rows), _BATCH):
            part = slice(start, start + _BATCH)
            kept = [records.read(row) if row >= 0 else None for row in rows[part].tolist()]
            writer.write_batch(_batch(kept, image[part], grids))


def _batch(
    kept: Sequence[Segmentation | None], image: NDArray[np.int32], grids: Sequence[ShownGrid]
) -> pa.RecordBatch:
    none = Polygons([], b"")
    of_row = [one if isinstance(one, Polygons) else none for one in kept]
    lengths = [length for one in of_row for length in one.lengths]
    points = np.frombuffer(b"".join(one.numbers for one in of_row)).reshape(-1, 2)
    point_image = np.repeat(image, [len(one.numbers) // 16 for one in of_row])
    numbers = pa.array(_upright_points(points, point_image, grids).ravel().astype(np.float32))
    ends = np.cumsum([0, *lengths])
    ring_ends = np.cumsum([0, *(len(one.lengths) for one in of_row)])
    polygons = pa.ListArray.from_arrays(
        pa.array(ring_ends, pa.int32()),
        pa.ListArray.from_arrays(pa.array(ends, pa.int32()), numbers),
        mask=pa.array([one is none for one in of_row]),
    )
    packed = [
        _upright_run_lengths(one, grids[i]) if isinstance(one, dict) else None
        for one, i in zip(kept, image.tolist(), strict=True)
    ]
    return pa.record_batch([polygons, pa.array(packed, pa.binary())], schema=SCHEMA)


def _upright_points(
    points: NDArray[np.float64], image: NDArray[np.int32], grids: Sequence[ShownGrid]
) -> NDArray[np.float64]:
    if not len(points):
        return points
    used, place = np.unique(image, return_inverse=True)
    of_image = [grids[i] for i in used.tolist()]
    scale = np.array([(g.scale_x, g.scale_y) for g in of_image])[place]
    width, height = np.array([(g.grid_width_px, g.grid_height_px) for g in of_image], float)[
        place
    ].T
    turn = np.array([g.box_orientation for g in of_image], np.int8)[place]
    as_boxes = np.hstack([points * scale, np.zeros_like(points)])
    return upright_boxes(as_boxes, width, height, turn)[:, :2]


def _upright_run_lengths(run_lengths: RunLengths, grid: ShownGrid) -> bytes:
    picture = Image.fromarray(mask_of_run_lengths(run_lengths))
    size = (grid.grid_width_px, grid.grid_height_px)
    if picture.size != size:
        picture = picture.resize(size, Image.Resampling.NEAREST)
    if grid.box_orientation in TRANSPOSES:
        picture = picture.transpose(TRANSPOSES[grid.box_orientation])
    return pack_run_lengths(np.asarray(picture, bool))
