"""What the whole-model pages keep between reruns: bounded, shared by all sessions."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.lgip.result import open_lgip
from vlmexplain.overview.corrected import corrected_overview
from vlmexplain.overview.figures import Figure, run_figures
from vlmexplain.overview.gallery_table import lgip_key
from vlmexplain.overview.lgip_figures import lgip_overview
from vlmexplain.overview.run_columns import RunColumns, read_columns
from vlmexplain.overview.table import OverviewTable, overview_table
from vlmexplain.scoring.run_store import list_runs
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.positives_of import positives_key, positives_of
from vlmexplain.ui.shared.scope import Scope, rows_of


@st.cache_resource(max_entries=4, show_spinner="Reading the run ...")
def run_columns(run_key: str) -> RunColumns:
    """The columns of a run; about 120 bytes a query."""
    return read_columns(caches.run(run_key))


def table_of(gallery: Gallery, scope: Scope) -> OverviewTable:
    """The overview table of a gallery's runs over a scope."""
    runs = list_runs(gallery.id)
    keys = {run.key: lgip_key(run) for run in runs}
    found = []
    for run in runs:
        figures, n_queries = figures_of(gallery, run.key, scope, scope.key)
        lgip = lgip_figures_of(gallery, run.key, keys[run.key], scope, scope.key)
        corrected = corrected_figures_of(gallery, run.key, scope, scope.key, positives_key(gallery))
        found.append((run, (*figures, *corrected, *lgip), n_queries))
    return overview_table(found, keys)


@st.cache_data(max_entries=64, show_spinner="Drawing intervals ...")
def figures_of(
    _gallery: Gallery, run_key: str, _scope: Scope, scope_key: str
) -> tuple[tuple[Figure, ...], int]:
    """The figures of a run over a scope, and over how many queries they are."""
    columns = run_columns(run_key)
    rows = None if _scope.everything else rows_of(_gallery, columns, _scope)
    return run_figures(columns, rows), len(columns) if rows is None else int(rows.sum())


@st.cache_data(max_entries=64, show_spinner="Drawing intervals ...")
def corrected_figures_of(
    _gallery: Gallery, run_key: str, _scope: Scope, scope_key: str, positives: str
) -> tuple[Figure, ...]:
    """The figures of a run with every accepted image; none without a source of positives."""
    if not positives:
        return ()
    rows = None if _scope.everything else rows_of(_gallery, run_columns(run_key), _scope)
    return corrected_overview(_gallery, caches.run(run_key), positives_of(_gallery), rows)


@st.cache_data(max_entries=64, show_spinner="Reading LGIP ...")
def lgip_figures_of(
    _gallery: Gallery, run_key: str, lgip: str, _scope: Scope, scope_key: str
) -> tuple[Figure, ...]:
    """The LGIP figures of a result over a scope; none without a result."""
    if not lgip:
        return ()
    rows = None if _scope.everything else rows_of(_gallery, run_columns(run_key), _scope)
    return lgip_overview(open_lgip(lgip), chosen=rows)
