"""Corrected R@1 estimated from answers on a random sample of failures.

A run's official R@1 is known. Of its failures a random sample is shown to people, who say whether
the first image fits; p is the share that does. Then R@1 corrected = R@1 + (1 - R@1) p.

Intervals draw whole images again, all of the run's, with their queries, and the raters too. They
hold for one look: looking again and again until a number pleases is not covered.
Sources: Efron and Tibshirani, An Introduction to the Bootstrap, 1993; Owen, The pigeonhole
bootstrap, 2007 (doi:10.1214/07-AOAS122); Angelopoulos et al., Prediction-powered inference, 2023
(doi:10.1126/science.adi6000); Zrnic and Candès, Cross-prediction-powered inference, 2024
(doi:10.1073/pnas.2322083121).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from vlmexplain.positives.people import FitAnswers

DRAWS = 10_000
LEVEL = 0.95
FEWEST_IMAGES = 20
"""Of fewer images no interval is drawn: a share gets Wilson's, with the images as its number."""

MOST_GROUPS = 2000
BLOCK = 500
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and where it lies.

    Attributes:
        value: None with ``undefined_because``.
        low, high: the interval at `LEVEL`; None where there is none to give.
        n_judged: failures with an answer.
        n_images: of how many images these are.
        n_raters: how many people answered.
        method: how the interval was made, for a reader.
        undefined_because: why there is no value; None when there is one.
    """

    value: float | None
    low: float | None
    high: float | None
    n_judged: int
    n_images: int
    n_raters: int
    method: str
    undefined_because: str | None = None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The queries of a run that have a rank.

    Attributes:
        caption_index, image_index: int32 [n], the query and its own image.
        hit: bool [n], its own image comes first.
    """

    caption_index: NDArray[np.int32]
    image_index: NDArray[np.int32]
    hit: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Answers as a table of items and raters.

    Attributes:
        caption_index, own_image_index: int32 [n_items].
        asked, yes: float64 [n_items, n_raters], 1 where the rater answered, and where with yes.
    """

    caption_index: NDArray[np.int32]
    own_image_index: NDArray[np.int32]
    asked: Floats
    yes: Floats

    def by_item(self) -> Floats:
        """What most raters of each item say, float64 [n_items]: 1 fits, 0 not, 1/2 undecided."""
        return _majority(self.yes.sum(axis=1), self.asked.sum(axis=1))


def verdicts_of(answers: FitAnswers) -> Verdicts:
    """The answers as a table; a rater's second answer to an item takes the first one's place."""
    _, first, item = np.unique(answers.item, return_index=True, return_inverse=True)
    raters, rater = np.unique(answers.rater, return_inverse=True)
    asked, yes = np.zeros((2, len(first), len(raters)))
    asked[item, rater] = 1
    yes[item, rater] = answers.fits
    return Verdicts(
        answers.caption_index[first].astype(np.int32),
        answers.own_image_index[first].astype(np.int32),
        asked,
        yes,
    )


def share_that_fits(answers: FitAnswers, seed: int = 0, draws: int = DRAWS) -> Estimate:
    """p: the share of failures whose first image fits too, from a random sample of them.

    What most raters of an item say counts; an item on which they are even counts a half.

    Args:
        answers: on a random sample of failures, shown in random order.
        seed: of the draws; the same seed gives the same interval.
    """
    verdicts = verdicts_of(answers)
    if not len(verdicts.caption_index):
        return _nothing()
    value = float(verdicts.by_item().mean())
    images, group = np.unique(verdicts.own_image_index, return_inverse=True)
    wilson = _wilson_instead(verdicts, value)
    if wilson is not None:
        return wilson
    drawn = [
        _weighted_share(image_weights[:, group], verdicts, rater_weights)[0]
        for image_weights, rater_weights in _weights(len(images), verdicts, seed, draws)
    ]
    return _estimate(value, np.concatenate(drawn), verdicts)


def corrected_recall(
    outcome: RunOutcome, answers: FitAnswers, seed: int = 0, draws: int = DRAWS
) -> Estimate:
    """R@1 corrected = R@1 + (1 - R@1) p, drawn with the same images in both.

    Args:
        outcome: of the whole run.
        answers: as `share_that_fits`.
    """
    return _corrected(outcome, answers, None, seed, draws)


@dataclass(frozen=True, slots=True)
class CrossFit:
    """How likely each failure's first image fits, by models that did not see its image's answers.

    Attributes:
        caption_index, own_image_index: int32 [n], every failure of the run, captions ascending.
        score: float64 [n, n_folds] in [0, 1], by the model of each fold, fitted without it.
        fold: int64 [n], the fold of each failure; images are whole in a fold.
    """

    caption_index: NDArray[np.int32]
    own_image_index: NDArray[np.int32]
    score: Floats
    fold: NDArray[np.int64]


def cross_fitted_recall(
    outcome: RunOutcome, answers: FitAnswers, fit: CrossFit, seed: int = 0, draws: int = DRAWS
) -> Estimate:
    """As `corrected_recall`, with p by the cross-fitted difference estimator.

    p = the mean score over all failures + the mean over the judged ones of (verdict - score),
    where a judged failure's score is by the model that did not see it. Unbiased whatever the
    scores are worth; narrower than the plain share only as far as they predict.
    """
    return _corrected(outcome, answers, fit, seed, draws)


def half_widths(
    n_answers: NDArray[np.int64], n_failures: int, n_queries: int, share: float = 0.5
) -> Floats:
    """How wide the interval of R@1 corrected will be on either side, before anyone answers.

    (1 - R@1) times the half width of a share ``share`` of n answers, one an image and without
    disagreement: what can be had at best. The widest is at a share of a half.

    >>> half_widths(np.array([25, 100]), 400, 1000).round(3).tolist()
    [0.078, 0.039]
    """
    z = float(norm.ppf((1 + LEVEL) / 2))
    n = np.minimum(np.maximum(n_answers, 1), max(n_failures, 1))
    spread: Floats = z * np.sqrt(share * (1 - share) / n)
    return spread * (n_failures / max(n_queries, 1))


def wilson(value: float, n: int) -> tuple[float, float]:
    """Wilson's interval of a share at `LEVEL`.

    >>> [round(x, 3) for x in wilson(1.0, 10)]
    [0.722, 1.0]
    """
    z = float(norm.ppf((1 + LEVEL) / 2))
    centre = (value + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(value * (1 - value) / n + z * z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _corrected(
    outcome: RunOutcome, answers: FitAnswers, fit: CrossFit | None, seed: int, draws: int
) -> Estimate:
    verdicts = verdicts_of(answers)
    if not len(verdicts.caption_index):
        return _nothing()
    if not len(outcome.hit):
        return _nothing("the run has no query with a rank")
    group, n_groups = _groups(outcome.image_index, seed)
    of_image = np.full(int(outcome.image_index.max()) + 1, -1)
    of_image[outcome.image_index] = group
    known = _among(verdicts.own_image_index, outcome.image_index)
    verdicts = Verdicts(verdicts.caption_index[known], verdicts.own_image_index[known],
                        verdicts.asked[known], verdicts.yes[known])  # fmt: skip
    if not known.any():
        return _nothing("no answer is on a query of this run")
    of_item = of_image[verdicts.own_image_index]
    difference = None if fit is None else _Difference(fit, verdicts, of_image, n_groups)
    n, hits = (np.bincount(group, weights=each, minlength=n_groups)
               for each in (np.ones(len(group)), outcome.hit))  # fmt: skip
    recall = float(outcome.hit.mean())
    plain = float(verdicts.by_item().mean())
    p = plain if difference is None else plain + difference.of_all()
    value = recall + (1 - recall) * p
    small = _wilson_instead(verdicts, p)
    if small is not None:
        low, high = (None if end is None else recall + (1 - recall) * end
                     for end in (small.low, small.high))  # fmt: skip
        return _made(value, low, high, verdicts, small.method + " for p alone")
    drawn = []
    for image_weights, rater_weights in _weights(n_groups, verdicts, seed, draws):
        share, weight = _weighted_share(image_weights[:, of_item], verdicts, rater_weights)
        if difference is not None:
            share = share + difference.drawn(image_weights, weight)
        found = (image_weights @ hits) / (image_weights @ n)
        drawn.append(found + (1 - found) * share)
    return _estimate(value, np.concatenate(drawn), verdicts)


class _Difference:
    """Mean score of all failures minus that of the judged ones, whole and drawn."""

    def __init__(self, fit: CrossFit, verdicts: Verdicts, of_image: NDArray[Any], n_groups: int):
        group = of_image[fit.own_image_index]
        self._n = np.bincount(group, minlength=n_groups).astype(np.float64)
        mean = fit.score.mean(axis=1)
        self._sum = np.bincount(group, weights=mean, minlength=n_groups)
        place = np.searchsorted(fit.caption_index, verdicts.caption_index)
        self._judged = fit.score[place, fit.fold[place]]

    def of_all(self) -> float:
        return float(self._sum.sum() / self._n.sum() - self._judged.mean())

    def drawn(self, image_weights: Floats, item_weights: Floats) -> Floats:
        everyone = (image_weights @ self._sum) / (image_weights @ self._n)
        judged: Floats = (item_weights @ self._judged) / item_weights.sum(axis=1)
        return np.asarray(everyone - judged)


def _weighted_share(
    item_weights: Floats, verdicts: Verdicts, rater_weights: Floats | None
) -> tuple[Floats, Floats]:
    """p of each draw, float64 [draws], and the weights of the items that were left with a rater."""
    if rater_weights is None:
        found, weights = verdicts.by_item()[None, :], item_weights
    else:
        asked, yes = rater_weights @ verdicts.asked.T, rater_weights @ verdicts.yes.T
        found, weights = _majority(yes, asked), item_weights * (asked > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights * found).sum(axis=1) / weights.sum(axis=1), weights


def _weights(
    n_groups: int, verdicts: Verdicts, seed: int, draws: int
) -> Iterator[tuple[Floats, Floats | None]]:
    """How often each group of images, and each rater, is drawn, in blocks of draws."""
    rng = np.random.default_rng(seed % 2**64)
    n_raters = verdicts.asked.shape[1]
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        yield (
            _counts(rng, size, n_groups),
            _counts(rng, size, n_raters) if n_raters > 1 else None,
        )


def _counts(rng: np.random.Generator, draws: int, n: int) -> Floats:
    """``n`` drawn from ``n`` with replacement, how often each: float64 [draws, n]."""
    drawn = rng.integers(n, size=(draws, n)) + np.arange(draws)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)


def _groups(image_index: NDArray[np.int32], seed: int) -> tuple[NDArray[Any], int]:
    """The group of each row: its image, or one of `MOST_GROUPS` random groups of images."""
    images, group = np.unique(image_index, return_inverse=True)
    if len(images) <= MOST_GROUPS:
        return group, len(images)
    number = np.random.default_rng(seed % 2**64).permutation(len(images)) % MOST_GROUPS
    return number[group], MOST_GROUPS


def _majority(yes: Floats, asked: Floats) -> Floats:
    return np.where(2 * yes == asked, 0.5, (2 * yes > asked).astype(np.float64))


def _wilson_instead(verdicts: Verdicts, value: float) -> Estimate | None:
    """Wilson's interval where too few images, or equal verdicts, leave nothing to draw."""
    n_images = len(np.unique(verdicts.own_image_index))
    by_item = verdicts.by_item()
    if n_images >= FEWEST_IMAGES and by_item.min() != by_item.max():
        return None
    low, high = wilson(min(max(value, 0.0), 1.0), n_images)
    return _made(value, low, high, verdicts, f"Wilson's interval with {n_images:,} images as n")


def _estimate(value: float, drawn: Floats, verdicts: Verdicts) -> Estimate:
    drawn = drawn[~np.isnan(drawn)]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    raters = " and raters" if verdicts.asked.shape[1] > 1 else ""
    method = f"percentile bootstrap, {len(drawn):,} draws of whole images{raters}"
    return _made(value, float(low), float(high), verdicts, method)


def _made(
    value: float, low: float | None, high: float | None, verdicts: Verdicts, method: str
) -> Estimate:
    n_images = len(np.unique(verdicts.own_image_index))
    n_items, n_raters = verdicts.asked.shape
    return Estimate(value, low, high, n_items, n_images, n_raters, method)


def _nothing(why: str = "no failure was judged yet") -> Estimate:
    return Estimate(None, None, None, 0, 0, 0, "", why)


def _among(values: NDArray[np.int32], known: NDArray[np.int32]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.isin(values, known)
    return found
