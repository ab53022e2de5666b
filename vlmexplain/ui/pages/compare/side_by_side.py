"""One query under two runs: the ground truth and both retrieved images with their evidence."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.explain import Explanation, explain_query
from vlmexplain.handover.evidence import cards
from vlmexplain.handover.roles import roles_of
from vlmexplain.records import ImageAnnotations
from vlmexplain.scoring.run_store import RunManifest
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.explore_address import query_link
from vlmexplain.ui.shared.html import tag
from vlmexplain.ui.shared.photo import photo
from vlmexplain.ui.shared.words import Role


def draw_side_by_side(gallery: Gallery, a: RunManifest, b: RunManifest, query: int) -> None:
    """The caption, three pictures, and the metrics of both."""
    found = []
    for manifest in (a, b):
        run = caches.run(manifest.key)
        found.append(explain_query(gallery, run, query, table=caches.queries_of(run, gallery)))
    truth = found[0].ground_truth
    assert truth.image_index is not None
    st.html(
        tag(
            "div",
            tag("div", tag("blockquote", found[0].query), class_="query"),
            class_="vx compare-one",
        )
    )
    left, *others = st.columns(3)
    either = tuple(i for f in found if f.retrieved for i in f.retrieved.annotations.instances)
    ranks = " · ".join(f"{name}: {_rank(each)}" for name, each in zip("AB", found, strict=True))
    roles = roles_of(truth.annotations, ImageAnnotations(1, 1, either))
    shown: dict[str, Role] = {name: role for name, role in roles.items() if role != "extra"}
    left.html(photo(gallery, truth.image_index, truth.annotations, shown, "Ground truth",
                    f"{ranks} · = in A's or B's image too", "compare-truth"))  # fmt: skip
    for spot, each, manifest, letter in zip(others, found, (a, b), "AB", strict=True):
        if each.retrieved is None or each.pair is None or each.retrieved.image_index is None:
            spot.html(tag("div", tag("p", "No image has a score."), class_="vx"))
            continue
        note = "right: a ground truth" if each.retrieved.is_ground_truth else "wrong"
        link = query_link(gallery.id, manifest.key, query)
        own = roles_of(truth.annotations, each.retrieved.annotations)
        spot.html(photo(gallery, each.retrieved.image_index, each.retrieved.annotations, own,
                        f"{letter}: {manifest.model.name}", note, f"compare-{letter}"))  # fmt: skip
        spot.html(tag("div", cards(each.pair), tag("a", "All evidence", href=link),
                      class_="vx three"))  # fmt: skip


def _rank(found: Explanation) -> str:
    return "unranked" if found.rank_1based is None else f"rank {found.rank_1based:,}"
