"""Corrected figures of a run as the table shows them, with intervals over images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.bootstrap import draw_images, interval_of, ratio_draws
from vlmexplain.overview.figures import Figure
from vlmexplain.positives.accepted import GalleryPositives
from vlmexplain.positives.figures import KEYS, CorrectedFigures, corrected_figures
from vlmexplain.positives.store import list_sources
from vlmexplain.scoring.run_store import Run


def corrected_overview(
    gallery: Gallery,
    run: Run,
    positives: GalleryPositives,
    chosen: NDArray[np.bool_] | None = None,
    seed: int = 0,
) -> tuple[Figure, ...]:
    """The figures of `positives.figures.KEYS`; none where no source lists queries.

    Raises:
        StoreError: the run or its embeddings are damaged.
    """
    if not positives.listed.any():
        return ()
    return figures_of(corrected_figures(gallery, run, positives, chosen), seed)


def figures_of(found: CorrectedFigures, seed: int = 0) -> tuple[Figure, ...]:
    """Each corrected figure with its interval; one without a value says why."""
    draws = draw_images(found.image_index, seed)
    ones = np.ones(len(found.captions))
    figures = []
    for key in KEYS:
        if key in found.values:
            drawn = ratio_draws(draws, found.values[key], ones)
            interval = interval_of(drawn, draws.n_groups)
            figures.append(Figure(key, found.mean(key), len(ones), interval))
        else:
            figures.append(Figure(key, None, 0, undefined_because=found.undefined[key]))
    return tuple(figures)


def has_sources(gallery_id: str) -> bool:
    """Whether a gallery has any source of positives; quicker than reading them."""
    return bool(list_sources(gallery_id))
