"""LGIP the slow way, caption by caption, straight from the definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from vlmexplain.lgip.samples import Sample


def naive_metrics(
    encoder: Any, image_vectors: Any, image_of: dict[str, int], samples: Iterable[Sample]
) -> dict[str, Any]:
    """The benchmark's metrics document, by one pass over the captions."""
    invariance: list[float] = []
    gaps: list[tuple[str, float]] = []
    n_samples = 0
    for sample in samples:
        if sample.image_path not in image_of:
            continue
        n_samples += 1
        image = image_vectors[image_of[sample.image_path]]
        for caption, same, flips in zip(sample.captions, sample.same, sample.flips, strict=True):
            base = cosine(encoder, caption, image)
            invariance += [abs(base - cosine(encoder, text, image)) for text in same]
            gaps += [(f.flip_type or "other", base - cosine(encoder, f.text, image)) for f in flips]
    kinds = ["color", "number", "object", *{k for k, _ in gaps} - {"color", "number", "object"}]
    everything = summary([gap for _, gap in gaps])
    return {
        "num_samples": n_samples,
        "num_invariance_pairs": len(invariance),
        "num_sensitivity_pairs": len(gaps),
        "invariance_error_mean": mean(invariance),
        "sensitivity_gap_mean": everything["gap_mean"],
        "sensitivity_pos_rate": everything["pos_rate"],
        "by_flip_type": {k: summary([gap for kind, gap in gaps if kind == k]) for k in kinds},
    }


def cosine(encoder: Any, text: str, image: Any) -> float:
    vector = encoder.encode_texts([text])[0]
    total = sum(float(a) * float(b) for a, b in zip(vector, image, strict=True))
    return total / float(np.linalg.norm(vector) * np.linalg.norm(image))


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def summary(gaps: Sequence[float]) -> dict[str, Any]:
    rate = sum(gap > 0 for gap in gaps) / len(gaps) if gaps else None
    return {"gap_mean": mean(gaps), "pos_rate": rate, "count": len(gaps)}


def close(one: Any, other: Any) -> bool:
    """Whether two documents are equal, numbers within 1e-6."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[k], other[k]) for k in one)
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-6
    return bool(one == other)
