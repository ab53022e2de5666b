"""How likely a failure's first image fits too: a small model, shown with what it is worth.

Logistic regression on features fixed beforehand, fitted on judged failures, cross-validated by
image. A prediction is never mixed with judgements and counts in no figure by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from vlmexplain.datasets.gallery import Gallery
from vlmexplain.positives.accepted import GalleryPositives
from vlmexplain.positives.estimate import FEWEST_IMAGES, LEVEL, CrossFit
from vlmexplain.positives.features import FEATURES, FailureSource, failure_source, feature_table
from vlmexplain.scoring.run_store import Run

FOLDS = 5
LIKELY_FROM = 0.5
FEWEST_OF_EACH = FOLDS
DRAWS = 1000
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measured:
    """A quality measured on judged failures, each predicted by a model that did not see its image.

    Attributes:
        value: 0 to 1; None where it is undefined.
        low, high: percentile bootstrap over images; None of fewer than `FEWEST_IMAGES`.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """Scores of all failures of a run.

    Attributes:
        captions: int32 [n], the failures, ascending.
        score: float64 [n] in [0, 1], judged failures by a model that did not see their image; NaN
            throughout when there are too few judgements.
        n_judged, n_fit, n_images: what it was fitted on.
        auc, precision, recall: at `LIKELY_FROM`, cross-validated by image.
        used, unknown: features that were known for any failure, and those that were not.
        undefined_because: why there is no prediction; None when there is one.
    """

    captions: NDArray[np.int32]
    score: Floats
    n_judged: int
    n_fit: int
    n_images: int
    auc: Measured
    precision: Measured
    recall: Measured
    used: tuple[str, ...]
    unknown: tuple[str, ...]
    undefined_because: str | None = None

    def likely(self) -> NDArray[np.int32]:
        """The failures that likely are right answers, the likeliest first."""
        order = np.argsort(-self.score, kind="stable")
        return self.captions[order[self.score[order] >= LIKELY_FROM]]


def predict_fits(
    gallery: Gallery, run: Run, positives: GalleryPositives, seed: int = 0
) -> Prediction:
    """Predict for every failure of a run whether its first image fits too.

    Judged failures are those of queries that a source set out to judge (there an image that is
    not accepted does not fit, as far as that source looked), and those whose first image was
    judged one by one; disputed ones are left out.

    Raises:
        StoreError: a run or embeddings are damaged.
    """
    source = failure_source(gallery, run)
    known, label = judged_failures(source, positives)
    table = feature_table(source)
    named = [feature.key for feature in FEATURES]
    has = np.asarray((~np.isnan(table)).any(axis=0))
    used = tuple(key for key, is_known in zip(named, has.tolist(), strict=True) if is_known)
    unknown = tuple(key for key in named if key not in used)
    image = np.asarray(gallery.image_of_caption)[source.captions]
    why = _too_few(label[known], image[known])
    if why is not None:
        none, score = Measured(None), np.full(len(source.captions), np.nan)
        qualities_of = (none, none, none)
    else:
        fit = fitted(table[:, has], known, label, image, source.captions)
        score = out_of_fold(fit, known)
        qualities_of = qualities(score[known], label[known], image[known], seed)
    n_images = len(np.unique(image[known]))
    return Prediction(
        source.captions, score, int(known.sum()), int(label[known].sum()), n_images,
        *qualities_of, used, unknown, why,
    )  # fmt: skip


