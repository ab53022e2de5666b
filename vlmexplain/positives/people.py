"""What people say of an image and a caption: answers of a rating session, and marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import DataError
from vlmexplain.positives.judgements import Judgements, Verdict, judgements_of
from vlmexplain.ratings.exchange.export_rows import session_data
from vlmexplain.ratings.organiser.sessions import find_session
from vlmexplain.ratings.plan.classes import SUCCESSFUL_ALTERNATIVE
from vlmexplain.ratings.plan.rows import RatingRow, first_answers
from vlmexplain.ratings.plan.spec import SessionSpec
from vlmexplain.ratings.store.fit_marks import read_fit_marks
from vlmexplain.ratings.store.store import RatingStore


@dataclass(frozen=True, slots=True)
class FitAnswers:
    """Answers to "does this image fit the caption?", one row an answer.

    Attributes:
        item: int64 [n], the number of the item in its session.
        rater: int64 [n].
        fits: bool [n].
        caption_index, image_index, own_image_index: int32 [n], what the item is about: the
            caption, the image that was shown, and the caption's own.
    """

    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    fits: NDArray[np.bool_]
    caption_index: NDArray[np.int32]
    image_index: NDArray[np.int32]
    own_image_index: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.item)

    @property
    def n_items(self) -> int:
        """How many items have an answer."""
        return len(np.unique(self.item))

    @property
    def n_raters(self) -> int:
        """How many people answered."""
        return len(np.unique(self.rater))


def session_answers(store: RatingStore, session_id: str, gallery: Gallery) -> FitAnswers:
    """The answers of a session so far, each rater's first look at an item only.

    A scale of two steps says it by its higher one; any other session says it by the class
    "successful alternative".

    Raises:
        UnknownName: there is no such session.
        DataError: it is of another gallery, or does not ask whether an image fits.
    """
    session = find_session(store, session_id)
    says = _reading_of(session.spec, session.id)
    if session.spec.gallery != gallery.id:
        raise DataError(
            f"is not about the gallery {gallery.name}.",
            where=f"rating session {session.id}",
            remedy="Choose the gallery whose run it was made from.",
        )
    rows = [
        row
        for row in first_answers(session_data(store, session.id, anonymous=True).rows)
        if row.caption_index < gallery.n_captions and row.retrieved_image < gallery.n_images
    ]
    return FitAnswers(
        np.array([row.item for row in rows], dtype=np.int64),
        np.array([row.rater or 0 for row in rows], dtype=np.int64),
        np.array([says(row) for row in rows], dtype=bool),
        np.array([row.caption_index for row in rows], dtype=np.int32),
        np.array([row.retrieved_image for row in rows], dtype=np.int32),
        np.array([row.ground_truth_image for row in rows], dtype=np.int32),
    )


def _reading_of(spec: SessionSpec, session_id: str) -> Callable[[RatingRow], bool]:
    if spec.kind == "rating" and spec.scale.highest == spec.scale.lowest + 1:
        return lambda row: row.rating == spec.scale.highest
    if spec.kind == "rating" and SUCCESSFUL_ALTERNATIVE in spec.class_keys():
        return lambda row: SUCCESSFUL_ALTERNATIVE in row.classes
    raise DataError(
        "does not ask whether an image fits.",
        where=f"rating session {session_id}",
        remedy="Expected a scale of two steps, or the class successful_alternative.",
    )


def judgements_of_answers(answers: FitAnswers) -> Judgements:
    """What most raters of each item say; where as many say yes as no, both are kept."""
    verdicts: list[Verdict] = []
    for item in np.unique(answers.item).tolist():
        rows = np.flatnonzero(answers.item == item)
        yes, n = int(answers.fits[rows].sum()), len(rows)
        pair = int(answers.caption_index[rows[0]]), int(answers.image_index[rows[0]])
        verdicts += [(*pair, fits) for fits in (True, False) if 2 * (yes if fits else n - yes) >= n]
    return judgements_of(verdicts)


def judgements_of_marks(gallery: Gallery) -> Judgements:
    """The marks "fits too" and "does not fit" of a gallery.

    Raises:
        StoreError: the database cannot be read.
    """
    return judgements_of(
        (mark.caption_index, mark.image_index, mark.fits) for mark in read_fit_marks(gallery.id)
    )
