"""One caption and a few images, now: scored perturbations, and LGIP of the pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vlmexplain.lgip.figures import LgipFigures, lgip_figures
from vlmexplain.perturb.perturbation import Perturbation
from vlmexplain.perturb.rules import RULE_BY_KEY
from vlmexplain.perturb.seen import Visibility


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


def pair_figures(perturbations: Sequence[ScoredPerturbation], image: int = 0) -> LgipFigures:
    """LGIP of one image and caption, over the drawn paraphrases and flips of the LGIP rules.

    Args:
        perturbations: of one caption; those of other rules are passed over.
        image: which of the images they were scored with.
    """
    same: list[float] = []
    flips: dict[str, list[float]] = {}
    not_seen = 0
    for one in perturbations:
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
