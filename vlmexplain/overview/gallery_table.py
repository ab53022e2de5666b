"""The overview table of a gallery, read from its finished runs."""

from __future__ import annotations

from vlmexplain.overview.figures import run_figures
from vlmexplain.overview.run_columns import read_columns
from vlmexplain.overview.table import OverviewTable, overview_table
from vlmexplain.scoring.run_store import list_runs, open_run


def gallery_table(gallery_id: str, seed: int = 0) -> OverviewTable:
    """The figures of every finished run of a gallery, the latest first.

    Raises:
        StoreError: a run's file is damaged.
    """
    manifests = list_runs(gallery_id)
    return overview_table(
        [
            (each, run_figures(read_columns(open_run(each.key)), seed=seed), each.n_queries)
            for each in manifests
        ]
    )
