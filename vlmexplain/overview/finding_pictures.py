"""The pictures behind a finding of the data checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vlmexplain.datasets.checks import Finding, InstanceFlag
from vlmexplain.datasets.gallery import Gallery

_ID_COLUMNS = {
    "image": ("images_table", "image_id"),
    "caption": ("captions_table", "caption_id"),
}
FLAG_OF = {flag.code: flag for flag in InstanceFlag}


def finding_images(gallery: Gallery, finding: Finding) -> NDArray[np.int64]:
    """The images of a finding, int64, ascending; none for what was left out or has no picture.

    What a flag of the instances records is found whole; else by the ids that the import kept.
    """
    flag = FLAG_OF.get(finding.code)
    if flag is not None:
        flags = gallery.instances_table.column("flags").to_numpy()
        return _images(gallery.instances_table, np.flatnonzero(flags & flag.value))
    if finding.check.severity == "left-out" or finding.check.about not in _ID_COLUMNS:
        return np.zeros(0, dtype=np.int64)
    name, column = _ID_COLUMNS[finding.check.about]
    table: pa.Table = getattr(gallery, name)
    named = [part for thing in finding.ids for part in (thing, *_named(thing))]
    wanted = pa.array(named, table.column(column).type)
    rows = np.flatnonzero(pc.is_in(table.column(column), value_set=wanted).to_numpy())
    return rows.astype(np.int64) if name == "images_table" else _images(table, rows)


def _named(thing: str) -> list[str]:
    """The ids in what an import says of a thing.

    >>> _named("12 = 7"), _named("12 (COCO 5)")
    (['12', '7'], ['12'])
    """
    return thing.split(" (", maxsplit=1)[0].split(" = ")


def _images(table: pa.Table, rows: NDArray[Any]) -> NDArray[np.int64]:
    image = table.column("image_index").to_numpy()[rows]
    return np.unique(image).astype(np.int64)
