"""One caption and a few images, now: what each perturbation does to the similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vlmexplain.lgip.figures import LgipFigures, lgip_figures
from vlmexplain.lgip.text_cache import TextCache
from vlmexplain.models.protocol import Encoder
from vlmexplain.perturb.perturbation import Perturbation, apply
from vlmexplain.perturb.rules import RULE_BY_KEY
from vlmexplain.perturb.seen import Visibility, is_tie, visibility


@dataclass(frozen=True, slots=True)
class ScoredPerturbation:
    """A perturbation with its similarities.

    Attributes:
        perturbation: what was changed.
        text: the perturbed text.
        against: the text it is scored against: the caption, or a paraphrase of it.
        scores: similarity of ``text`` with each image, -1..1.
        gaps: similarity of ``against`` less that of ``text``, with each image.
        ties: whether they are equal within 1e-6, with each image.
        visibility: ``seen``; ``past the cut`` or ``same tokens`` when the model cannot tell the
            texts apart, which says nothing about its sensitivity.
        vector: float32 [d], for ranking a gallery.
    """

    perturbation: Perturbation
    text: str
    against: str
    scores: tuple[float, ...]
    gaps: tuple[float, ...]
    ties: tuple[bool, ...]
    visibility: Visibility
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ScoredCaption:
    """A caption and its perturbations, scored with the same images.

    Attributes:
        scores: similarity of the caption with each image, -1..1.
        vector: float32 [d] of the caption.
        perturbations: in the order given.
    """

    caption: str
    scores: tuple[float, ...]
    vector: NDArray[np.float32]
    perturbations: tuple[ScoredPerturbation, ...]


def score_caption(
    encoder: Encoder,
    image_vectors: NDArray[np.float32],
    caption: str,
    perturbations: Sequence[Perturbation],
    cache: TextCache,
) -> ScoredCaption:
    """Score a caption and its perturbations; texts not in the cache are encoded in one call.

    Args:
        image_vectors: float32 [n_images, d], L2-normalised.
    """
    texts = [apply(caption, one.edits) for one in perturbations]
    against = [apply(caption, one.baseline) for one in perturbations]
    distinct = list(dict.fromkeys([caption, *against, *texts]))
    vectors = dict(zip(distinct, cache.vectors(encoder, distinct), strict=True))
    scores = {text: _scores(vectors[text], image_vectors) for text in distinct}
    scored = tuple(
        _scored(one, text, base, scores, vectors[text], encoder)
        for one, text, base in zip(perturbations, texts, against, strict=True)
    )
    return ScoredCaption(caption, scores[caption], vectors[caption], scored)


def pair_figures(scored: ScoredCaption, image: int = 0) -> LgipFigures:
    """LGIP of one image and caption, over the drawn paraphrases and flips of the LGIP rules."""
    same: list[float] = []
    flips: dict[str, list[float]] = {}
    not_seen = 0
    for one in scored.perturbations:
        rule = RULE_BY_KEY[one.perturbation.rule]
        if rule.mode is None or not one.perturbation.drawn:
            continue
        if rule.flip_type is None:
            same.append(one.gaps[image])
        else:
            flips.setdefault(rule.flip_type, []).append(one.gaps[image])
        not_seen += one.visibility != "seen"
    arrays = {kind: np.array(gaps) for kind, gaps in flips.items()}
    figures = lgip_figures(np.array(same, dtype=np.float64), arrays)
    return replace(figures, not_seen=not_seen)


def _scores(vector: NDArray[np.float32], images: NDArray[np.float32]) -> tuple[float, ...]:
    return tuple((images.astype(np.float64) @ vector.astype(np.float64)).tolist())


def _scored(
    one: Perturbation,
    text: str,
    against: str,
    scores: dict[str, tuple[float, ...]],
    vector: NDArray[np.float32],
    encoder: Encoder,
) -> ScoredPerturbation:
    pairs = list(zip(scores[against], scores[text], strict=True))
    return ScoredPerturbation(
        perturbation=one,
        text=text,
        against=against,
        scores=scores[text],
        gaps=tuple(base - own for base, own in pairs),
        ties=tuple(is_tie(base, own) for base, own in pairs),
        visibility=visibility(against, text, encoder),
        vector=vector,
    )
