"""A query of a gallery's run as a failure to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.datasets.gallery import Gallery, GalleryImage
from vlmexplain.errors import VlmexplainError
from vlmexplain.metrics.pair import explain_pair
from vlmexplain.records import ImageAnnotations, Mention, MetricOptions
from vlmexplain.scoring.queries import QueryRow
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui import caches
from vlmexplain.ui.explore.failure import Credit, Failure, ShownImage, StripImage
from vlmexplain.ui.media import media_address
from vlmexplain.ui.state import Address
from vlmexplain.ui.words import short_name

ALT_CONCEPTS = 12
NO_PATH = 255


@dataclass(frozen=True, slots=True)
class StoredSimilarity:
    """Path similarities from a gallery's table; implements `records.PathSimilarity`."""

    gallery: Gallery

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """ps of each pair, float64 [len(left), len(right)]; NaN where no path exists."""
        concepts = self.gallery.concepts
        rows, columns = (np.searchsorted(concepts, list(names)) for names in (left, right))
        steps = np.asarray(self.gallery.path_lengths)[np.ix_(rows, columns)].astype(np.float64)
        return np.where(steps == NO_PATH, np.nan, 1 / (1 + steps))


def gallery_failure(gallery: Gallery, run: Run, row: QueryRow, address: Address) -> Failure:
    """The query of ``row`` with the image at the address's place beside its ground truth."""
    images, scores = run.top_k_images[row.caption_index], run.top_k_scores[row.caption_index]
    n_kept = int(np.count_nonzero(images >= 0))
    place = min(max(address.place, 1), max(n_kept, 1))
    retrieved = int(images[place - 1]) if n_kept else row.image_index
    left, right = gallery.annotations(row.image_index), gallery.annotations(retrieved)
    mentions = _mentions(row.text, left) if address.informed else ()
    truths = {r.image_index for r in caches.same_text(run, gallery, row)}
    return Failure(
        caption=row.text,
        about=_about(gallery, run, row),
        mentions=mentions,
        informed=address.informed,
        ground_truth=_shown(
            gallery, row.image_index, left, "left", "Ground truth",
            _place_note(row.own_rank_1based, row.own_score),
        ),
        retrieved=_shown(
            gallery, retrieved, right, "right", "Retrieved",
            _place_note(place, float(scores[place - 1]) if n_kept else None),
        ),
        pair=explain_pair(
            left,
            right,
            StoredSimilarity(gallery),
            MetricOptions(address.threshold, address.relative_to),
            frozenset(m.concept for m in mentions) if address.informed else None,
        ),
        rank_1based=row.rank_1based,
        n_images=row.n_ranked,
        unranked_because=row.unranked_because,
        n_tied=row.n_tied or 0,
        place=place,
        strip=_strip(gallery, run, row, truths),
        strip_title=f"The {n_kept} best of {row.n_ranked:,} images: choose one to compare",
        answer_correct=retrieved in truths,
    )  # fmt: skip


def _mentions(caption: str, image: ImageAnnotations) -> tuple[Mention, ...]:
    concepts = {i.synset for i in image.instances if i.synset}
    return mentions_in(caption, concepts, caches.wordnet())


def _about(gallery: Gallery, run: Run, row: QueryRow) -> str:
    caption = gallery.caption(row.caption_index)
    image = gallery.image(row.image_index)
    parts = [f"Caption {caption.caption_id} of image {image.image_id}"]
    if gallery.drawn:
        parts.append("drawn demo world")
    how = (
        "caption against the images"
        if run.mode == "image-text"
        else ("caption against the other captions of each image, the best of them counts")
    )
    parts.append(f"{run.model.name}: {how}")
    if row.n_ground_truths > 1:
        parts.append(f"{row.n_ground_truths} images carry this very caption; all are ground truths")
    return " · ".join(parts)


def _shown(
    gallery: Gallery,
    index: int,
    annotations: ImageAnnotations,
    side: str,
    title: str,
    note: str,
) -> ShownImage:
    image = gallery.image(index)
    content, mime = caches.picture(gallery, str(gallery.images_folder), image.content_sha256, index)
    return ShownImage(
        annotations,
        media_address(content, mime, side),
        f"{title}: {_alt(gallery, index, annotations)}",
        title,
        note,
        _credit(image),
    )


def _alt(gallery: Gallery, index: int, annotations: ImageAnnotations) -> str:
    counts = Counter(i.synset for i in annotations.instances if i.synset)
    things = [f"{n} × {short_name(name)}" for name, n in counts.most_common(ALT_CONCEPTS)]
    captions = gallery.captions_of(index)
    said = captions[0].text if captions else f"image {gallery.image(index).image_id}"
    return f"{said} (annotated: {', '.join(things) or 'nothing'})"


def _place_note(place: int | None, score: float | None) -> str:
    parts = ["no place" if place is None else f"place {place:,}"]
    if score is not None and score == score:
        parts.append(f"score {score:.4f}")
    return " · ".join(parts)


def _credit(image: GalleryImage) -> Credit:
    parts: list[tuple[str, str | None]] = [(image.file_name, None)]
    if image.licence or image.licence_url:
        parts.append((image.licence or "licence", image.licence_url or None))
    if image.source_url:
        parts.append(("source", image.source_url))
    elif image.coco_url:
        parts.append(("source", image.coco_url))
    return tuple(parts)


def _strip(gallery: Gallery, run: Run, row: QueryRow, truths: set[int]) -> tuple[StripImage, ...]:
    images, scores = run.top_k_images[row.caption_index], run.top_k_scores[row.caption_index]
    places = [
        (place, int(index), float(score), True)
        for place, (index, score) in enumerate(zip(images, scores, strict=True), start=1)
        if index >= 0
    ]
    own = row.own_rank_1based
    if own is not None and own > len(places) and row.own_score is not None:
        places.append((own, row.image_index, row.own_score, False))
    return tuple(
        StripImage(
            place,
            _thumbnail(gallery, index, place),
            _alt(gallery, index, gallery.annotations(index)),
            f"{score:.3f}",
            index in truths,
            choosable,
        )
        for place, index, score, choosable in places
    )


def _thumbnail(gallery: Gallery, index: int, place: int) -> str:
    image = gallery.image(index)
    try:
        small = caches.thumbnail(gallery, str(gallery.images_folder), image.content_sha256, index)
    except VlmexplainError:
        return ""  # the strip goes on without it; the large picture says what is wrong
    return media_address(small, "image/jpeg", f"strip-{place}")
