"""What is handed over of each failure: the explanation, both pictures, where they come from."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq
from PIL import Image

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError, GalleryError, VlmexplainError
from vlmexplain.explain import ExplainedImage, Explanation, explain_query
from vlmexplain.lgip.result import LgipResult, list_lgip, open_lgip
from vlmexplain.records import MetricOptions, Progress, ProgressCallback, no_progress
from vlmexplain.scoring.queries import QueryTable
from vlmexplain.scoring.run_store import Run

MOST_FAILURES = 200
LARGEST_SIDE_PX = 1200
MOST_PICTURE_BYTES = 560_000
"""Two pictures in base64 (4/3) and the rest stay below 2 MB a failure."""

THUMBNAIL_PX = 150
MOST_PERTURBATIONS = 24


@dataclass(frozen=True, slots=True)
class HandedImage:
    """A picture with its origin.

    Attributes:
        src: ``data:`` address of a JPEG; "" when the picture cannot be read.
        problem: why it cannot be read.
        file_name, licence, licence_url, source_url: as far as they are known, else "".
        caption: the image's first caption, for whoever does not see the picture.
    """

    src: str
    problem: str
    image_id: str
    file_name: str
    licence: str
    licence_url: str
    source_url: str
    caption: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One perturbation of the caption: its text, kind, and both similarities with the image."""

    text: str
    kind: str
    score_caption: float
    score_text: float


@dataclass(frozen=True, slots=True)
class HandedFailure:
    """One explained query, ready to be written.

    Attributes:
        caption_id: of the query.
        retrieved: None when no image has a score.
        strip: small pictures of the best images, ``data:`` addresses; "" where unreadable.
        probes: what perturbations of the caption do, when LGIP was run for the model.
    """

    explanation: Explanation
    gallery_name: str
    caption_id: str
    ground_truth: HandedImage
    retrieved: HandedImage | None
    strip: tuple[str, ...]
    probes: tuple[Probe, ...]


def collect_failures(
    gallery: Gallery,
    run: Run,
    caption_indices: Iterable[int],
    options: MetricOptions = MetricOptions(),  # noqa: B008  (frozen)
    *,
    query_informed: bool = False,
    retrieved_place_1based: int = 1,
    table: QueryTable | None = None,
    progress: ProgressCallback = no_progress,
) -> tuple[HandedFailure, ...]:
    """Explain the queries and take their pictures in.

    Raises:
        DataError: no query, more than `MOST_FAILURES`, or a place that was not kept.
        GalleryError, StoreError: as `explain_query`.
    """
    indices = list(dict.fromkeys(caption_indices))
    if not 1 <= len(indices) <= MOST_FAILURES:
        raise DataError(
            f"{len(indices)} queries to hand over; expected 1 to {MOST_FAILURES}.",
            remedy="Choose fewer, or filter the list." if indices else "Choose at least one.",
        )
    table = table or QueryTable(run, gallery)
    lgip = _lgip(gallery, run)
    found = []
    for n, index in enumerate(indices):
        progress(Progress("collect", n, len(indices), "queries"))
        explained = explain_query(
            gallery, run, index, options, retrieved_place_1based, query_informed, table
        )
        found.append(_handed(gallery, explained, lgip))
    return tuple(found)


def _handed(gallery: Gallery, found: Explanation, lgip: LgipResult | None) -> HandedFailure:
    assert found.caption_index is not None
    return HandedFailure(
        explanation=found,
        gallery_name=gallery.name,
        caption_id=gallery.caption(found.caption_index).caption_id,
        ground_truth=_image(gallery, found.ground_truth),
        retrieved=_image(gallery, found.retrieved) if found.retrieved else None,
        strip=tuple(_thumbnail(gallery, image.image_index) for image in found.strip),
        probes=_probes(lgip, found.caption_index),
    )


def _image(gallery: Gallery, explained: ExplainedImage) -> HandedImage:
    assert explained.image_index is not None
    image = gallery.image(explained.image_index)
    src, problem = "", ""
    try:
        src = _as_data(gallery.read_rgb(image.index), LARGEST_SIDE_PX, MOST_PICTURE_BYTES)
    except VlmexplainError as error:  # the evidence rests on the annotations alone
        problem = error.message
    captions = gallery.captions_of(image.index)
    return HandedImage(
        src, problem, image.image_id, image.file_name, image.licence, image.licence_url,
        image.source_url or image.coco_url, captions[0].text if captions else "",
    )  # fmt: skip


def _thumbnail(gallery: Gallery, index: int) -> str:
    try:
        return _as_data(gallery.read_rgb(index), THUMBNAIL_PX, 12_000)
    except (GalleryError, VlmexplainError):
        return ""


def _as_data(picture: Image.Image, side_px: int, most_bytes: int) -> str:
    """The picture as a ``data:`` address of a JPEG of at most so many bytes."""
    picture = picture.copy()
    for quality in (88, 80, 70, 60, 45, 30):
        picture.thumbnail((side_px, side_px), Image.Resampling.LANCZOS, reducing_gap=3.0)
        written = io.BytesIO()
        picture.save(written, "JPEG", quality=quality, optimize=True)
        if written.tell() <= most_bytes:
            break
        side_px = int(side_px * 0.85)
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"


def _lgip(gallery: Gallery, run: Run) -> LgipResult | None:
    found = (m for m in list_lgip(gallery.id) if m.model.digest == run.model.digest)
    newest = next(found, None)
    return open_lgip(newest.key) if newest else None


def _probes(lgip: LgipResult | None, caption_index: int) -> tuple[Probe, ...]:
    if lgip is None:
        return ()
    names = ["text", "kind", "flip_type", "score_caption", "score_text"]
    with lgip.reading_triples():
        table = pq.read_table(
            lgip.triples_path, columns=names, filters=[("caption_index", "=", caption_index)]
        )
    return tuple(_probe(row) for row in table.slice(0, MOST_PERTURBATIONS).to_pylist())


def _probe(row: dict[str, Any]) -> Probe:
    kind = "paraphrase" if row["kind"] == "same" else f"{row['flip_type'] or ''} flip".strip()
    return Probe(row["text"], kind, row["score_caption"], row["score_text"])
