"""Which failures of a run are explained, and explaining them one after another, each kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import UnknownName
from vlmexplain.models.load import identify, load_model
from vlmexplain.models.protocol import Encoder
from vlmexplain.positives.store import list_sources
from vlmexplain.reasons.engine import ReasonEngine, ReasonOptions
from vlmexplain.reasons.kept import keep, read_kept
from vlmexplain.reasons.reason import FailureReasons, to_json
from vlmexplain.records import Progress, ProgressCallback, no_progress
from vlmexplain.scoring.run_store import Run, list_runs, open_run
from vlmexplain.storage import content_key

DEFAULT_OPTIONS = ReasonOptions()


def explain_reasons(
    gallery: Gallery,
    run: Run,
    caption_index: int,
    *,
    encoder: Encoder | None = None,
    options: ReasonOptions = DEFAULT_OPTIONS,
    progress: ProgressCallback = no_progress,
) -> FailureReasons:
    """Why one query of a run failed: each reason with a test of it, and one sentence.

    What was found before is read.

    Args:
        gallery, run: the run must be of this gallery.
        caption_index: which query.
        encoder: the run's model, when the caller keeps it loaded.
        options: see `ReasonOptions`.
        progress: called after each reason; may raise `Cancelled`.

    Raises:
        GalleryError: there is no such caption.
        ModelError, UnknownName, MissingPackage: as `models.load.load_model`.
    """
    (found,) = explain_many(
        gallery, run, [caption_index], encoder=encoder, options=options, progress=progress
    )
    return found


def explain_many(
    gallery: Gallery,
    run: Run,
    caption_indices: Sequence[int],
    *,
    encoder: Encoder | None = None,
    options: ReasonOptions = DEFAULT_OPTIONS,
    progress: ProgressCallback = no_progress,
) -> Iterator[FailureReasons]:
    """As `explain_reasons` for many queries, in order; killed and asked again it goes on.

    The model is loaded when the first query is found that is not kept.
    """
    accepted = accepted_digest(gallery)
    engine: ReasonEngine | None = None
    for done, caption_index in enumerate(caption_indices):
        gallery.caption(caption_index)
        progress(Progress("explain failures", done, len(caption_indices), "failures"))
        found = read_kept(run, caption_index, options, accepted)
        if found is None:
            if engine is None:
                model = encoder or load_model(run.model.spec or run.model.name)
                engine = ReasonEngine(gallery, run, model, options, progress)
            found = engine.explain(caption_index, _stoppable(progress, done, len(caption_indices)))
            keep(run, found, options, accepted)
        yield found
    total = len(caption_indices)
    progress(Progress("explain failures", total, total, "failures"))


def accepted_digest(gallery: Gallery) -> str:
    """What the gallery's accepted positives are, as part of a key; "" without any source."""
    kept = list_sources(gallery.id)
    return content_key([repr(one) for one in kept]) if kept else ""


def latest_run(gallery: Gallery, model_spec: str) -> Run:
    """The latest run of a model on a gallery.

    Raises:
        UnknownName: the model has not ranked the gallery.
    """
    runs = list_runs(gallery.id)
    named = [m for m in runs if model_spec in (m.model.name, m.model.spec)]
    if not named and runs:
        digest = identify(model_spec).digest
        named = [m for m in runs if m.model.digest == digest]
    if not named:
        raise UnknownName(
            "run of model", model_spec, [m.model.name for m in runs], where=gallery.name
        )
    return open_run(named[0].key)


def failures_of(run: Run) -> list[int]:
    """The caption indices of all failures, ascending."""
    failed = run.rows_table.column("failure").to_numpy(zero_copy_only=False)
    return [int(row) for row in np.flatnonzero(failed)]


def sampled_failures(run: Run, n: int, seed: int) -> list[int]:
    """A random sample of the failures, in the order drawn; all of them when there are fewer."""
    every = failures_of(run)
    order = np.random.default_rng(seed).permutation(len(every))[:n]
    return [every[place] for place in order]


def reasons_document(run: Run, seed: int, found: Iterable[FailureReasons]) -> dict[str, object]:
    """What the command prints with ``--json``."""
    return {"run": run.key, "seed": seed, "queries": [to_json(one) for one in found]}


def _stoppable(progress: ProgressCallback, done: int, total: int) -> Callable[[Progress], None]:
    """Passes the reasons of one failure on as the progress of all."""

    def report(_: Progress) -> None:
        progress(Progress("explain failures", done, total, "failures"))

    return report
