"""The three figures of LGIP: means over triples, with how many triples they rest on.

Source: Lee, Pattern Recognition Letters 202 (2026) 108-113, arXiv 2511.13494.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlmexplain.lgip.samples import FLIP_TYPES

NO_TRIPLES = "no triple to average over"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What flips do.

    Attributes:
        gap_mean: mean of s(I, c) - s(I, x), -2..2, high is good; None without a triple.
        positive_rate: share of triples with s(I, c) > s(I, x), strictly, 0..1, high is good;
            None without a triple.
        count: how many triples.
        ties: how many of them are equal within 1e-6.
    """

    gap_mean: float | None
    positive_rate: float | None
    count: int
    ties: int = 0


@dataclass(frozen=True, slots=True)
class LgipFigures:
    """A model's figures over a set of triples.

    Attributes:
        invariance_error: mean of |s(I, c) - s(I, p)|, 0..2, low is good; None without a triple.
        n_invariance: how many triples it rests on.
        invariance_ties: how many of them are equal within 1e-6.
        sensitivity: over all flips.
        by_type: by flip type, the benchmark's three first.
        n_samples: how many images were scored.
        not_seen: triples whose edit the model cannot see; they are part of the figures, as in
            the benchmark, and counted here. Their gap is 0: the model reads the same of both texts.
        seen: over the flips whose edit the model sees; None when a result does not record it.
        verified: over the flips that are known to be false of the image; None as for ``seen``.
    """

    invariance_error: float | None
    n_invariance: int
    invariance_ties: int
    sensitivity: Sensitivity
    by_type: Mapping[str, Sensitivity]
    n_samples: int
    not_seen: int = 0
    seen: Sensitivity | None = None
    verified: Sensitivity | None = None

    @property
    def undefined_because(self) -> str | None:
        """Why a figure is None, if one is."""
        missing = self.invariance_error is None or self.sensitivity.gap_mean is None
        return NO_TRIPLES if missing else None


def lgip_figures(
    invariance_gaps: NDArray[np.float64],
    flip_gaps: Mapping[str, NDArray[np.float64]],
    n_samples: int = 1,
    tie: float = 1e-6,
) -> LgipFigures:
    """The figures from gaps s(I, c) - s(I, text).

    Args:
        invariance_gaps: float64 [n], one a paraphrase.
        flip_gaps: float64 [n] by flip type, one a flip.
        n_samples: how many images.
        tie: gaps this small are ties.

    >>> gaps = {"color": np.array([0.1, -0.1, 0.0])}
    >>> lgip_figures(np.array([-0.2, 0.1]), gaps).sensitivity.count
    3
    """
    every = np.concatenate([*flip_gaps.values(), np.empty(0)])
    empty = np.empty(0)
    types = [*FLIP_TYPES, *(kind for kind in sorted(flip_gaps) if kind not in FLIP_TYPES)]
    n = len(invariance_gaps)
    return LgipFigures(
        invariance_error=float(np.mean(np.abs(invariance_gaps))) if n else None,
        n_invariance=n,
        invariance_ties=int(np.sum(np.abs(invariance_gaps) <= tie)),
        sensitivity=sensitivity_of(every, tie),
        by_type={kind: sensitivity_of(flip_gaps.get(kind, empty), tie) for kind in types},
        n_samples=n_samples,
    )


def sensitivity_of(gaps: NDArray[np.float64], tie: float = 1e-6) -> Sensitivity:
    """What flips do, from their gaps, float64 [n]; undefined without one."""
    if not len(gaps):
        return Sensitivity(None, None, 0)
    return Sensitivity(
        float(np.mean(gaps)),
        float(np.mean(gaps > 0)),
        len(gaps),
        int(np.sum(np.abs(gaps) <= tie)),
    )


def metrics_document(figures: LgipFigures, model_tag: str) -> dict[str, Any]:
    """The figures in the benchmark's JSON, key for key; undefined is null."""
    return {
        "model_tag": model_tag,
        "num_samples": figures.n_samples,
        "num_invariance_pairs": figures.n_invariance,
        "num_sensitivity_pairs": figures.sensitivity.count,
        "invariance_error_mean": figures.invariance_error,
        "sensitivity_gap_mean": figures.sensitivity.gap_mean,
        "sensitivity_pos_rate": figures.sensitivity.positive_rate,
        "by_flip_type": {
            kind: {
                "gap_mean": own.gap_mean,
                "pos_rate": own.positive_rate,
                "count": own.count,
            }
            for kind, own in figures.by_type.items()
        },
    }


def read_metrics(document: Mapping[str, Any]) -> LgipFigures:
    """The figures of a metrics JSON, ours or the benchmark's; ties are not in it and read 0.

    Raises:
        KeyError, TypeError: it is no such document.
    """
    by_type = {
        kind: Sensitivity(own["gap_mean"], own["pos_rate"], int(own["count"]))
        for kind, own in document["by_flip_type"].items()
    }
    return LgipFigures(
        invariance_error=document["invariance_error_mean"],
        n_invariance=int(document["num_invariance_pairs"]),
        invariance_ties=0,
        sensitivity=Sensitivity(
            document["sensitivity_gap_mean"],
            document["sensitivity_pos_rate"],
            int(document["num_sensitivity_pairs"]),
        ),
        by_type=by_type,
        n_samples=int(document["num_samples"]),
    )
