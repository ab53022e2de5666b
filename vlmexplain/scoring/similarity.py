"""WordNet path similarities as a gallery keeps them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery

NO_PATH = 255


class GallerySimilarity:
    """Path similarities from a gallery's stored table: `records.PathSimilarity` without WordNet."""

    def __init__(self, gallery: Gallery):
        self._place = {synset: n for n, synset in enumerate(gallery.concepts)}
        self._lengths = gallery.path_lengths

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """ps of each pair, float64 [len(left), len(right)]; NaN where no path exists."""
        rows = [self._place[name] for name in left]
        columns = [self._place[name] for name in right]
        lengths = self._lengths[np.ix_(rows, columns)].astype(np.float64)
        lengths[lengths == NO_PATH] = np.nan
        return 1.0 / (1.0 + lengths)
