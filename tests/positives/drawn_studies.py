"""Runs with failures of which some are right answers, drawn anew, with people who judge some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlmexplain.positives.estimate import CrossFit, RunOutcome
from vlmexplain.positives.people import FitAnswers

RECALL, SHARE, NOISE = 0.5, 0.4, 0.06
SPREAD = 1.0


@dataclass(frozen=True, slots=True)
class Study:
    """One drawn study.

    Attributes:
        outcome: of the run. answers: of people. fit: scores of every failure.
        fits: bool [n_failures], whether its first image really does.
    """

    outcome: RunOutcome
    answers: FitAnswers
    fit: CrossFit
    fits: NDArray[np.bool_]


def study(rng: np.random.Generator, n_images: int = 150, n_judged: int = 100,
          n_raters: int = 6) -> Study:  # fmt: skip
    """Five captions an image, which are alike: hits and fits share a part of their image.

    Two raters an item, a third where they disagree; a rater errs with probability `NOISE`.
    """
    image = np.repeat(np.arange(n_images), 5).astype(np.int32)
    latent = rng.normal(size=(2, n_images))
    own = rng.normal(size=(2, len(image)))
    hit = (SPREAD * latent[0][image] + own[0]) < 0
    # a threshold at the quantile of SHARE, of a normal of variance SPREAD^2 + 1
    worth = (SPREAD * latent[1][image] + own[1]) / np.sqrt(SPREAD**2 + 1)
    fits = worth < -0.2533471031357997
    captions = np.arange(len(image), dtype=np.int32)
    failed = np.flatnonzero(~hit)
    judged = rng.permutation(len(failed))[:n_judged]
    rows = []
    for item, place in enumerate(judged.tolist()):
        raters = rng.permutation(n_raters)[:3]
        said = fits[failed[place]] ^ (rng.random(3) < NOISE)
        for n in range(2 if said[0] == said[1] else 3):
            rows.append((item, raters[n], said[n], failed[place]))
    item, rater, said, query = (np.array(column) for column in zip(*rows, strict=True))
    answers = FitAnswers(
        item, rater, said.astype(bool), captions[query], image[query], image[query]
    )
    score = 1 / (1 + np.exp(1.2 * (worth[failed] + rng.normal(size=len(failed)))))
    fold = image[failed] % 5
    fit = CrossFit(captions[failed], image[failed], np.repeat(score[:, None], 5, axis=1),
                   fold.astype(np.int64))  # fmt: skip
    return Study(RunOutcome(captions, image, hit), answers, fit, fits[failed])


def truth() -> tuple[float, float]:
    """The share that most of three raters call fitting, and R@1 corrected, in the population."""
    wrong = 3 * NOISE**2 * (1 - NOISE) + NOISE**3
    share = SHARE * (1 - wrong) + (1 - SHARE) * wrong
    return share, RECALL + (1 - RECALL) * share
