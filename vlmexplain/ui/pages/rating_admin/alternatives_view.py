"""Successful alternatives: what the automatic metrics wrongly call a failure, with pictures."""

from __future__ import annotations

import streamlit as st

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.errors import VlmexplainError
from vlmexplain.ratings.analysis.alternatives import Alternative
from vlmexplain.ratings.analysis.analyse import Analysis
from vlmexplain.ratings.plan.rows import RatingData
from vlmexplain.ui.pages.rating_admin.figure_text import rests_on, value
from vlmexplain.ui.pages.rating_admin.metrics_view import query_anchor
from vlmexplain.ui.shared import caches
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.media import media_address
from vlmexplain.ui.shared.rating_pictures import session_gallery

SHOWN = 24


def draw_alternatives(data: RatingData, found: Analysis) -> None:
    """The list, most agreed upon first; a button shows more."""
    given = found.alternatives
    if not given.asked:
        st.html(tag("div", tag("p", given.share_by_most.undefined_because, class_="quiet"),
                    class_="vx"))  # fmt: skip
        return
    said = (
        f" of the rated items ({rests_on(given.share_by_most)}) are successful alternatives by "
        "most of their raters: the retrieved image does answer the query. Listed are all that any "
        f"rater marks so, {len(given.items):,} in all."
    )
    share = tag("b", value(given.share_by_most, "share"))
    st.html(tag("div", tag("p", share, said), class_="vx"))
    if not given.items:
        return
    gallery, problem = None, None
    try:
        gallery = session_gallery(data.spec.gallery)
    except VlmexplainError as error:
        problem = error.message
    n_shown = SHOWN * (1 + int(st.session_state.get("alternatives-more", 0)))
    cards = [
        _card(data, one, gallery, f"alternative-{n}") for n, one in enumerate(given.items[:n_shown])
    ]
    st.html(tag("div", tag("p", problem, class_="quiet small") if problem else None,
                tag("div", cards, class_="pairs"), class_="vx"))  # fmt: skip
    if len(given.items) > n_shown:
        st.button("Show more", on_click=_more)


def _card(data: RatingData, one: Alternative, gallery: Gallery | None, spot: str) -> Html:
    said = f"{one.n_marked} of {one.n_raters} raters"
    by = "most" if one.by_most else "a tie" if one.tied else "fewer than half"
    mean = one.mean_rating
    rating = f" · mean rating {mean.value:.2f}" if mean.value is not None else ""
    pictures = [
        _picture(gallery, one.ground_truth_image, "Ground truth", f"{spot}-truth"),
        _picture(gallery, one.retrieved_image, "Retrieved", f"{spot}-retrieved"),
    ]
    return tag(
        "article",
        query_anchor(data.spec, one.caption_index, one.query),
        tag("div", pictures, class_="two") if gallery else None,
        tag("div", f"{said} ({by}){rating}", class_="quiet small num"),
    )


def _picture(gallery: Gallery | None, index: int, title: str, spot: str) -> Html | None:
    if gallery is None:
        return None
    try:
        image = gallery.image(index)
        small = caches.thumbnail(gallery, str(gallery.images_folder), image.content_sha256, index)
        shown = tag("img", src=media_address(small, "image/jpeg", spot), alt=title, loading="lazy")
    except VlmexplainError as error:
        shown = tag("p", error.message, class_="quiet small")
    return tag("figure", shown, tag("figcaption", title))


def _more() -> None:
    st.session_state["alternatives-more"] = int(st.session_state.get("alternatives-more", 0)) + 1
