"""What needs the matchings of each failure: at once of few, of many a sample until a job ends."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.metrics.inventory_table import InventoryTable
from vlmexplain.overview.concept_errors import ConceptCount, Confusion, PairErrors, pair_errors
from vlmexplain.records import ProgressCallback
from vlmexplain.scoring.failure_scores import inventory_of
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.jobs import job_registry
from vlmexplain.ui.overview import kept
from vlmexplain.ui.overview.scope import Scope, current_scope, rows_of

JOB = "confusions"
INLINE = 2000
"""So many failures are matched while the page waits."""


class _Count:
    """The count over all failures of one scope of a run: its job, and what came of it."""

    def __init__(self) -> None:
        self.job: int | None = None
        self.found: PairErrors | None = None


@dataclass(frozen=True, slots=True)
class ErrorsOf:
    """Errors, and from how many failures they are."""

    found: PairErrors

    @property
    def confusions(self) -> tuple[Confusion, ...]:
        """The most frequent first."""
        return self.found.confusions

    @property
    def mis_sized(self) -> tuple[ConceptCount, ...]:
        """The most frequent first."""
        return self.found.mis_sized

    @property
    def sampled(self) -> bool:
        """Whether only some of the failures were looked at."""
        return self.found.n_failures < self.found.of

    def said(self) -> str:
        """From how many failures, in words."""
        of = f"From {self.found.n_failures:,} of {self.found.of:,} failures"
        return f"{of}, a seeded sample." if self.sampled else f"{of}."

    def of_which(self, cut: bool) -> str:
        """What is to be added where a list is cut short or is from a sample."""
        parts = [" (the first that were found)"] if cut else []
        if self.sampled:
            parts.append(f", in a sample of {self.found.n_failures:,} of {self.found.of:,}")
        return "".join(parts)


def errors_of(gallery: Gallery, run: Run) -> ErrorsOf:
    """Over all failures of the scope; of many a sample, while a job counts over all of them."""
    scope = current_scope(gallery.id)
    key = _key(run, scope)
    count = _count_of(key)
    if count.found is not None:
        return ErrorsOf(count.found)
    errors = ErrorsOf(_sampled(gallery, run, scope, key))
    if errors.sampled and count.job is None:
        count_all(gallery, run)
    return errors


def is_counting(gallery: Gallery, run: Run) -> bool:
    """Whether the job is at work."""
    count = _count_of(_key(run, current_scope(gallery.id)))
    running = {view.number for view in job_registry().views(JOB) if view.status == "running"}
    return count.job in running


def count_all(gallery: Gallery, run: Run) -> None:
    """Start the job that counts over all failures of the scope."""
    scope = current_scope(gallery.id)
    key, columns = _key(run, scope), kept.run_columns(run.key)
    rows, table, count = (
        rows_of(gallery, columns, scope),
        _table(gallery, gallery.id),
        _count_of(key),
    )

    def work(progress: ProgressCallback) -> None:
        options = run.manifest.options
        count.found = pair_errors(gallery, columns, rows, options, None, progress, table)

    count.job = job_registry().start(JOB, f"Confusions of {run.model.name}", key, work)


@st.cache_resource(max_entries=8, show_spinner=False)
def _count_of(key: str) -> _Count:
    return _Count()


@st.cache_resource(max_entries=2, show_spinner="Reading the gallery ...")
def _table(_gallery: Gallery, gallery_id: str) -> InventoryTable:
    return inventory_of(_gallery)


def _key(run: Run, scope: Scope) -> str:
    return content_key([run.key, scope.key])


@st.cache_data(max_entries=8, show_spinner="Matching a sample of failures ...")
def _sampled(_gallery: Gallery, _run: Run, _scope: Scope, key: str) -> PairErrors:
    columns = kept.run_columns(_run.key)
    rows = rows_of(_gallery, columns, _scope)
    table = _table(_gallery, _gallery.id)
    return pair_errors(_gallery, columns, rows, _run.manifest.options, INLINE, table=table)
