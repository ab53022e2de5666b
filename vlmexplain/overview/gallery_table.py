"""The overview table of a gallery, read from its finished runs."""

from __future__ import annotations

from vlmexplain.lgip.result import list_lgip, open_lgip
from vlmexplain.overview.figures import Figure, run_figures
from vlmexplain.overview.lgip_figures import lgip_overview
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.table import OverviewTable, overview_table
from vlmexplain.scoring.run_store import RunManifest, list_runs, open_run


def gallery_table(gallery_id: str, seed: int = 0) -> OverviewTable:
    """The figures of every finished run of a gallery, the latest first.

    Raises:
        StoreError: a run's file is damaged.
    """
    return overview_table(
        [
            (each, (*_figures(each, seed), *lgip_of(each, seed)), each.n_queries)
            for each in list_runs(gallery_id)
        ]
    )


def lgip_key(run: RunManifest) -> str:
    """The latest LGIP result of the run's model on its gallery, or ""."""
    found = (m for m in list_lgip(run.gallery_id) if m.model.digest == run.model.digest)
    return next((m.key for m in found), "")


def lgip_of(run: RunManifest, seed: int = 0) -> tuple[Figure, ...]:
    """The LGIP figures of the run's model on its gallery; none without a result."""
    key = lgip_key(run)
    return lgip_overview(open_lgip(key), seed) if key else ()


def _figures(run: RunManifest, seed: int) -> tuple[Figure, ...]:
    return run_figures(read_columns(open_run(run.key)), seed=seed)
