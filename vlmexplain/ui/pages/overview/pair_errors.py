"""What needs the matchings of each failure: at once of few, of many a sample until a job ends."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.concept_errors import ConceptCount, Confusion, PairErrors, pair_errors
from vlmexplain.records import Progress, ProgressCallback
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.server.jobs import job_registry
from vlmexplain.ui.shared import kept
from vlmexplain.ui.shared.scope import Scope, current_scope, rows_of

JOB = "confusions"
INLINE = 2000
"""So many failures are matched while the page waits."""

_turn = threading.Lock()


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
    """Over all failures of the scope; of many a sample, until the job of `count_rest` is done."""
    scope = current_scope(gallery.id)
    key = _key(run, scope)
    found = _count_of(key).found
    return ErrorsOf(found or _sampled(gallery, run, scope, key))


def count_rest(gallery: Gallery, run: Run, errors: ErrorsOf) -> None:
    """Start the job where only a sample was looked at, unless it was stopped; drawn last of all."""
    if errors.sampled and _count_of(_key(run, current_scope(gallery.id))).job is None:
        count_all(gallery, run)


def was_stopped(gallery: Gallery, run: Run) -> bool:
    """Whether the job was begun and is not at work any more."""
    job = _count_of(_key(run, current_scope(gallery.id))).job
    running = {view.number for view in job_registry().views(JOB) if view.status == "running"}
    return job is not None and job not in running


def count_all(gallery: Gallery, run: Run) -> None:
    """Start the job that counts over all failures of the scope."""
    scope = current_scope(gallery.id)
    key, columns = _key(run, scope), kept.run_columns(run.key)
    rows, count = rows_of(gallery, columns, scope), _count_of(key)

    def work(progress: ProgressCallback) -> None:
        options = run.manifest.options
        while not _turn.acquire(timeout=0.5):  # each needs some 200 MiB while it counts
            progress(Progress("wait for another count", 0, 1))
        try:
            count.found = pair_errors(gallery, columns, rows, options, progress=progress)
        finally:
            _turn.release()

    count.job = job_registry().start(JOB, f"Confusions of {run.model.name}", key, work)


@st.cache_resource(max_entries=16, show_spinner=False)
def _count_of(key: str) -> _Count:
    return _Count()


def _key(run: Run, scope: Scope) -> str:
    return content_key([run.key, scope.key])


@st.cache_data(max_entries=8, show_spinner="Matching a sample of failures ...")
def _sampled(_gallery: Gallery, _run: Run, _scope: Scope, key: str) -> PairErrors:
    columns = kept.run_columns(_run.key)
    rows = rows_of(_gallery, columns, _scope)
    return pair_errors(_gallery, columns, rows, _run.manifest.options, INLINE)
