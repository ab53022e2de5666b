"""Stored runs made without a model: random outcomes over a small made gallery's images."""

from __future__ import annotations

from typing import Any

import numpy as np

from vlmexplain.overview.run_columns import NAMES, RunColumns


def random_columns(n: int = 60, n_images: int = 12, seed: int = 0) -> RunColumns:
    """Outcomes of ``n`` queries: a third are hits, some are unranked, some metrics undefined."""
    rng = np.random.default_rng(seed)
    rank = rng.integers(0, 9, n).astype(np.int32)
    failure = rank > 1

    def metric(high: float) -> Any:
        values = np.round(rng.random(n) * high, 3)
        values[(rng.random(n) < 0.2) | ~failure] = np.nan
        return values

    def count(high: int) -> Any:
        return np.where(failure, rng.integers(0, high, n), 0).astype(np.int32)

    made = {
        "image_index": np.sort(rng.integers(0, n_images, n)).astype(np.int32),
        "retrieved_image_index": rng.integers(0, n_images, n).astype(np.int32),
        "n_words": rng.integers(3, 20, n).astype(np.int32),
        "rank_1based": rank,
        "margin": rng.random(n).astype(np.float32),
        "failure": failure,
        "ca": metric(1),
        "ncs": metric(1),
        "ce": np.floor(metric(4)),
        "sd": metric(1),
        "sd_raw": metric(5),
        "q_ca": metric(1),
        "q_ncs": metric(1),
        "q_ce": np.floor(metric(3)),
        "q_sd": metric(1),
        "n_common": count(5),
        "n_only_ground_truth": count(4),
        "n_only_retrieved": count(4),
        "n_ncs_pairs": count(3),
        "sum_ps": np.where(failure, rng.random(n), 0.0),
        "n_equal_multiplicity": count(3),
        "n_different_multiplicity": count(3),
    }
    assert set(made) == set(NAMES)
    return RunColumns(**made)


def nothing() -> RunColumns:
    """No query at all."""
    some = random_columns(4)
    return RunColumns(**{name: some.column(name)[:0] for name in NAMES})
