"""A query of a gallery's run as a failure to look at."""

from __future__ import annotations

from collections import Counter

from vlmexplain.datasets.gallery import Gallery, GalleryImage
from vlmexplain.errors import VlmexplainError
from vlmexplain.explain import ExplainedImage, Explanation, RankedImage, explain_query
from vlmexplain.positives.accepted import Judged
from vlmexplain.records import ImageAnnotations, MetricOptions
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.explore.failure import Credit, Failure, ShownImage, StripImage
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.explore_address import ExploreAddress
from vlmexplain.ui.shared.media import media_address
from vlmexplain.ui.shared.messages import problem
from vlmexplain.ui.shared.positives_of import positives_of
from vlmexplain.ui.shared.words import short_name

ALT_CONCEPTS = 12
HOW = {
    "image-text": "caption against the images",
    "text-text": "caption against the other captions of each image, the best of them counts",
}


def gallery_failure(gallery: Gallery, run: Run, query: int, address: ExploreAddress) -> Failure:
    """A query with the image at the address's place beside its ground truth."""
    found = explain_query(
        gallery,
        run,
        query,
        MetricOptions(address.threshold, address.relative_to),
        address.place,
        address.informed,
        caches.queries_of(run, gallery),
    )
    n_kept = len(found.strip)
    retrieved = found.retrieved
    return Failure(
        explanation=found,
        about=_about(gallery, run, found),
        ground_truth=_shown(gallery, found.ground_truth, "left", "Ground truth"),
        retrieved=_shown(gallery, retrieved, "right", "Retrieved") if retrieved else None,
        place=address.place,
        strip=_strip(gallery, found),
        strip_title=f"The {n_kept} best of {found.n_ranked or 0:,} images: choose one to compare",
    )


def _about(gallery: Gallery, run: Run, found: Explanation) -> str:
    assert found.caption_index is not None
    caption = gallery.caption(found.caption_index)
    image = gallery.image(caption.image_index)
    parts = [f"Caption {caption.caption_id} of image {image.image_id}"]
    parts.append(f"{run.model.name}: {HOW[run.mode]}")
    if len(found.ground_truths) > 1:
        n = len(found.ground_truths)
        parts.append(f"{n} images carry this very caption; each is a ground truth")
    return " · ".join(parts)


def _shown(gallery: Gallery, explained: ExplainedImage, side: str, title: str) -> ShownImage:
    assert explained.image_index is not None
    index = explained.image_index
    image = gallery.image(index)
    src = ""
    try:
        content, mime = caches.picture(
            gallery, str(gallery.images_folder), image.content_sha256, index
        )
        src = media_address(content, mime, side)
    except VlmexplainError as error:
        problem(error)  # the evidence rests on the annotations and is shown all the same
    note = _place(explained.place_1based, explained.score)
    if explained.is_ground_truth and side == "right":
        note += " · a ground truth"
    return ShownImage(
        explained.annotations,
        src,
        f"{title}: {_alt(gallery, index, explained.annotations)}",
        title,
        note,
        _credit(image),
    )


def _alt(gallery: Gallery, index: int, annotations: ImageAnnotations) -> str:
    counts = Counter(i.synset for i in annotations.instances if i.synset)
    things = [f"{n} × {short_name(name)}" for name, n in counts.most_common(ALT_CONCEPTS)]
    return f"{_said(gallery, index)} (annotated: {', '.join(things) or 'nothing'})"


def _said(gallery: Gallery, index: int) -> str:
    captions = gallery.captions_of(index)
    return captions[0].text if captions else f"image {gallery.image(index).image_id}"


def _place(place: int | None, score: float | None) -> str:
    parts = ["no place" if place is None else f"place {place:,}"]
    if score is not None:
        parts.append(f"score {score:.4f}")
    return " · ".join(parts)


def _credit(image: GalleryImage) -> Credit:
    parts: list[tuple[str, str | None]] = [(image.file_name, None)]
    if image.licence or image.licence_url:
        parts.append((image.licence or "licence", image.licence_url or None))
    source = image.source_url or image.coco_url
    if source:
        parts.append(("source", source))
    return tuple(parts)


def _strip(gallery: Gallery, found: Explanation) -> tuple[StripImage, ...]:
    """The kept places, and after them the ground truths that are further down."""
    kept = {image.image_index for image in found.strip}
    below = [
        image
        for image in found.ground_truths
        if image.image_index not in kept and image.place_1based is not None
    ]
    assert found.caption_index is not None
    positives, query = positives_of(gallery), found.caption_index
    return tuple(
        _tile(gallery, image, choosable, positives.judged(query, image.image_index))
        for images, choosable in ((found.strip, True), (below, False))
        for image in images
    )


def _tile(gallery: Gallery, ranked: RankedImage, choosable: bool, judged: Judged) -> StripImage:
    assert ranked.place_1based is not None
    return StripImage(
        ranked.place_1based,
        _thumbnail(gallery, ranked.image_index, ranked.place_1based),
        _said(gallery, ranked.image_index),
        "" if ranked.score is None else f"{ranked.score:.3f}",
        ranked.is_ground_truth,
        ranked.is_tied,
        choosable,
        judged.standing,
        judged.rejected_by if judged.standing == "wrong" else judged.accepted_by,
    )


def _thumbnail(gallery: Gallery, index: int, place: int) -> str:
    image = gallery.image(index)
    try:
        small = caches.thumbnail(gallery, str(gallery.images_folder), image.content_sha256, index)
    except VlmexplainError:
        return ""  # the strip goes on without it; the large picture says what is wrong
    return media_address(small, "image/jpeg", f"strip-{place}")
