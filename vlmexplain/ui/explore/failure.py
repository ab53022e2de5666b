"""One failure as the page draws it, wherever it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.metrics.pair import PairExplanation
from vlmexplain.records import ImageAnnotations, Mention

Credit = tuple[tuple[str, str | None], ...]
"""Texts under a picture, each with an address or None."""


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A picture with its boxes.

    Attributes:
        annotations: what is in it.
        src: where the browser finds it.
        alt: its description for whoever does not see it.
        title, note: above it: what it is, and its place and score.
        credit: under it: file, licence, source.
    """

    annotations: ImageAnnotations
    src: str
    alt: str
    title: str
    note: str
    credit: Credit = ()


@dataclass(frozen=True, slots=True)
class StripImage:
    """One of the best images for the query.

    Attributes:
        place: in the ranking, 1-based.
        src, alt: the small picture.
        score: the model's, as text.
        ground_truth: whether the query is a caption of it.
        choosable: whether it can be put on the right; False past the places that are kept.
    """

    place: int
    src: str
    alt: str
    score: str
    ground_truth: bool
    choosable: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """A query with its ground truth, a retrieved image, and every metric of the two.

    Attributes:
        caption: the query.
        about: one line on where it is from.
        mentions: the words that name annotated concepts.
        informed: whether the metrics rest on those alone.
        ground_truth, retrieved: the two pictures.
        pair: the metrics with their evidence.
        rank_1based: place of the ground truth; None when it has none.
        n_images: how many images were ranked; None when not known.
        unranked_because: why there is no rank.
        n_tied: how many other images have the same score as the ground truth.
        place: of the retrieved image in the ranking.
        strip: the best images and the ground truth; empty when there are none to show.
        strip_title: what stands over them.
        answer_correct: whether the image on the right is a ground truth itself.
    """

    caption: str
    about: str
    mentions: tuple[Mention, ...]
    informed: bool
    ground_truth: ShownImage
    retrieved: ShownImage
    pair: PairExplanation
    rank_1based: int | None
    n_images: int | None
    unranked_because: str | None = None
    n_tied: int = 0
    place: int = 1
    strip: tuple[StripImage, ...] = ()
    strip_title: str = ""
    answer_correct: bool = False
