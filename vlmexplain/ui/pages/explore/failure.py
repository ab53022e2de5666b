"""One explained query as the page draws it, wherever it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.explain import Explanation
from vlmexplain.positives.accepted import Standing
from vlmexplain.records import ImageAnnotations

Credit = tuple[tuple[str, str | None], ...]
"""Texts under a picture, each with an address or None."""


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A picture with its boxes.

    Attributes:
        annotations: what is in it.
        src: where the browser finds it; "" when it cannot be read.
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
    """One of the best images for the query, or a ground truth further down.

    Attributes:
        place: in the ranking, 1-based.
        src, alt: the small picture.
        score: the model's, as text.
        ground_truth: whether the query is a caption of it.
        tied: whether another image shown has the same score.
        choosable: whether it can be put on the right; False past the places that are kept.
        standing: a key of `positives.accepted.STANDINGS`: own, accepted, disputed, wrong, unjudged.
        judged_by: the sources that say so.
    """

    place: int
    src: str
    alt: str
    score: str
    ground_truth: bool
    tied: bool = False
    choosable: bool = True
    standing: Standing = "unjudged"
    judged_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """An explained query with its pictures.

    Attributes:
        explanation: query, ranks, and every metric with its evidence.
        about: one line on where the query is from.
        ground_truth, retrieved: the two pictures; ``retrieved`` is None when no image has a score.
        place: of the retrieved image in the ranking.
        strip: the best images and the ground truths; empty when there are none to show.
        strip_title: what stands over them.
    """

    explanation: Explanation
    about: str
    ground_truth: ShownImage
    retrieved: ShownImage | None
    place: int = 1
    strip: tuple[StripImage, ...] = ()
    strip_title: str = ""