def judged_failures(
    source: FailureSource, positives: GalleryPositives
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which failures are judged, bool [n], and whether their first image fits, bool [n]."""
    known, fits = np.zeros((2, len(source.captions)), dtype=bool)
    pairs = zip(source.captions.tolist(), source.retrieved.tolist(), strict=True)
    for place, (caption, image) in enumerate(pairs):
        standing = positives.judged(caption, image).standing
        fits[place] = standing == "accepted"
        known[place] = standing in ("accepted", "wrong") or (
            standing == "unjudged" and bool(positives.listed[caption])
        )
    return known, fits


def fitted(
    table: Floats,
    known: NDArray[np.bool_],
    label: NDArray[np.bool_],
    image: NDArray[np.int32],
    captions: NDArray[np.int32],
) -> CrossFit:
    """Fit one model a fold of the judged failures, and let each score every failure.

    A failure that is not judged is in the fold of its image, or in fold 0 where that has none.
    """
    from sklearn.model_selection import GroupKFold  # a second to import

    rows = np.flatnonzero(known)
    score = np.empty((len(table), FOLDS))
    fold_of_image = np.zeros(int(image.max()) + 1, dtype=np.int64)
    folds = GroupKFold(FOLDS).split(rows, label[rows], image[rows])
    for fold, (train, held_out) in enumerate(folds):
        model = _model().fit(table[rows[train]], label[rows[train]])
        score[:, fold] = model.predict_proba(table)[:, 1]
        fold_of_image[image[rows[held_out]]] = fold
    return CrossFit(captions, image, score, fold_of_image[image])


def out_of_fold(fit: CrossFit, known: NDArray[np.bool_]) -> Floats:
    """Judged failures by the model that did not see their image, others by all on average."""
    own: Floats = fit.score[np.arange(len(fit.fold)), fit.fold]
    return np.where(known, own, fit.score.mean(axis=1))


def qualities(
    score: Floats, fits: NDArray[np.bool_], image: NDArray[np.int32], seed: int
) -> tuple[Measured, Measured, Measured]:
    """Area under the ROC curve, precision and recall, with intervals over images."""
    images, group = np.unique(image, return_inverse=True)
    whole = _qualities(score, fits)
    if len(images) < FEWEST_IMAGES:
        auc, precision, recall = (Measured(value) for value in whole)
        return auc, precision, recall
    rows_of = [np.flatnonzero(group == n) for n in range(len(images))]
    rng = np.random.default_rng(seed % 2**64)
    drawn = []
    for _ in range(DRAWS):
        rows = np.concatenate([rows_of[n] for n in rng.integers(len(images), size=len(images))])
        drawn.append([np.nan if v is None else v for v in _qualities(score[rows], fits[rows])])
    auc, precision, recall = (
        _measured(value, column) for value, column in zip(whole, np.array(drawn).T, strict=True)
    )
    return auc, precision, recall


def _measured(value: float | None, drawn: Floats) -> Measured:
    drawn = drawn[~np.isnan(drawn)]
    if value is None or not len(drawn):
        return Measured(value)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return Measured(value, float(low), float(high))


def _qualities(
    score: Floats, fits: NDArray[np.bool_]
) -> tuple[float | None, float | None, float | None]:
    said = score >= LIKELY_FROM
    right, n_said, n_fit = int((said & fits).sum()), int(said.sum()), int(fits.sum())
    both = 0 < n_fit < len(fits)
    return (
        _auc(score, fits) if both else None,
        right / n_said if n_said else None,
        right / n_fit if n_fit else None,
    )


def _auc(score: Floats, fits: NDArray[np.bool_]) -> float:
    """How often one that fits scores above one that does not, a tie counting half."""
    n_fit, n_not = int(fits.sum()), int((~fits).sum())
    above = float(rankdata(score)[fits].sum()) - n_fit * (n_fit + 1) / 2
    return above / (n_fit * n_not)


def _model() -> Any:
    """Unknown values at the median, every feature on one scale, ridge penalty 1."""
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )


def _too_few(fits: NDArray[np.bool_], image: NDArray[np.int32]) -> str | None:
    n_images, n_fit = len(np.unique(image)), int(fits.sum())
    if n_images >= FOLDS and FEWEST_OF_EACH <= n_fit <= len(fits) - FEWEST_OF_EACH:
        return None
    return (
        f"of {len(fits):,} judged failures {n_fit:,} fit; at least {FEWEST_OF_EACH} that fit and "
        f"{FEWEST_OF_EACH} that do not are needed, of at least {FOLDS} images"
    )
