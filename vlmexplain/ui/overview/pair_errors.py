"""What needs the matchings of each failure: a sample at once, all of them by a job."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.concept_errors import ConceptCount, Confusion, PairErrors, pair_errors
from vlmexplain.records import ProgressCallback
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.jobs import job_registry
from vlmexplain.ui.overview import kept
from vlmexplain.ui.overview.scope import Scope, current_scope, rows_of

JOB = "confusions"
INLINE = 200


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
    """What a job counted over all failures of the scope, else a sample."""
    scope = current_scope(gallery.id)
    key = _key(run, scope)
    for view in job_registry().views(JOB):
        if view.status == "done" and view.result[0] == key:
            return ErrorsOf(view.result[1])
    return ErrorsOf(_sampled(gallery, run, scope, key))


def count_all(gallery: Gallery, run: Run) -> None:
    """Start the job that counts over all failures of the scope."""
    scope = current_scope(gallery.id)
    key, columns = _key(run, scope), kept.run_columns(run.key)
    rows = rows_of(gallery, columns, scope)

    def work(progress: ProgressCallback) -> tuple[str, PairErrors]:
        options = run.manifest.options
        return key, pair_errors(gallery, columns, rows, options, progress=progress)

    job_registry().start(JOB, f"Confusions of {run.model.name}", key, work)


def _key(run: Run, scope: Scope) -> str:
    return content_key([run.key, scope.key])


@st.cache_data(max_entries=32, show_spinner="Matching a sample of failures ...")
def _sampled(_gallery: Gallery, _run: Run, _scope: Scope, key: str) -> PairErrors:
    columns = kept.run_columns(_run.key)
    rows = rows_of(_gallery, columns, _scope)
    return pair_errors(_gallery, columns, rows, _run.manifest.options, INLINE)
