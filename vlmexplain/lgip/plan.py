"""The plan of a bulk run, on disk: every triple in order, and every distinct text to encode.

Made in a stream: memory does not grow with the number of images.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.samples import Sample
from vlmexplain.lgip.tables import connect, write_query

TRIPLES_AT_ONCE = 65_536
TEXTS_A_BLOCK = 8_192

PLAN = "plan.parquet"
PAIRS = "pairs.parquet"

_SCHEMA = pa.schema(
    [
        ("triple", pa.int64()),
        ("image_index", pa.int32()),
        ("caption_index", pa.int32()),
        ("caption", pa.string()),
        ("kind", pa.string()),
        ("flip_type", pa.string()),
        ("text", pa.string()),
        ("verified", pa.bool_()),
    ]
)


@dataclass(frozen=True, slots=True)
class PlanCounts:
    """What was planned.

    Attributes:
        n_samples: images that will be scored.
        n_triples: triples of them.
        not_in_gallery: samples whose image the gallery does not have.
        without_embedding: samples whose picture could not be embedded.
    """

    n_samples: int
    n_triples: int
    not_in_gallery: int
    without_embedding: int


def write_plan(
    folder: Path,
    samples: Iterable[Sample],
    gallery: Gallery,
    left_out: Mapping[int, tuple[str, str]],
) -> PlanCounts:
    """Write ``plan.parquet`` (every triple in order) and ``pairs.parquet`` into the folder.

    A pair is a text and an image to compare: row ``text_id``, ``text``, ``image_index``, sorted
    by length of text. A text that stands with several images has several rows and one id.
    """
    counts = _write_triples(folder / PLAN, samples, _ImageByPath(gallery), gallery, left_out)
    with connect(folder) as database:
        plan = str(folder / PLAN)
        write_query(
            database,
            f"""
            WITH pairs AS (
                SELECT caption AS text, image_index FROM read_parquet('{_sql(plan)}')
                UNION
                SELECT text, image_index FROM read_parquet('{_sql(plan)}')
            )
            SELECT CAST(dense_rank() OVER (ORDER BY length(text), text) - 1 AS INTEGER) AS text_id,
                   text, image_index
            FROM pairs ORDER BY text_id, image_index
            """,  # noqa: S608  the path is ours
            folder / PAIRS,
            row_group=16_384,
        )
    return counts


def _sql(text: str) -> str:
    return text.replace("'", "''")


def _write_triples(
    path: Path,
    samples: Iterable[Sample],
    images: _ImageByPath,
    gallery: Gallery,
    left_out: Mapping[int, tuple[str, str]],
) -> PlanCounts:
    n_samples = n_triples = missing = unreadable = 0
    batch: list[dict[str, Any]] = []
    with pq.ParquetWriter(path, _SCHEMA, compression="zstd") as writer:
        for sample in samples:
            image = images.find(sample.image_path)
            if image is None:
                missing += 1
                continue
            if image in left_out:
                unreadable += 1
                continue
            n_samples += 1
            for row in _triples(sample, image, gallery):
                batch.append({"triple": n_triples, **row})
                n_triples += 1
            if len(batch) >= TRIPLES_AT_ONCE:
                writer.write_table(pa.Table.from_pylist(batch, _SCHEMA))
                batch.clear()
        writer.write_table(pa.Table.from_pylist(batch, _SCHEMA))
    return PlanCounts(n_samples, n_triples, missing, unreadable)


def _triples(sample: Sample, image: int, gallery: Gallery) -> Iterator[dict[str, Any]]:
    index_of: dict[str, int] = {}
    for known in gallery.captions_of(image):
        index_of.setdefault(known.text.strip(), known.index)
    for caption, same, flips in zip(sample.captions, sample.same, sample.flips, strict=True):
        common = {
            "image_index": image,
            "caption_index": index_of.get(caption.strip(), -1),
            "caption": _storable(caption),
        }
        for text in same:
            yield {**common, "kind": "same", "text": _storable(text)}
        for flip in flips:
            yield {
                **common,
                "kind": "flip",
                "flip_type": flip.flip_type or "other",
                "text": _storable(flip.text),
                "verified": flip.verified,
            }


def _storable(text: str) -> str:
    """The text with half surrogate pairs, which no file and no model takes, replaced."""
    return text.encode("utf-8", "replace").decode()


class _ImageByPath:
    """Images of a gallery by the path a data set writes: in full, or by its last part."""

    def __init__(self, gallery: Gallery):
        names = gallery.images_table.column("file_name").to_pylist()
        self._whole = {name: i for i, name in enumerate(names)}
        self._last: dict[str, int | None] = {}
        for i, name in enumerate(names):
            last = PurePosixPath(name).name
            self._last[last] = None if last in self._last else i  # None: not one image alone

    def find(self, path: str) -> int | None:
        """The image's index; None when the gallery has none, or several, of that name."""
        found = self._whole.get(path)
        return self._last.get(PurePosixPath(path).name) if found is None else found
