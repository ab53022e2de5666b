"""Random annotated images and a hand-made path table, for the tests of the metrics."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from vlmexplain.records import ImageAnnotations, Instance

VOCABULARY = tuple(f"{letter}.n.01" for letter in "abcdefgh")
LENGTHS = np.array(
    [
        [0, 1, 2, 3, 5, 255, 4, 255],
        [1, 0, 2, 7, 5, 255, 4, 255],
        [2, 2, 0, 3, 3, 255, 9, 255],
        [3, 7, 3, 0, 5, 255, 4, 255],
        [5, 5, 3, 5, 0, 255, 1, 255],
        [255, 255, 255, 255, 255, 0, 255, 2],
        [4, 4, 9, 4, 1, 255, 0, 255],
        [255, 255, 255, 255, 255, 2, 255, 0],
    ],
    dtype=np.uint8,
)


class TableSimilarity:
    """`PathSimilarity` over a table of path lengths."""

    def __init__(self, names: Sequence[str] = VOCABULARY, lengths: NDArray[np.uint8] = LENGTHS):
        self.place = {name: i for i, name in enumerate(names)}
        self.lengths = lengths

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        rows = [self.place[name] for name in left]
        columns = [self.place[name] for name in right]
        found = self.lengths[np.ix_(rows, columns)].astype(float)
        return np.where(found == 255, np.nan, 1.0 / (1.0 + found))


# A coarse grid makes ties common; the rest are boxes that have no size or are clipped.
_side = st.sampled_from([1.0, 2.0, 4.0, 10.0, 15.0, 30.0])
_odd = st.sampled_from([0.0, -3.0, float("nan"), float("inf"), 1e-7, 1e300])
_box = st.one_of(
    st.none(),
    st.tuples(_side, _side, _side, _side),
    st.tuples(_side, _side, _side, _side),
    st.tuples(
        st.floats(-20, 90), st.floats(-20, 90), st.one_of(_side, _odd), st.one_of(_side, _odd)
    ),
)
_instance = st.builds(
    Instance,
    synset=st.one_of(st.sampled_from(VOCABULARY), st.sampled_from(VOCABULARY), st.none()),
    box_xywh_px=_box,
    crowd=st.sampled_from([False] * 6 + [True]),
)
images = st.builds(
    ImageAnnotations,
    width_px=st.sampled_from([64, 50, 100]),
    height_px=st.sampled_from([48, 50]),
    instances=st.lists(_instance, max_size=14).map(tuple),
)
mentions = st.one_of(st.none(), st.frozensets(st.sampled_from([*VOCABULARY, "other.n.01"])))


def shuffled(image: ImageAnnotations, seed: int) -> ImageAnnotations:
    """The same image with its instances in another order."""
    rows = list(image.instances)
    random.Random(seed).shuffle(rows)
    return ImageAnnotations(image.width_px, image.height_px, tuple(rows))


def image_of(*rows: tuple[str, tuple[float, float, float, float] | None]) -> ImageAnnotations:
    """A 100 x 100 image of (letter, box) rows."""
    instances = tuple(Instance(f"{letter}.n.01", box) for letter, box in rows)
    return ImageAnnotations(100, 100, instances)
