"""Concepts on the Overview page: the most missed, miscounted, mis-sized, confused."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.overview.concept_errors import (
    ConceptCount,
    Confusion,
    miscounted_concepts,
    missed_concepts,
)
from vlmexplain.scoring.run_store import Run
from vlmexplain.ui.pages.overview.behind_view import behind_link
from vlmexplain.ui.pages.overview.network_view import draw_network
from vlmexplain.ui.pages.overview.pair_errors import (
    JOB,
    count_all,
    count_rest,
    errors_of,
    was_stopped,
)
from vlmexplain.ui.shared import kept
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.job_list import watch_jobs
from vlmexplain.ui.shared.scope import facts_of, rows_of
from vlmexplain.ui.shared.words import short_name

SHOWN = 12


def draw_concepts(gallery: Gallery, run: Run) -> None:
    """The tables and the network, over the failures that the page is about."""
    columns, facts = kept.run_columns(run.key), facts_of(gallery, gallery.id)
    rows = rows_of(gallery, columns)
    left, right = st.columns(2, gap="large")
    left.html(_counts("Most missed", "of the failures whose ground truth has it", "missed",
                      missed_concepts(columns, facts, rows), run))  # fmt: skip
    right.html(_counts("Most miscounted", "of the failures where both images have it and it can "
                       "be counted", "miscounted", miscounted_concepts(columns, facts, rows),
                       run))  # fmt: skip
    errors = errors_of(gallery, run)
    st.html(tag("div", tag("h2", "From the matchings"), tag("p", errors.said(), class_="quiet"),
                class_="vx"))  # fmt: skip
    stopped = errors.sampled and was_stopped(gallery, run)
    if stopped and st.button("Count over all of them", icon=":material/functions:"):
        count_all(gallery, run)
        st.rerun()
    watch_jobs(JOB)
    draw_network(errors.confusions, run)
    left, right = st.columns(2, gap="large")
    left.html(_confusions(errors.confusions, run))
    right.html(_counts("Most mis-sized", "of the matched pairs of boxes", "mis-sized",
                       errors.mis_sized, run))  # fmt: skip
    count_rest(gallery, run, errors)


def _counts(title: str, cases: str, kind: str, counts: Sequence[ConceptCount], run: Run) -> Html:
    body = [
        tag("tr",
            tag("td", tag("a", short_name(each.concept), title=each.concept,
                          href=behind_link(run.key, f"{kind}:{each.concept}"))),
            tag("td", f"{each.wrong:,} of {each.cases:,}", class_="r"),
            tag("td", f"{100 * each.share:.0f} %", class_="r"))
        for each in counts[:SHOWN] if each.wrong
    ]  # fmt: skip
    return _table(title, cases, body)


def _confusions(confusions: Sequence[Confusion], run: Run) -> Html:
    body = [
        tag("tr",
            tag("td", tag("a", f"{short_name(each.ground_truth)} → {short_name(each.retrieved)}",
                          href=confusion_link(run.key, each))),
            tag("td", f"{each.count:,}", class_="r"),
            tag("td", f"ps {each.ps:.3f}", class_="r"))
        for each in confusions[:SHOWN]
    ]  # fmt: skip
    return _table("Most confused", "ground truth → retrieved, in how many failures the two were "
                  "matched, and their path similarity", body)  # fmt: skip


def _table(title: str, said: str, body: Sequence[Html]) -> Html:
    return tag(
        "div", tag("h3", title), tag("p", said, class_="quiet small"),
        tag("table", tag("tbody", body)) if body else tag("p", "none", class_="quiet"),
        class_="vx rows",
    )  # fmt: skip


def confusion_link(run_key: str, confusion: Confusion) -> str:
    """The failures in which the two were matched."""
    return behind_link(run_key, f"confused:{confusion.ground_truth}|{confusion.retrieved}")
