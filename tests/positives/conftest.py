"""Small galleries of captions, and a run over one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from worlds import captions_gallery

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.scoring.run import run
from vlmexplain.scoring.run_store import Run

WORDS = ("dog", "cat", "zebra", "frisbee", "tree", "man", "red", "big", "runs", "sits")
N_IMAGES = 40


@pytest.fixture
def gallery(fresh_home: Path, tmp_path: Path) -> Gallery:
    """40 images with ids 100 ..., two captions each with ids 1000 ...; one caption occurs twice."""
    rng = np.random.default_rng(5)
    captions = {
        str(100 + n): [
            (str(1000 + 2 * n + part), " ".join(rng.choice(WORDS, size=5))) for part in (0, 1)
        ]
        for n in range(N_IMAGES)
    }
    captions["103"][0] = ("1006", captions["107"][1][1])
    return captions_gallery(captions, tmp_path)


@pytest.fixture
def made_run(gallery: Gallery) -> Run:
    """The gallery ranked by a model that knows nothing, 10 images kept for each query."""
    return run(gallery, "fake-text")
