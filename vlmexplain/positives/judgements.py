"""What a source of positives says: which images fit a query, and which were found not to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Verdict = tuple[int, int, bool]
"""A caption, an image, and whether the image fits; both are places in the gallery."""


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judged pairs of one source, by caption and image; a pair judged both ways is in twice.

    Attributes:
        caption_index, image_index: int32 [n], places in the gallery.
        fits: bool [n].
        listed: int32 [m], ascending: the queries that the source set out to judge, whatever a
            model makes of them; empty for people, whose queries were chosen by an outcome.
    """

    caption_index: NDArray[np.int32]
    image_index: NDArray[np.int32]
    fits: NDArray[np.bool_]
    listed: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.caption_index)


def judgements_of(verdicts: Iterable[Verdict], listed: Iterable[int] = ()) -> Judgements:
    """Judgements in order, each once.

    >>> found = judgements_of([(1, 5, True), (0, 2, False), (1, 5, True)], listed=[1])
    >>> found.caption_index.tolist(), found.fits.tolist(), found.listed.tolist()
    ([0, 1], [False, True], [1])
    """
    rows = np.array(sorted(set(verdicts)), dtype=np.int64).reshape(-1, 3)
    return Judgements(
        rows[:, 0].astype(np.int32),
        rows[:, 1].astype(np.int32),
        rows[:, 2].astype(bool),
        np.unique(np.fromiter(listed, dtype=np.int32)),
    )
