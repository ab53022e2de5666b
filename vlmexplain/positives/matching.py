"""The ids of a list of positives found in a gallery; what is not there is counted and named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.positives.judgements import Judgements, judgements_of
from vlmexplain.positives.listing import Listing

MOST_UNKNOWN = 0.5
"""A list of one's own of which a larger share of ids is unknown is taken for another data set's."""

NAMED = 5


@dataclass(frozen=True, slots=True)
class Unknown:
    """Ids that a list has and the gallery does not.

    Attributes:
        n_captions, n_images: how many of ``of_captions`` and ``of_images`` distinct ids.
        captions, images: the first `NAMED` of them.
    """

    n_captions: int
    of_captions: int
    n_images: int
    of_images: int
    captions: tuple[str, ...]
    images: tuple[str, ...]

    @property
    def share(self) -> float:
        """Unknown ids of all ids, 0 to 1."""
        return (self.n_captions + self.n_images) / max(self.of_captions + self.of_images, 1)

    def text(self) -> str:
        """One sentence for a reader; "" when every id is known."""
        parts = [
            f"{n:,} of {total:,} {what} ids ({', '.join(named)}{', ...' if n > len(named) else ''})"
            for n, total, what, named in (
                (self.n_captions, self.of_captions, "caption", self.captions),
                (self.n_images, self.of_images, "image", self.images),
            )
            if n
        ]
        return f"Not in the gallery: {' and '.join(parts)}." if parts else ""


def match(listing: Listing, gallery: Gallery) -> tuple[Judgements, Unknown]:
    """The judgements on captions and images of the gallery.

    An image is found by its id in the data set, else by its COCO id; an id that several have (a
    COCO image that is in Visual Genome twice) stands for each of them.
    """
    captions = _places(gallery.captions_table.column("caption_id").to_pylist())
    ids = gallery.images_table
    images = {
        **_places([None if n is None else str(n) for n in ids.column("coco_id").to_pylist()]),
        **_places(ids.column("image_id").to_pylist()),
    }
    verdicts = [
        (q, i, fits)
        for caption, image, fits in listing.pairs
        for q in captions.get(caption, ())
        for i in images.get(image, ())
    ]
    listed = [q for caption in listing.caption_ids for q in captions.get(caption, ())]
    all_images = dict.fromkeys(image for _, image, _ in listing.pairs)
    no_captions = [caption for caption in listing.caption_ids if caption not in captions]
    no_images = [image for image in all_images if image not in images]
    unknown = Unknown(
        len(no_captions), len(listing.caption_ids), len(no_images), len(all_images),
        tuple(no_captions[:NAMED]), tuple(no_images[:NAMED]),
    )  # fmt: skip
    return judgements_of(verdicts, listed), unknown


def refuse_another_data_set(unknown: Unknown, gallery: Gallery, where: str, most: float) -> None:
    """Refuse a list of which more than the share ``most`` of ids is unknown, or every caption.

    Raises:
        DataError: with the share, and some of the unknown ids.
    """
    none_known = unknown.n_captions == unknown.of_captions
    if unknown.share <= most and not none_known:
        return
    raise DataError(
        f"is of another data set than {gallery.name}: {100 * unknown.share:.0f} % of its ids are "
        f"unknown. {unknown.text()}",
        where=where,
        remedy="Choose the gallery it was made for"
        + ("." if none_known else ", or say --partly if the gallery is a part of its data set."),
    )


def _places(ids: list[str | None]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, text in enumerate(ids):
        if text is not None:
            found.setdefault(text, []).append(place)
    return found
