"""What was made from a gallery: its runs and where they come from, and what is on disk."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.kept import KeptEntry, list_kept
from vlmexplain.lgip.result import LgipManifest, list_lgip
from vlmexplain.records import ModelIdentity
from vlmexplain.scoring.run_store import RunManifest, list_runs
from vlmexplain.storage import home
from vlmexplain.ui.shared.address import Codec, PageAddress, short
from vlmexplain.ui.shared.html import Html, tag, wide
from vlmexplain.ui.shared.lgip_address import LGIP
from vlmexplain.ui.shared.lgip_names import source_name
from vlmexplain.ui.shared.words import drawn_pill
from vlmexplain.wording.words import size_text

KIND_NAMES = {
    "galleries": "Data sets",
    "embeddings": "Embeddings",
    "runs": "Runs",
    "lgip": "LGIP results",
    "mentions": "Mentions of concepts",
    "unfinished": "Work that was never finished",
    "partial": "Left by processes that were killed",
}
HEADS = (("Kind", None), ("What", None), ("Key", None), ("Size", "r"), ("Needed", None))
MOST_LINES = 60


def draw_runs(gallery: Gallery) -> None:
    """Every run and LGIP result of the gallery, with the origin of its model."""
    runs = list_runs(gallery.id)
    probed = list_lgip(gallery.id)
    if not runs and not probed:
        st.html(tag("div", tag("p", "No model has ranked this data set yet."), class_="vx"))
        return
    st.html(tag("div", [_run(run) for run in runs], [_lgip(each) for each in probed], class_="vx"))


def draw_sizes(gallery: Gallery) -> None:
    """What is kept on disk under the home folder, the largest first, and the sum of each kind."""
    entries = _entries(str(home()))
    kinds = list(dict.fromkeys(entry.kind for entry in entries))
    sums = [
        tag("div", tag("dt", KIND_NAMES.get(kind, kind)),
            tag("dd", size_text(sum(e.size_bytes for e in entries if e.kind == kind)), class_="v"))
        for kind in kinds
    ]  # fmt: skip
    heads = [tag("th", head, scope="col", class_=align) for head, align in HEADS]
    body = [
        tag("tr", tag("td", KIND_NAMES.get(e.kind, e.kind)), tag("td", e.about),
            tag("td", tag("code", short(e.name))),
            tag("td", size_text(e.size_bytes), class_="r"),
            tag("td", "yes" if e.needed else "no: `vlmexplain cache prune` removes it"))
        for e in entries[:MOST_LINES]
    ]  # fmt: skip
    more = len(entries) - MOST_LINES
    st.html(
        tag("div", tag("dl", sums, class_="ranks", style="margin-bottom:10px"),
            wide("What is kept", tag("table", tag("thead", tag("tr", heads)), tag("tbody", body))),
            tag("p", f"and {more:,} more", class_="quiet small") if more > 0 else None,
            class_="vx")
    )  # fmt: skip


@st.cache_data(ttl=20, max_entries=1, show_spinner="Adding up ...")
def _entries(kept_under: str) -> list[KeptEntry]:
    return list_kept()


def _run(run: RunManifest) -> Html:
    this = {"gallery": short(run.gallery_id), "run": short(run.key)}
    explore, overview = (Codec(PageAddress, page).link(**this) for page in ("", "overview"))
    facts = [
        ("failures", f"{run.n_failures:,} of {run.n_queries:,} queries"),
        ("images ranked", f"{run.n_images_ranked:,} of {run.n_images:,}"),
        ("kept of each ranking", f"the {run.k} best images"),
        ("made", _when(run.created_s)),
        ("took", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in run.seconds.items())),
        ("run", run.key),
    ]
    links: list[object] = [tag("a", "Explore", href=explore), " · ",
                           tag("a", "Overview", href=overview)]  # fmt: skip
    return _work(run.model, f"{run.mode} run", run.drawn, facts, links)


def _lgip(result: LgipManifest) -> Html:
    facts = [
        ("perturbations", source_name(result)),
        ("triples", f"{result.figures.n_invariance + result.figures.sensitivity.count:,}"),
        ("made", _when(result.created_s)),
        ("took", f"{result.seconds:.1f} s"),
        ("result", result.key),
    ]
    link = LGIP.link(gallery=short(result.gallery_id), lgip=short(result.key))
    return _work(result.model, "LGIP", result.drawn, facts, [tag("a", "LGIP page", href=link)])


def _work(
    model: ModelIdentity, what: str, drawn: bool, facts: Sequence[tuple[str, str]],
    links: Sequence[object],
) -> Html:  # fmt: skip
    origin = [*model.facts, ("digest", model.digest)]
    return tag(
        "section",
        tag("h3", model.name, " ", tag("span", what, class_="quiet"), " ",
            drawn_pill() if drawn else None),
        tag("p", links, class_="small"),
        _listed(facts),
        tag("details", tag("summary", "Where the model comes from"), _listed(origin)),
        style="margin:14px 0",
    )  # fmt: skip


def _listed(facts: Sequence[tuple[str, str]]) -> Html:
    known = [(tag("dt", name), tag("dd", value)) for name, value in facts if value]
    return tag("dl", known, class_="facts")


def _when(unix_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(unix_s))
