"""One query under two runs: the ground truth and both retrieved images with their evidence."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.explain import ExplainedImage, Explanation, explain_query
from vlmexplain.handover.boxes import picture
from vlmexplain.handover.evidence import cards
from vlmexplain.handover.failures import HandedImage
from vlmexplain.handover.roles import roles_of
from vlmexplain.scoring.run_store import RunManifest
from vlmexplain.ui import caches
from vlmexplain.ui.html import Html, tag
from vlmexplain.ui.media import media_address
from vlmexplain.ui.overview.links import explore_link
from vlmexplain.ui.words import Role


def draw_side_by_side(gallery: Gallery, a: RunManifest, b: RunManifest, query: int) -> None:
    """The caption, three pictures, and the metrics of both."""
    runs = [caches.run(each.key) for each in (a, b)]
    found = [explain_query(gallery, run, query, table=caches.queries_of(run, gallery))
             for run in runs]  # fmt: skip
    truth = found[0].ground_truth
    st.html(tag("div", tag("div", tag("blockquote", found[0].query), class_="query"), class_="vx"))
    for n, spot in enumerate(st.columns(3)):
        if n == 0:
            right = found[0].retrieved.annotations if found[0].retrieved else truth.annotations
            roles = roles_of(truth.annotations, right)
            place = " · ".join(
                f"{name}: {_rank(each)}" for name, each in zip("AB", found, strict=True)
            )
            spot.html(_figure(gallery, truth, roles, "Ground truth", place, "t"))
            continue
        each, manifest, letter = found[n - 1], (a, b)[n - 1], "AB"[n - 1]
        if each.retrieved is None or each.pair is None:
            spot.html(tag("div", tag("p", "No image has a score."), class_="vx"))
            continue
        roles = roles_of(truth.annotations, each.retrieved.annotations)
        note = "right: a ground truth" if each.retrieved.is_ground_truth else "wrong"
        link = explore_link(gallery.id, manifest.key, {"query": query, "failures": "no"})
        spot.html(
            _figure(
                gallery, each.retrieved, roles, f"{letter}: {manifest.model.name}", note, letter
            )
        )
        spot.html(tag("div", cards(each.pair), tag("a", "All evidence", href=link, target="_self"),
                      class_="vx three"))  # fmt: skip


def _rank(found: Explanation) -> str:
    return "unranked" if found.rank_1based is None else f"rank {found.rank_1based:,}"


def _figure(
    gallery: Gallery, explained: ExplainedImage, roles: dict[str, Role], title: str, note: str,
    spot: str,
) -> Html:  # fmt: skip
    assert explained.image_index is not None
    image = gallery.image(explained.image_index)
    src, problem = "", ""
    try:
        content, mime = caches.picture(
            gallery, str(gallery.images_folder), image.content_sha256, image.index
        )
        src = media_address(content, mime, f"compare-{spot}")
    except VlmexplainError as error:
        problem = error.message
    captions = gallery.captions_of(image.index)
    handed = HandedImage(
        src, problem, image.image_id, image.file_name, image.licence, image.licence_url,
        image.source_url or image.coco_url, captions[0].text if captions else "",
    )  # fmt: skip
    shown = picture(handed, explained.annotations, roles, title, note)
    return tag("div", shown, class_="vx handed")
