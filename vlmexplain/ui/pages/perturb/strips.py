"""What a text retrieves: its five best pictures, beside those of the caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.live.retrieval import Retrieval
from vlmexplain.ui.pages.perturb.subject import Subject
from vlmexplain.ui.shared.components.mount import register
from vlmexplain.ui.shared.numbers import similarity_text
from vlmexplain.ui.shared.thumbnails import thumbnail_address

_component = register("strips")


def draw_strips(
    gallery: Gallery,
    subject: Subject,
    named: Sequence[tuple[str, Retrieval]],
    shown: int | None,
    on_act: Callable[[], None],
) -> None:
    """Mount the component; the image that a person chooses arrives as ``act``.

    Args:
        named: a title and what was retrieved, for each strip; the first is the caption's.
        shown: the image that stands beside the ground truth.
    """
    _component(key="strips", data=strips_data(gallery, subject, named, shown), on_act_change=on_act)


def strips_data(
    gallery: Gallery,
    subject: Subject,
    named: Sequence[tuple[str, Retrieval]],
    shown: int | None,
) -> dict[str, Any]:
    """What the component draws."""
    before = frozenset(named[0][1].top_images) if named else frozenset()
    return {
        "strips": [
            {
                "title": title,
                "tiles": [
                    _tile(gallery, subject, image, score, place, before)
                    for place, (image, score) in enumerate(
                        zip(found.top_images, found.top_scores, strict=True), start=1
                    )
                ],
            }
            for title, found in named
        ],
        "shown": shown,
    }


def said_of(gallery: Gallery, image: int) -> str:
    """An image in words: its first caption, else its id."""
    captions = gallery.captions_of(image)
    return captions[0].text if captions else f"image {gallery.image(image).image_id}"


def _tile(
    gallery: Gallery,
    subject: Subject,
    image: int,
    score: float,
    place: int,
    before: frozenset[int],
) -> dict[str, Any]:
    truth = image in subject.targets
    fresh = image not in before
    said = said_of(gallery, image)
    marks = (", a ground truth" if truth else "") + (", new" if fresh else "")
    return {
        "image": image,
        "place": str(place),
        "src": thumbnail_address(gallery, image),
        "score": similarity_text(score),
        "truth": truth,
        "fresh": fresh,
        "label": f"Place {place}, similarity {similarity_text(score)}{marks}: {said}",
    }
