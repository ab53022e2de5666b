"""What the whole-model pages keep between reruns: bounded, shared by all sessions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from vlmexplain.lgip.result import open_lgip
from vlmexplain.overview.figures import Figure, run_figures
from vlmexplain.overview.gallery_table import lgip_key
from vlmexplain.overview.lgip_figures import lgip_overview
from vlmexplain.overview.run_columns import RunColumns, read_columns
from vlmexplain.overview.table import OverviewTable, overview_table
from vlmexplain.scoring.run_store import RunManifest, list_runs
from vlmexplain.ui import caches


@st.cache_resource(max_entries=4, show_spinner="Reading the run ...")
def run_columns(run_key: str) -> RunColumns:
    """The columns of a run; about 90 bytes a query."""
    return read_columns(caches.run(run_key))


@st.cache_data(max_entries=64, show_spinner="Drawing intervals ...")
def figures_of(run_key: str) -> tuple[Figure, ...]:
    """The figures over all queries of a run."""
    return run_figures(run_columns(run_key))


@st.cache_data(max_entries=64, show_spinner="Reading LGIP ...")
def lgip_figures_of(lgip: str) -> tuple[Figure, ...]:
    """The LGIP figures of a result."""
    return lgip_overview(open_lgip(lgip)) if lgip else ()


def table_without(gallery_id: str, captions: tuple[int, ...]) -> OverviewTable:
    """The overview table over all queries but these."""
    return overview_table(
        [
            (each, (*figures_without(each.key, captions), *lgip_figures_of(lgip_key(each))),
             each.n_queries - len(captions))
            for each in list_runs(gallery_id)
        ]
    )  # fmt: skip


@st.cache_data(max_entries=32, show_spinner="Drawing intervals ...")
def figures_without(run_key: str, captions: tuple[int, ...]) -> tuple[Figure, ...]:
    """The figures of a run over all queries but these."""
    columns = run_columns(run_key)
    rows = np.ones(len(columns), dtype=bool)
    rows[list(captions)] = False
    return run_figures(columns, rows)


def table_of(gallery_id: str) -> OverviewTable:
    """The overview table of a gallery's runs."""
    return overview_table([_row(each) for each in list_runs(gallery_id)])


def _row(run: RunManifest) -> tuple[RunManifest, tuple[Figure, ...], int]:
    figures = (*figures_of(run.key), *lgip_figures_of(lgip_key(run)))
    return run, figures, run.n_queries
