"""A caption and its perturbations, scored with a few images and ranked against the gallery."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.lgip.figures import LgipFigures
from vlmexplain.lgip.live import ScoredPerturbation, pair_figures
from vlmexplain.live.candidates import Candidate
from vlmexplain.live.reading import can_tell_apart
from vlmexplain.live.retrieval import Retrieval
from vlmexplain.live.scorer import LiveScorer
from vlmexplain.perturb.seen import is_tie

TOP_K = 5


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A perturbation with its numbers.

    Attributes:
        candidate: the perturbation.
        scored: its similarities with the images, in their order; NaN where there is none.
        retrieval: what the perturbed caption retrieves; None when nothing can be ranked.
    """

    candidate: Candidate
    scored: ScoredPerturbation
    retrieval: Retrieval | None

    @property
    def shifts(self) -> tuple[float, ...]:
        """Similarity of the perturbed text less that of the text it is scored against."""
        return tuple(-gap for gap in self.scored.gaps)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one model makes of a caption and its perturbations.

    Attributes:
        caption: the text.
        scores: its similarity with each image; NaN where there is none.
        vector: float32 [d], its embedding.
        retrieval: what it retrieves; None when nothing can be ranked.
        candidates: the perturbations, in the order given.
        figures: LGIP of the first image and the caption, over the drawn paraphrases and flips.
    """

    caption: str
    scores: tuple[float, ...]
    vector: NDArray[np.float32]
    retrieval: Retrieval | None
    candidates: tuple[ScoredCandidate, ...]
    figures: LgipFigures


def compare(
    scorer: LiveScorer,
    caption: str,
    candidates: Sequence[Candidate],
    images: Sequence[int],
    *,
    targets: Sequence[int] | None = None,
    own_text: str | None = None,
    k: int = TOP_K,
) -> Comparison:
    """Score a caption and its perturbations; all texts that are new are encoded in one call.

    Args:
        scorer: the model on the gallery.
        caption: the text everything is compared with.
        candidates: perturbations of it.
        images: places in the gallery; the ground truth first.
        targets: the ground truths of the ranking; the first image by default.
        own_text: for a text-text model; see `LiveScorer.similarities`.
        k: how many of the best images to name.
    """
    against = [one.against for one in candidates]
    texts = list(dict.fromkeys([caption, *against, *(one.text for one in candidates)]))
    rows = scorer.vectors(texts)
    table = scorer.similarities_of(rows, images, own_text)
    scores = {text: tuple(row) for text, row in zip(texts, table.tolist(), strict=True)}
    wanted = images[:1] if targets is None else targets
    found = scorer.retrieve_of(rows, wanted, own_text, k)
    ranked = dict(zip(texts, found, strict=True)) if found is not None else {}
    vectors = dict(zip(texts, rows, strict=True))
    scored = tuple(
        ScoredCandidate(one, _scored(one, scores, vectors, scorer), ranked.get(one.text))
        for one in candidates
    )
    # Without a similarity there is no triple: the figures are then undefined, never 0.
    triples = tuple(one.scored for one in scored if not math.isnan(one.scored.gaps[0]))
    return Comparison(
        caption,
        scores[caption],
        vectors[caption],
        ranked.get(caption),
        scored,
        pair_figures(triples),
    )


def _scored(
    one: Candidate,
    scores: dict[str, tuple[float, ...]],
    vectors: dict[str, NDArray[np.float32]],
    scorer: LiveScorer,
) -> ScoredPerturbation:
    base, own = scores[one.against], scores[one.text]
    gaps = tuple(a - b for a, b in zip(base, own, strict=True))
    visibility = can_tell_apart(one.against, one.text, gaps, scorer)
    if visibility != "seen":  # the model reads the same of both: what differs is rounding
        own, gaps = base, tuple(0.0 * gap for gap in gaps)  # NaN stays NaN
    return ScoredPerturbation(
        perturbation=one.perturbation,
        text=one.text,
        against=one.against,
        scores=own,
        gaps=gaps,
        ties=tuple(is_tie(a, b) for a, b in zip(base, own, strict=True)),
        visibility=visibility,
        vector=vectors[one.text],
    )
