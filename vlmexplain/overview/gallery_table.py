"""The overview table of a gallery, read from its finished runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vlmexplain.datasets.gallery import open_gallery
from vlmexplain.lgip.result import list_lgip, open_lgip
from vlmexplain.overview.corrected import corrected_overview, has_sources
from vlmexplain.overview.figures import Figure, run_figures
from vlmexplain.overview.lgip_figures import lgip_overview
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.table import OverviewTable, overview_table
from vlmexplain.positives.accepted import gallery_positives
from vlmexplain.scoring.run_store import RunManifest, list_runs, open_run


def gallery_table(
    gallery_id: str, seed: int = 0, chosen: NDArray[np.bool_] | None = None
) -> OverviewTable:
    """The figures of every finished run of a gallery, the latest first.

    Args:
        seed: of the bootstrap.
        chosen: bool [n_captions], only over these; None for all.

    Raises:
        StoreError: a run's file is damaged.
    """
    runs = list_runs(gallery_id)
    return overview_table(
        [
            (each, (*_figures(each, seed, chosen), *corrected_of(each, seed, chosen),
                    *lgip_of(each, seed, chosen)),
             each.n_queries if chosen is None else int(chosen.sum()))
            for each in runs
        ],
        {each.key: lgip_key(each) for each in runs},
    )  # fmt: skip


def lgip_key(run: RunManifest) -> str:
    """The LGIP result of the run's model on its gallery, or "".

    Models are compared here, so the benchmark's own perturbations come first (paper mode, seed
    0), and only a model without them is shown by its latest result.
    """
    found = [m for m in list_lgip(run.gallery_id) if m.model.digest == run.model.digest]
    comparable = [
        m
        for m in found
        if m.perturbations.get("mode") == "paper" and m.perturbations.get("seed") == 0
    ]
    return next((m.key for m in (*comparable, *found)), "")


def lgip_of(
    run: RunManifest, seed: int = 0, chosen: NDArray[np.bool_] | None = None
) -> tuple[Figure, ...]:
    """The LGIP figures of the run's model on its gallery; none without a result."""
    key = lgip_key(run)
    return lgip_overview(open_lgip(key), seed, chosen) if key else ()


def corrected_of(
    run: RunManifest, seed: int = 0, chosen: NDArray[np.bool_] | None = None
) -> tuple[Figure, ...]:
    """The corrected figures of a run; none without a source of positives."""
    if not has_sources(run.gallery_id):
        return ()
    gallery = open_gallery(run.gallery_id)
    positives = gallery_positives(gallery)
    return corrected_overview(gallery, open_run(run.key), positives, chosen, seed)


def _figures(run: RunManifest, seed: int, chosen: NDArray[np.bool_] | None) -> tuple[Figure, ...]:
    return run_figures(read_columns(open_run(run.key)), chosen, seed)
