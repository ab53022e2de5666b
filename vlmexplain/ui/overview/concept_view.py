"""Concepts on the Overview page: the most missed, miscounted, mis-sized, confused."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.concept_errors import (
    ConceptCount,
    Confusion,
    PairErrors,
    miscounted_concepts,
    missed_concepts,
    pair_errors,
)
from vlmexplain.records import ProgressCallback
from vlmexplain.scoring.run_store import Run
from vlmexplain.storage import content_key
from vlmexplain.ui.html import Html, tag
from vlmexplain.ui.job_list import watch_jobs
from vlmexplain.ui.jobs import job_registry
from vlmexplain.ui.overview import kept
from vlmexplain.ui.overview.links import explore_link
from vlmexplain.ui.overview.slice_view import facts_of, left_out, rows_of
from vlmexplain.ui.words import short_name

JOB = "confusions"
INLINE = 200
SHOWN = 12


def draw_concepts(gallery: Gallery, run: Run) -> None:
    """The tables, over the failures of the slice that the address names."""
    columns, facts = kept.run_columns(run.key), facts_of(gallery, gallery.id)
    rows = rows_of(gallery, columns)
    left, right = st.columns(2)
    left.html(_counts("Most missed", "of the failures whose ground truth has it",
                      missed_concepts(columns, facts, rows), gallery, run, "has"))  # fmt: skip
    right.html(_counts("Most miscounted", "of the failures where it is common and countable",
                       miscounted_concepts(columns, facts, rows), gallery, run, "has"))  # fmt: skip
    errors = _pair_errors(gallery, run)
    said = f"From {errors.n_failures:,} of {errors.of:,} failures"
    said += ", a seeded sample." if errors.n_failures < errors.of else "."
    st.html(tag("div", tag("p", said, class_="quiet small"), class_="vx"))
    if errors.n_failures < errors.of and st.button("Count over all of them"):
        _start(gallery, run)
    watch_jobs(JOB)
    left, right = st.columns(2)
    left.html(_confusions(errors.confusions, gallery, run))
    right.html(_counts("Most mis-sized", "matched pairs of boxes", errors.mis_sized,
                       gallery, run, "has"))  # fmt: skip
    left.html(_network(errors.confusions))


def _key(gallery: Gallery, run: Run) -> str:
    from vlmexplain.ui.overview.slice_view import asked_slice

    return content_key([run.key, repr(asked_slice()), left_out(gallery.id)])


def _pair_errors(gallery: Gallery, run: Run) -> PairErrors:
    """What a job counted over all failures, else a sample."""
    key = _key(gallery, run)
    for view in job_registry().views(JOB):
        if view.status == "done" and view.result[0] == key:
            found: PairErrors = view.result[1]
            return found
    sampled: PairErrors = _sampled(gallery, run, key)
    return sampled


@st.cache_data(max_entries=32, show_spinner="Matching a sample of failures ...")
def _sampled(_gallery: Gallery, _run: Run, key: str) -> PairErrors:
    columns = kept.run_columns(_run.key)
    rows = rows_of(_gallery, columns)
    return pair_errors(_gallery, columns, rows, _run.manifest.options, INLINE)


def _start(gallery: Gallery, run: Run) -> None:
    key, columns = _key(gallery, run), kept.run_columns(run.key)
    rows = rows_of(gallery, columns)

    def work(progress: ProgressCallback) -> tuple[str, PairErrors]:
        options = run.manifest.options
        return key, pair_errors(gallery, columns, rows, options, progress=progress)

    job_registry().start(JOB, f"Confusions of {run.model.name}", key, work)
    st.rerun()


def _counts(
    title: str, cases: str, counts: Sequence[ConceptCount], gallery: Gallery, run: Run, side: str
) -> Html:
    body = [
        tag("tr",
            tag("td", tag("a", short_name(each.concept), target="_self",
                          href=explore_link(gallery.id, run.key, {side: each.concept}))),
            tag("td", f"{each.wrong:,} of {each.cases:,}", class_="r"),
            tag("td", f"{100 * each.share:.0f} %", class_="r"))
        for each in counts[:SHOWN]
    ]  # fmt: skip
    return tag(
        "div", tag("h3", title), tag("p", cases, class_="quiet small"),
        tag("table", tag("tbody", body)) if body else tag("p", "none", class_="quiet"),
        class_="vx rows",
    )  # fmt: skip


def _confusions(confusions: Sequence[Confusion], gallery: Gallery, run: Run) -> Html:
    body = [
        tag("tr",
            tag("td", tag("a", f"{short_name(each.ground_truth)} → {short_name(each.retrieved)}",
                          target="_self", href=explore_link(gallery.id, run.key, {
                              "has": each.ground_truth, "got": each.retrieved}))),
            tag("td", f"{each.count:,}", class_="r"),
            tag("td", f"ps {each.ps:.3f}", class_="r"))
        for each in confusions[:SHOWN]
    ]  # fmt: skip
    return tag(
        "div", tag("h3", "Most confused"),
        tag("p", "ground truth → retrieved, matched left-over concepts", class_="quiet small"),
        tag("table", tag("tbody", body)) if body else tag("p", "none", class_="quiet"),
        class_="vx rows",
    )  # fmt: skip


def _network(confusions: Sequence[Confusion]) -> Html | str:
    """Each concept with those it is confused with, the most connected first."""
    beside: dict[str, dict[str, int]] = {}
    for each in confusions:
        for one, other in (
            (each.ground_truth, each.retrieved),
            (each.retrieved, each.ground_truth),
        ):
            near = beside.setdefault(one, {})
            near[other] = near.get(other, 0) + each.count
    order = sorted(beside, key=lambda name: (-sum(beside[name].values()), name))[:SHOWN]
    items = []
    for name in order:
        most = sorted(beside[name].items(), key=lambda pair: (-pair[1], pair[0]))[:6]
        listed = ", ".join(f"{short_name(other)} ×{n}" for other, n in most)
        items.append((tag("dt", short_name(name)), tag("dd", listed)))
    return tag("div", tag("h3", "Confusion network"),
               tag("p", "each concept with those it is confused with, either way",
                   class_="quiet small"),
               tag("dl", items, class_="facts"), class_="vx") if items else ""  # fmt: skip
