"""What a rater gets: the same pictures and words as on the rater's page, and nothing to press."""

from __future__ import annotations

from typing import Any

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.ratings.plan.items import RatingItem
from vlmexplain.ratings.plan.spec import Scale, SessionSpec
from vlmexplain.ui.shared.html import Html, tag
from vlmexplain.ui.shared.rating_pictures import rater_picture

MOST_KEYS = 20
"""A longer scale is shown by its ends."""


def preview(spec: SessionSpec, item: RatingItem, gallery: Gallery | None) -> Html:
    """One item as a rater sees it; the sides of a choice are shuffled for each rater."""
    return tag(
        "div",
        tag("div", tag("blockquote", item.query), class_="query"),
        _pictures(spec, item, gallery),
        _question(spec),
        _classes(spec),
        tag("p", "A field for a comment", class_="field quiet") if spec.comment else None,
        class_="vx rater-preview",
        role="group",
        aria_label="Preview of the rater's page",
    )


def _pictures(spec: SessionSpec, item: RatingItem, gallery: Gallery | None) -> Html:
    if gallery is None:
        return tag("p", "The pictures of this session are not on this server.", class_="quiet")
    shown = [("Retrieved image", item.retrieved_image)]
    if spec.kind == "choice" and item.other_image is not None:
        shown = [("Image 1", item.retrieved_image), ("Image 2", item.other_image)]
    figures = [
        _figure(rater_picture(gallery, index, f"preview-{place}", title, spec.boxes))
        for place, (title, index) in enumerate(shown)
    ]
    if spec.ground_truth == "shown":
        truth = rater_picture(
            gallery, item.ground_truth_image, "preview-truth", "Ground truth", spec.boxes
        )
        figures.insert(0, _figure(truth))
    after = spec.ground_truth == "after"
    return tag(
        "div",
        tag("div", figures, class_="pictures"),
        tag("p", "The ground-truth image follows once the answer is kept.", class_="quiet small")
        if after
        else None,
    )


def _figure(picture: dict[str, Any]) -> Html:
    if not picture["src"]:
        return tag("figure", tag("p", picture.get("problem", ""), class_="quiet"))
    width, height = picture["width"], picture["height"]
    boxes = [
        tag(
            "i",
            title=box["name"],
            style=f"left:{100 * x / width:.2f}%;top:{100 * y / height:.2f}%;"
            f"width:{100 * w / width:.2f}%;height:{100 * h / height:.2f}%",
        )
        for box in picture["boxes"]
        for x, y, w, h in [box["xywh"]]
    ]
    return tag(
        "figure",
        tag("div", tag("img", src=picture["src"], alt=picture["title"]), boxes, class_="stage",
            style=f"aspect-ratio:{width}/{height}"),
        tag("figcaption", picture["title"]),
    )  # fmt: skip


def _question(spec: SessionSpec) -> Html:
    if spec.kind == "choice":
        answers = ["Image 1 fits better", "Image 2 fits better"]
        if spec.equal_allowed:
            answers.append("Both fit equally")
        asked = "Which image fits the query better?"
        return tag("div", tag("p", tag("b", asked)),
                   tag("div", [tag("span", one) for one in answers], class_="keys"))  # fmt: skip
    asked = "How well does the retrieved image answer the query?"
    return tag(
        "div",
        tag("p", tag("b", asked)),
        tag("div", [tag("span", one) for one in _steps(spec.scale)], class_="keys"),
        tag("p", f"{spec.scale.lowest}: {spec.scale.lowest_label} · ",
            f"{spec.scale.highest}: {spec.scale.highest_label}", class_="quiet small"),
    )  # fmt: skip


def _steps(scale: Scale) -> list[str]:
    steps = [str(n) for n in range(scale.lowest, scale.highest + 1)]
    return steps if len(steps) <= MOST_KEYS else [*steps[:3], "…", *steps[-3:]]


def _classes(spec: SessionSpec) -> Html | None:
    if not spec.classes:
        return None
    return tag(
        "div",
        tag("p", tag("b", "What is wrong? "), tag("span", "any number, or none", class_="quiet")),
        tag("div", [tag("span", one.label, tag("kbd", one.shortcut) if one.shortcut else None,
                        title=one.meaning) for one in spec.classes], class_="keys"),
    )  # fmt: skip
