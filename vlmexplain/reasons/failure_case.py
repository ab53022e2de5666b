"""One failure as the engine looks at it: both images, what the caption mentions, the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.concepts.mentions import mentions_in
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.datasets.gallery import Gallery
from vlmexplain.explain import Explanation
from vlmexplain.metrics.pair import PairExplanation, explain_pair
from vlmexplain.reasons.gallery_scores import GalleryScores, Scores, best_of, rank_of
from vlmexplain.records import ImageAnnotations, Mention
from vlmexplain.scoring.similarity import GallerySimilarity


@dataclass(frozen=True, slots=True)
class Case:
    """What every candidate and test of one failure is made from.

    Attributes:
        caption_index, caption: the query.
        retrieved, ground_truth: places of the first image and of the best ground truth.
        ground_truths: every image that carries this caption.
        left, right: annotations of ground truth and retrieved image.
        pair: the concept metrics of the two with their evidence.
        mentions: words that name concepts of either image.
        vector: float32 [d] of the caption.
        scores: float32 [n_images] of the caption.
        margin: score of the first image minus that of the best ground truth.
        rank: of the best-ranked ground truth.
    """

    caption_index: int
    caption: str
    retrieved: int
    ground_truth: int
    ground_truths: tuple[int, ...]
    left: ImageAnnotations
    right: ImageAnnotations
    pair: PairExplanation
    mentions: tuple[Mention, ...]
    vector: NDArray[np.float32]
    scores: Scores
    margin: float
    rank: int

    @property
    def compared(self) -> tuple[int, ...]:
        """The images whose scores have to be exact."""
        return (self.retrieved, *self.ground_truths)

    @property
    def mentioned(self) -> frozenset[str]:
        """Concepts of either image that the caption mentions."""
        return frozenset(mention.concept for mention in self.mentions)


def case_of(gallery: Gallery, found: Explanation, scores: GalleryScores) -> Case:
    """The case of an explained failure whose images both have a score."""
    assert found.retrieved is not None and found.caption_index is not None
    assert found.retrieved.image_index is not None
    caption = found.query
    vector = scores.vectors([caption])[0]
    truths = tuple(image.image_index for image in found.ground_truths if image.score is not None)
    retrieved = found.retrieved.image_index
    of_images = scores.of_text(vector, caption, (retrieved, *truths))
    best = best_of(of_images, truths)
    left, right = gallery.annotations(best), found.retrieved.annotations
    return Case(
        caption_index=found.caption_index,
        caption=caption,
        retrieved=retrieved,
        ground_truth=best,
        ground_truths=truths,
        left=left,
        right=right,
        pair=explain_pair(left, right, GallerySimilarity(gallery)),
        mentions=mentions_in(
            caption, sorted(concepts_of(left) | concepts_of(right)), load_wordnet()
        ),
        vector=vector,
        scores=of_images,
        margin=float(of_images[retrieved]) - float(of_images[best]),
        rank=rank_of(of_images, truths),
    )


def concepts_of(annotations: ImageAnnotations) -> set[str]:
    """The annotated concepts of an image."""
    return {one.synset for one in annotations.instances if one.synset is not None}


def instances_of(annotations: ImageAnnotations, concept: str) -> tuple[int, ...]:
    """Places of a concept's objects among the annotations."""
    return tuple(n for n, one in enumerate(annotations.instances) if one.synset == concept)
