"""Image weights: what a similarity loses when a part of the picture is covered.

The idea: Zeiler and Fergus, "Visualizing and Understanding Convolutional Networks", ECCV 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageStat

from vlmexplain.models.protocol import Encoder
from vlmexplain.records import Progress, ProgressCallback, no_progress

BATCH = 16
MOST_CELLS = 12
"""The most parts the shorter side may be cut into."""
LONGEST = 4
"""A picture longer than this many times its shorter side gets no more parts for it."""


@dataclass(frozen=True, slots=True)
class OccludedImage:
    """An image's embedding, and those with one part covered.

    Attributes:
        rows, columns: the grid over the whole picture.
        whole: float32 [d], of the picture as it is.
        covered: float32 [rows * columns, d], row by row.
    """

    rows: int
    columns: int
    whole: NDArray[np.float32]
    covered: NDArray[np.float32]

    def weights(self, text: NDArray[np.float32]) -> NDArray[np.float64]:
        """What the similarity with a text loses when each part is covered.

        s(I, t) - s(I without the part, t): above 0 the part speaks for the text, below 0
        against it, 0 where the model does not see it (such as outside its crop).

        Args:
            text: float32 [d], L2-normalised.

        Returns:
            float64 [rows, columns] in [-2, 2].
        """
        wide = text.astype(np.float64)
        lost = float(self.whole.astype(np.float64) @ wide) - self.covered.astype(np.float64) @ wide
        return lost.reshape(self.rows, self.columns)


def grid_of(width_px: int, height_px: int, cells: int) -> tuple[int, int]:
    """Rows and columns of nearly square parts, ``cells`` along the shorter side.

    >>> grid_of(640, 480, 6), grid_of(300, 900, 5)
    ((6, 8), (15, 5))
    """
    shorter = min(width_px, height_px)
    rows, columns = (
        max(1, round(cells * min(side / shorter, LONGEST))) for side in (height_px, width_px)
    )
    return rows, columns


def occlude(
    encoder: Encoder,
    picture: Image.Image,
    cells: int,
    progress: ProgressCallback = no_progress,
) -> OccludedImage:
    """Embed a picture with each part covered by the picture's mean colour, in batches.

    Args:
        encoder: an image-text model.
        picture: RGB, upright.
        cells: how many parts the shorter side is cut into, 1 to `MOST_CELLS`.
        progress: called after each batch; may raise `Cancelled`.

    Raises:
        ModelError: the model reads no images.
    """
    assert 1 <= cells <= MOST_CELLS
    rows, columns = grid_of(picture.width, picture.height, cells)
    colour = tuple(round(mean) for mean in ImageStat.Stat(picture).mean)
    total = rows * columns
    covered = np.empty((total, encoder.dimension), dtype=np.float32)
    whole = encoder.encode_prepared(encoder.preprocess(picture)[None])[0]
    for start in range(0, total, BATCH):
        part = range(start, min(start + BATCH, total))
        batch = [
            encoder.preprocess(_cover(picture, *divmod(cell, columns), rows, columns, colour))
            for cell in part
        ]
        covered[part.start : part.stop] = encoder.encode_prepared(np.stack(batch))
        progress(Progress("cover parts", part.stop, total, "parts"))
    return OccludedImage(rows, columns, whole, covered)


def _cover(
    picture: Image.Image,
    row: int,
    column: int,
    rows: int,
    columns: int,
    colour: tuple[int, ...],
) -> Image.Image:
    """The picture with one cell of the grid painted over."""
    left, right = (round(n * picture.width / columns) for n in (column, column + 1))
    top, bottom = (round(n * picture.height / rows) for n in (row, row + 1))
    painted = picture.copy()
    painted.paste(colour, (left, top, right, bottom))
    return painted
